"""A verdict as one page for a judge: it stands alone, prints well, and reads without colour."""

from verifier.report.page import About, page

__all__ = ["About", "page"]
