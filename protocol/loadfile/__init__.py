"""Load files: tables of documents as vendors deliver and expect them, read and written in one place."""
