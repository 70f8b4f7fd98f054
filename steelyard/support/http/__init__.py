"""The HTTP client: one guard of addresses, one deadline, one rule for retries, one limit for bodies."""
