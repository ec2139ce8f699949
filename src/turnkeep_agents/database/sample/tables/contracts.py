"""Service contracts, what they promise, and prices."""

from turnkeep_agents.database.sample.tables.columns import (
    choice,
    day,
    flag,
    link,
    lookup,
    moment,
    money,
    number,
    table,
    text,
    unique,
    whole,
)

contract_type = lookup("contractType", "Kinds of contracts.", text("name"))
service_level = lookup(
    "serviceLevel",
    "How fast the company promises to be.",
    text("name"),
    whole("responseHours", "Hours until somebody is there."),
    whole("resolutionHours", "Hours until the fault is mended."),
)

service = table(
    "service",
    "The catalogue of what the company offers.",
    text("name"),
    text("code", size=20),
    link("workOrderTypeId", "workOrderType"),
    money("basePrice"),
    whole("durationMinutes"),
    flag("isActive"),
)

contract = table(
    "contract",
    "Agreements about regular service.",
    unique("number"),
    link("customerId", "customer"),
    link("contractTypeId", "contractType"),
    link("serviceLevelId", "serviceLevel"),
    link("ownerId", "employee", "The employee who looks after the contract."),
    link("signedBy", "customerContact", "Who signed for the customer.", optional=True),
    choice("status", "upcoming active expired cancelled"),
    day("startsOn"),
    day("endsOn"),
    money("monthlyFee"),
    flag("renewsItself", "Whether it goes on unless somebody ends it."),
)

contract_location = table(
    "contractLocation",
    "Which sites a contract covers.",
    link("contractId", "contract", key=True),
    link("customerLocationId", "customerLocation", key=True),
    day("coveredFrom"),
)

contract_service = table(
    "contractService",
    "Which services a contract includes.",
    link("contractId", "contract", key=True),
    link("serviceId", "service", key=True),
    whole("visitsPerYear"),
    number("discountPercent"),
)

maintenance_plan = table(
    "maintenancePlan",
    "Regular visits that a contract promises for a site.",
    link("contractId", "contract"),
    link("customerLocationId", "customerLocation"),
    link("serviceId", "service"),
    whole("everyMonths", "Months between two visits."),
    flag("isActive"),
)

planned_visit = table(
    "plannedVisit",
    "The dates of a maintenance plan, past and coming.",
    link("maintenancePlanId", "maintenancePlan"),
    link("crewId", "crew", optional=True),
    day("plannedOn"),
    day("doneOn", optional=True),
    choice("status", "planned done skipped"),
)

sla_breach = table(
    "slaBreach",
    "Where the company was slower than it had promised.",
    link("workOrderId", "workOrder"),
    link("serviceLevelId", "serviceLevel"),
    choice("breachType", "response resolution"),
    number("hoursLate"),
    moment("breachedAt"),
)

price_list = table(
    "priceList",
    "Prices that are agreed with some customers.",
    text("name"),
    number("discountPercent", "Off the list price."),
    day("validFrom"),
    flag("isActive"),
)

price_list_item = table(
    "priceListItem",
    "The price of a part on a price list.",
    link("priceListId", "priceList", key=True),
    link("inventoryItemId", "inventoryItem", key=True),
    money("price"),
)
