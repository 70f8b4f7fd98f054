"""The crawl of a site: polite, bounded, the same in every run, and never on private addresses that nobody typed."""
