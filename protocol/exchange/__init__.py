"""A matter between real parties: each holds its own key on its own machine, and what travels between them is files."""
