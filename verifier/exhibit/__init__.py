"""Exhibits: one document's story, checked alone (docs/exhibits.md)."""

from verifier.exhibit.judgement import Judgement
from verifier.exhibit.judging import judge
from verifier.exhibit.telling import text, value

__all__ = ["Judgement", "judge", "text", "value"]
