"""Simulated coverage of the intervals: `python -m tests.tools.simulations`."""
