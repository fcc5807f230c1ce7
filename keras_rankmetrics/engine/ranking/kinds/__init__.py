"""The kinds of rankings: of ranks, and of items in tie groups."""
