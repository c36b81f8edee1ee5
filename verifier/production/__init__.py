"""Production volumes, checked against a copy of the record (docs/production.md)."""

from verifier.production.judgement import Answer, Judgement, judge
from verifier.production.summary import text, value

__all__ = ["Answer", "Judgement", "judge", "text", "value"]
