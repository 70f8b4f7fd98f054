"""What a project says about its pages: the file, its keys, its rules, and the settings that follow."""
