"""Stands in for wget, which data-juicer imports to download models; the filters measured here need none."""
