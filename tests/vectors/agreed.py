"""The terms of the matters in the vectors: small, and with something of everything in them."""

from typing import Any

from tests.support.corpora import QUERY

AGREED: dict[str, Any] = {"rounds": 2, "batch": 7, "delta": "0.7", "k": 1, "query": QUERY, "seed": "103"}
"""The seed's coins leave something undisclosed under the label report."""
