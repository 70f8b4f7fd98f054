"""What answer engines cite, measured in paired experiments."""
