"""Exhibits: one document's story, checked alone (docs/exhibits.md)."""

from verifier.exhibit.judgement import Judgement, judge
from verifier.exhibit.summary import text, value

__all__ = ["Judgement", "judge", "text", "value"]
