"""From bytes to signed entries: everything that the specification's first half says, and nothing of e-discovery."""
