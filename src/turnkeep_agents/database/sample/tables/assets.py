"""Equipment that is installed at customers, and tools of the company's own."""

from turnkeep_agents.database.sample.tables.columns import (
    choice,
    day,
    link,
    lookup,
    money,
    number,
    table,
    text,
    unique,
    whole,
)

asset_category = lookup("assetCategory", "Kinds of installed equipment.", text("name"))
manufacturer = lookup("manufacturer", "Makers of equipment.", text("name"), text("country", "ISO 3166.", size=2))
asset_model = lookup(
    "assetModel",
    "Models of equipment.",
    link("manufacturerId", "manufacturer"),
    link("assetCategoryId", "assetCategory"),
    text("name"),
    whole("serviceMonths", "Months between two services."),
    whole("lifeYears", "Years that the model is expected to last."),
)
tool_type = lookup("toolType", "Kinds of tools.", text("name"), whole("calibrationMonths", optional=True))

asset = table(
    "asset",
    "Equipment that is installed at a customer's site, such as boilers and alarm panels.",
    link("customerLocationId", "customerLocation"),
    link("assetModelId", "assetModel"),
    unique("serialNumber"),
    choice("status", "in_service out_of_service replaced"),
    day("installedOn"),
    day("lastServicedOn", optional=True),
    day("nextServiceOn", optional=True),
    money("purchasePrice"),
)

warranty = table(
    "warranty",
    "Until when a maker or the company answers for equipment.",
    link("assetId", "asset"),
    choice("coverage", "parts labour full"),
    day("startsOn"),
    day("endsOn"),
    audited=False,
)

meter_reading = table(
    "meterReading",
    "Counters of equipment, such as running hours, as they were read.",
    link("assetId", "asset"),
    link("readBy", "employee", "The employee who read it."),
    day("readOn"),
    number("value"),
    choice("unit", "hours kwh cubic_meters"),
)

tool = table(
    "tool",
    "Tools and measuring instruments that the company owns.",
    link("toolTypeId", "toolType"),
    link("branchId", "branch"),
    unique("serialNumber"),
    choice("status", "available in_use in_repair retired"),
    day("purchasedOn"),
    money("purchasePrice"),
)

tool_assignment = table(
    "toolAssignment",
    "Who has which tool.",
    link("toolId", "tool"),
    link("employeeId", "employee"),
    day("assignedOn"),
    day("returnedOn", "Empty while the employee has it.", optional=True),
)

calibration = table(
    "calibration",
    "Tests of measuring instruments.",
    link("toolId", "tool"),
    link("performedBy", "employee", "The employee who tested."),
    day("calibratedOn"),
    day("validUntil"),
    choice("result", "passed adjusted failed"),
    money("cost"),
)
