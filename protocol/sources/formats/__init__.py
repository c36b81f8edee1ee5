"""The formats of sources, one module each; `protocol.sources.registry` lists them."""
