"""From a batch to the values of its lists, computed once for many metrics."""
