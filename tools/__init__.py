"""What makes a release. Not a part of the product."""
