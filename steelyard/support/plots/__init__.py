"""Plots of series as PNG and SVG; independent of any study."""
