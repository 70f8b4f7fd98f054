"""How well scorers agree with people's labels: sets of labelled documents, and figures with their intervals."""
