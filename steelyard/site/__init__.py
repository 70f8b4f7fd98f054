"""Audits of whole sites: a polite crawl, a store with history, and a leaderboard of domains."""
