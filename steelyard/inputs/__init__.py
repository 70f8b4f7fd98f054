"""Where pages come from: files, directories, globs, standard input, JSONL."""
