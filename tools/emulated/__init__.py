"""Runs functions on this machine, in Lambda's own runtime program, for `make invoke` and for tests."""
