"""The web app: pages to score, compare and audit in a browser, and a JSON API; started by `steelyard serve`."""
