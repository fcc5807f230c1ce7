"""How a `Report` is written, a module for each format."""
