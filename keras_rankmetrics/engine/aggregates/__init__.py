"""Which sums are kept of the lists, and how they become numbers."""
