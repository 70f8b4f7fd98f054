"""`steelyard mcp`: the score as tools for assistants, by the Model Context Protocol."""
