"""Tables and bars for terminals, Markdown, CSV and HTML; knows no study and no page."""
