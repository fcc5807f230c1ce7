"""Mutation testing: `python -m tests.tools.mutate --count 40 --seed 1`.

Changes the package in one place, such as `<` to `<=`, and runs the tests that
execute that place. A change that no test notices shows a missing test.

Mutants run in forks of a process that has imported Keras and torch. cosmic-ray
starts a command for each mutant, whose imports alone take seconds, and mutmut 3
changes no code outside of functions; neither reports which folder of tests
catches a mutant.

A change exists in the memory of a fork only. Tests that start another Python,
such as those of `krm` as a program, therefore test the unchanged package: they
neither count as executing a line nor catch a mutant.
"""
