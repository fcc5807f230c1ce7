"""The values that other tools report of drawn data, by their own code."""
