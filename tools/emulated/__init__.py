"""Functions on this machine, in the program that Lambda itself runs them in: for `make invoke` and for tests."""
