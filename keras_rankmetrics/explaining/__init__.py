"""Numbers explained: the readings of judgements and a run that give them."""
