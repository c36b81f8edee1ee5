"""The commands of `tallystick-verify`, one a module."""
