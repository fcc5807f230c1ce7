"""Names and signatures of metrics and functions; no two share a signature."""
