"""The language server: findings in an editor while a page is written."""
