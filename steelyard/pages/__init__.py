"""What people and machines are shown: records, pages for the terminal, HTML."""
