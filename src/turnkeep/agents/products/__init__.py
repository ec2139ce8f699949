"""Finds, compares and explains products of a catalogue, over several turns."""
