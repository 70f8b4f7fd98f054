"""The reports of an audit: for the terminal, for the browser, as JSON and as CSV."""
