"""From components to pages to domains."""
