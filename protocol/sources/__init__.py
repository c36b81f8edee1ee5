"""Where documents come from: files of several kinds, none of them lost silently; and made-up mail."""
