"""The oracle: what answer engines cite, measured in paired experiments."""
