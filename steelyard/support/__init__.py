"""The ground floor: errors, artifacts, configuration, the worker pool. Knows nothing of pages."""
