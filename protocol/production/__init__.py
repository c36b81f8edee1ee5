"""Production volumes: what is settled as responsive, numbered, with load files and a manifest that Trent signs.

docs/production.md has the format. `produce` is the way through it; the other modules know one thing each: `record` what
the matter says, `register` which document has which number, `fields` what a load file states of a part, `returns` what
Bob must give back, `volume` the files, and `manifest` what Trent signs.
"""
