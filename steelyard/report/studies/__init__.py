"""The studies as people read them: tables, plots and sentences, made from an artifact's result and nothing else."""
