"""`regulations`: answers about Italian tax and labour law and the user's own documents, with a record of why."""

from turnkeep.entries import Entry

ENTRY = Entry(
    "Answers questions on Italian tax and labour law, and on your own documents, with citations",
    build="turnkeep_agents.regulations.graph:build",
    settings="turnkeep_agents.regulations.settings:RegulationsSettings",
    add_commands="turnkeep_agents.regulations.commands:add_commands",
)
