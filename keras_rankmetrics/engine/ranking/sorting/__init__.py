"""Sorting and searching: order, runs of equal values, and membership."""
