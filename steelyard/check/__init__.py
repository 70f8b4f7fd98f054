"""Check pages for continuous integration, editors and assistants: findings on lines, rules, baselines."""
