"""The app in the browser, and its JSON interface."""
