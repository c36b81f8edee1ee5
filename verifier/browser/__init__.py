"""The verifier as one page for the browser: `tallystick-verify.html`, which works from a disk without a network.

The page is a second implementation of the specification, in TypeScript, in the folders beside this file. It shares no
code with the rest of this package. `npm run build` makes it again from its sources, with the same bytes each time.
"""

from importlib import resources

NAME = "tallystick-verify.html"


def page() -> bytes:
    """The page's file."""
    return resources.files(__name__).joinpath(NAME).read_bytes()
