"""`campaigns`: a team of specialists over the metrics of advertising campaigns. Code computes every figure, by SQL."""

from turnkeep.entries import Entry

ENTRY = Entry(
    "Analyses advertising campaigns by asking specialists, who query the metrics",
    build="turnkeep_agents.campaigns.graph:build",
    settings="turnkeep_agents.campaigns.settings:CampaignsSettings",
    add_commands="turnkeep_agents.campaigns.commands:add_commands",
)
