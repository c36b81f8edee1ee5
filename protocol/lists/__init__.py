"""Lists from the record, for people: the privilege log, all labels, and what the court ruled."""
