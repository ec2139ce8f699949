"""Questions over a large SQL database, a user manual, and the rest."""

from turnkeep.entries import Entry

ENTRY = Entry(
    "Answers questions over a SQL database and its user manual",
    build="turnkeep_agents.database.graph:build",
    settings="turnkeep_agents.database.settings:DatabaseSettings",
    add_commands="turnkeep_agents.database.commands:add_commands",
)
