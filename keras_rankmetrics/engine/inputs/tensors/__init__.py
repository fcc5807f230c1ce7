"""From what libraries hold numbers in to tensors."""
