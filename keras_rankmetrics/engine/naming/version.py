"""The version of the package, which every signature states."""

__version__ = "0.1.0"
