"""One file per study: how it is computed and presented, and its entry in the registry."""
