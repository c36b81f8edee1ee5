"""A corpus: exact features, one commitment to all documents, and the folder that holds them."""
