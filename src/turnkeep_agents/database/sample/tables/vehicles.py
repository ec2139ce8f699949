"""Vans and cars: who drives them, where they go, what they cost."""

from turnkeep_agents.database.sample.tables.columns import (
    choice,
    day,
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

vehicle_type = lookup("vehicleType", "Kinds of vehicles.", text("name"), whole("payloadKilograms"))

vehicle = table(
    "vehicle",
    "Vans and cars of the company.",
    link("vehicleTypeId", "vehicleType"),
    link("branchId", "branch"),
    unique("plateNumber", size=40),
    text("make", size=60),
    text("model", size=60),
    whole("modelYear"),
    choice("fuel", "diesel petrol electric"),
    choice("status", "available in_use in_repair sold"),
    day("purchasedOn"),
    whole("odometer", "Kilometers driven so far."),
)

vehicle_assignment = table(
    "vehicleAssignment",
    "Which crew drives which vehicle.",
    link("vehicleId", "vehicle"),
    link("crewId", "crew"),
    day("assignedOn"),
    day("returnedOn", "Empty while the crew has it.", optional=True),
)

fuel_purchase = table(
    "fuelPurchase",
    "What was paid for fuel and for charging.",
    link("vehicleId", "vehicle"),
    link("employeeId", "employee", "Who paid."),
    day("purchasedOn"),
    number("quantity", "Litres, or kilowatt hours of an electric vehicle."),
    money("amount"),
)

vehicle_service = table(
    "vehicleService",
    "Repairs and regular checks of vehicles.",
    link("vehicleId", "vehicle"),
    choice("serviceType", "regular repair tyres inspection"),
    day("servicedOn"),
    money("cost"),
    text("garage"),
)

trip = table(
    "trip",
    "Journeys from the logs of the vehicles.",
    link("vehicleId", "vehicle"),
    link("driverId", "employee", "Who drove."),
    link("workOrderId", "workOrder", optional=True),
    moment("startedAt"),
    moment("endedAt"),
    number("kilometers"),
    audited=False,
)

traffic_fine = table(
    "trafficFine",
    "Fines for speeding, parking and so on.",
    link("vehicleId", "vehicle"),
    link("driverId", "employee", "Who drove."),
    choice("offence", "speeding parking other"),
    day("issuedOn"),
    money("amount"),
    choice("status", "open paid contested"),
)
