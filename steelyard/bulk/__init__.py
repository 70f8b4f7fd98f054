"""Columns in, columns out: score and filter Parquet and JSONL corpora, with resume."""
