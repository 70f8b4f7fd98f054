"""Ranking for a query: what a ranker that sees the query can do, and an evaluation that cannot leak."""
