"""Exhibits: one document's story, checked alone (docs/exhibits.md)."""

from verifier.exhibit.judgement import Answer, Judgement, judge
from verifier.exhibit.summary import text, value

__all__ = ["Answer", "Judgement", "judge", "text", "value"]
