"""The exit codes of every command; 0 means that all is well."""

CANNOT, INTERRUPTED = 2, 130  # 1: findings
