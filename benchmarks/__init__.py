"""Speed, stated as ratios within one run."""
