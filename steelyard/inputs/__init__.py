"""Find and load pages: files, directories, globs, standard input, JSONL."""
