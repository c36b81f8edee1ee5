"""Signed, hash-chained, selectively disclosed transcripts. Knows nothing of e-discovery."""
