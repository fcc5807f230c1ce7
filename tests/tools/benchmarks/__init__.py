"""What a batch of ranking metrics costs: `python -m tests.tools.benchmarks`."""
