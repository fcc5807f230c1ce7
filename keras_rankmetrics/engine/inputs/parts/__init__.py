"""What the readers share: one module for each part of the input."""
