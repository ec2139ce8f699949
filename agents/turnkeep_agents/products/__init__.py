"""Finds, compares and explains products of a catalogue, over several turns."""

from turnkeep.entries import Entry

ENTRY = Entry(
    "Finds, compares and explains products of a catalogue",
    build="turnkeep_agents.products.graph:build",
    settings="turnkeep_agents.products.settings:ProductsSettings",
    add_commands="turnkeep_agents.products.commands:add_commands",
)
