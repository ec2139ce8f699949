"""Users and what they may do, and the inside of the system. `group` is a word that SQL keeps for itself, and
`3rdPartySystem` begins with a digit: both have to be quoted."""

from turnkeep_agents.database.sample.tables.columns import (
    choice,
    day,
    flag,
    link,
    lookup,
    moment,
    secret,
    table,
    text,
    whole,
)

role = lookup("role", "What a user is in the system.", text("name"), text("description", size=200))
permission = lookup("permission", "Single things that a role may do.", text("name"), text("area", size=60))
role_permission = lookup(
    "rolePermission",
    "Which role may do what.",
    link("roleId", "role", key=True),
    link("permissionId", "permission", key=True),
)
public_holiday = lookup(
    "publicHoliday", "Days on which nobody works.", text("name"), day("holidayDate"), text("country", size=2)
)

user = table(
    "user",
    "Logins of the system.",
    secret("firstName"),
    secret("lastName"),
    secret("email"),
    secret("phone", optional=True),
    text("language", size=40),
    choice("status", "active invited locked"),
    moment("lastLoginAt", optional=True),
)

user_role = table(
    "userRole",
    "Which user has which role.",
    link("userId", "user", key=True),
    link("roleId", "role", key=True),
    day("grantedOn"),
)

group = table("group", "Groups of users who are written to together.", text("name"), text("purpose", size=200))

group_member = table(
    "groupMember",
    "Who belongs to a group.",
    link("groupId", "group", key=True),
    link("userId", "user", key=True),
    day("addedOn"),
)

login_event = table(
    "loginEvent",
    "Attempts to log in.",
    link("userId", "user"),
    moment("happenedAt"),
    choice("device", "browser phone tablet"),
    flag("wasSuccessful"),
    audited=False,
)

audit_log = table(
    "auditLog",
    "Who did what in the system.",
    link("userId", "user"),
    text("entity", "The table that was changed.", size=60),
    whole("entityId"),
    choice("action", "insert update delete"),
    moment("happenedAt"),
    audited=False,
)

setting = table(
    "setting", "What a company has set up for itself.", text("key", size=60), text("value"), text("area", size=60)
)

third_party_system = table(
    "3rdPartySystem",
    "Other systems that data is exchanged with.",
    text("name"),
    choice("purpose", "accounting payroll maps portal"),
    flag("isActive"),
    moment("lastSyncAt", optional=True),
)

sync_run = table(
    "syncRun",
    "Exchanges of data with another system.",
    link("systemId", "3rdPartySystem"),
    moment("startedAt"),
    whole("recordCount"),
    choice("result", "ok partial failed"),
    audited=False,
)

api_key = table(
    "apiKey",
    "Keys for other systems. Nobody may ask for them.",
    link("systemId", "3rdPartySystem"),
    text("keyHash", size=80),
    day("expiresOn"),
)

user_credential = table(
    "userCredential",
    "Hashed passwords. Nobody may ask for them.",
    link("userId", "user"),
    text("passwordHash", size=80),
    day("changedOn"),
)
