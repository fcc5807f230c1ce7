"""What stands behind the public modules: the way from a batch to a number.

1. `definition` says what a metric is, and `naming` calls it by name.
2. `inputs` reads what users pass, in any form, to checked lists, and raises
   every error about it.
3. `ranking` puts the items of the lists into order: it alone sorts, and it
   alone knows of ties.
4. A measure, in `keras_rankmetrics.metrics`, gives each list a value.
5. `evaluation` does this for many definitions and one batch.
6. `aggregates` add up what the lists hold, and make numbers of the sums.
7. `sharing` keeps what was made of a batch for the next metric that looks at
   it, and `ahead` computes for that one too.
8. `shells` keep the sums in Keras variables: `metric` for one definition,
   `collection` for many.

`at_ranks` tells the value of a metric by the rank of a relevant item, and
`sampled` what ranks in a sample tell of those among all items.

`backend` works round what Keras and its backends leave open.
"""
