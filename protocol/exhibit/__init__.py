"""Exhibits: what proves one document's story, cut out of a matter, without the stories of other documents."""
