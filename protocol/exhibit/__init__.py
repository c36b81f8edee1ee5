"""Exhibits: all that proves one document's story, cut out of a matter, and nothing of the other documents' stories."""
