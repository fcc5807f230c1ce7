"""What metrics and functions are called, so that no two share a name."""
