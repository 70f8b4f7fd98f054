"""Optional features from models of meaning. Every model is local, none is fetched, and no file of one is unpickled."""
