"""Customers, their sites and contacts, and those who may become customers."""

from turnkeep_agents.database.sample.tables.columns import (
    choice,
    day,
    degrees,
    flag,
    link,
    lookup,
    moment,
    money,
    secret,
    table,
    text,
    unique,
    whole,
)

industry = lookup("industry", "What customers do for a living.", text("name"))
location_type = lookup("locationType", "Kinds of buildings.", text("name"))
lead_source = lookup("leadSource", "How people hear of the company.", text("name"))

territory = table(
    "territory",
    "An area that one sales person looks after.",
    text("name"),
    link("regionId", "region"),
    link("salesRepId", "employee", "The employee who sells there.", optional=True),
)

customer = table(
    "customer",
    "Organisations and people that order work.",
    unique("number", "Customer number."),
    secret("name"),
    secret("email"),
    secret("phone"),
    secret("billingStreet"),
    text("billingCity"),
    text("postalCode", size=40),
    link("regionId", "region"),
    link("industryId", "industry"),
    link("territoryId", "territory", optional=True),
    link("accountManagerId", "employee", "The employee who looks after the customer.", optional=True),
    link("paymentTermId", "paymentTerm"),
    link("priceListId", "priceList", optional=True),
    choice("segment", "private business public", "Size and kind."),
    choice("status", "prospect active on_hold former"),
    day("customerSince"),
    money("creditLimit"),
    secret("notes", "What only staff should read.", optional=True),
)

customer_location = table(
    "customerLocation",
    "A site of a customer at which work is done.",
    link("customerId", "customer"),
    link("locationTypeId", "locationType"),
    link("regionId", "region"),
    secret("name"),
    secret("street"),
    text("city"),
    text("postalCode", size=40),
    degrees("latitude"),
    degrees("longitude"),
    whole("floors", optional=True),
    flag("isActive"),
    secret("accessNotes", "How to get in.", optional=True),
)

customer_contact = table(
    "customerContact",
    "People to talk to at a customer.",
    link("customerId", "customer"),
    link("customerLocationId", "customerLocation", "The site where the person works.", optional=True),
    secret("firstName"),
    secret("lastName"),
    secret("email"),
    secret("phone"),
    choice("role", "owner manager caretaker accounting reception"),
    flag("isPrimary", "Whether the person is called first."),
)

customer_tag = table("customerTag", "Labels that staff put on customers.", text("name"), text("color", size=40))

customer_tag_link = table(
    "customerTagLink",
    "Which customers bear which labels.",
    link("customerId", "customer", key=True),
    link("customerTagId", "customerTag", key=True),
)

customer_note = table(
    "customerNote",
    "Remarks of staff about a customer.",
    link("customerId", "customer"),
    link("authorId", "user", "Who wrote the remark."),
    text("noteText", size=400),
    moment("writtenAt"),
)

lead = table(
    "lead",
    "People who asked for an offer and may become customers.",
    link("leadSourceId", "leadSource", "How they heard of the company."),
    link("regionId", "region"),
    link("assignedTo", "employee", "The sales person who follows up.", optional=True),
    link("customerId", "customer", "The customer that came of it, if any.", optional=True),
    text("companyName"),
    choice("status", "new contacted qualified won lost"),
    money("estimatedValue", "Revenue per year that is hoped for."),
    day("receivedOn"),
    day("closedOn", "When it was won or lost.", optional=True),
)
