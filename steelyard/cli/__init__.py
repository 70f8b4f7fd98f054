"""The command line: the table of commands, and the program itself."""
