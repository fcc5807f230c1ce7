"""What is ranked: scores, a few targets among scores, or ids in order."""
