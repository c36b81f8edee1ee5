"""Files that office programs open, written without any of them."""
