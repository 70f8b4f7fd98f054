"""The configuration of a project: the file, its keys, its rules, and the settings that follow."""
