"""Upgrades of the schema, run by Alembic from steelyard.site.store.upgrade."""
