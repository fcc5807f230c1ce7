"""Numbers explained: the settings of judgements and a run that give them."""
