"""Access logs of a web server: what known agents asked for, beside the scores of an audit."""
