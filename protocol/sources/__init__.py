"""Documents as they come: files of several kinds, read without losing any in silence; and made-up mail."""
