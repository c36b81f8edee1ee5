"""`python -m verifier`: the same as `tallystick-verify`."""

from verifier.cli import main

main(prog_name="tallystick-verify")
