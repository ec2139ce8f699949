"""Work orders: what was asked for, planned, done, and how long it took."""

from turnkeep_agents.database.sample.tables.columns import (
    choice,
    clock,
    day,
    flag,
    link,
    lookup,
    moment,
    money,
    number,
    secret,
    table,
    text,
    unique,
    whole,
)

work_order_type = lookup(
    "workOrderType", "Kinds of work.", text("name"), flag("isPlanned", "Whether such work is planned ahead.")
)
priority = lookup(
    "priority",
    "How urgent work is.",
    text("name", "Low, normal, high or emergency."),
    whole("rank", "1 is the most urgent."),
    whole("responseHours", "Hours within which somebody has to be there."),
)
cancellation_reason = lookup("cancellationReason", "Why work was called off.", text("name"))
work_time_type = lookup("workTimeType", "What hours were spent on.", text("name"), flag("isBillable"))

work_order = table(
    "workOrder",
    "A job for a customer at one site, from the request to its completion.",
    unique("number", "Number of the work order, as on papers."),
    text("title", "What is to be done, in short."),
    secret("description", "What is to be done, at length.", optional=True),
    link("customerId", "customer"),
    link("customerLocationId", "customerLocation", "Where the work is done."),
    link("customerContactId", "customerContact", "Whom to ask for on site.", optional=True),
    link("workOrderTypeId", "workOrderType", "Kind of work."),
    link("priorityId", "priority"),
    link("branchId", "branch"),
    link("crewId", "crew", "The crew that does the work.", optional=True),
    link("assignedTo", "employee", "The technician who is responsible for the work.", optional=True),
    link("dispatcherId", "employee", "The employee who planned the work.", optional=True),
    link("approvedBy", "user", "The user who released the work.", optional=True),
    link("contractId", "contract", "The contract that covers the work, if any.", optional=True),
    choice("status", "new scheduled in_progress on_hold completed cancelled"),
    day("requestedOn", "When the customer asked."),
    moment("scheduledStart", optional=True),
    moment("scheduledEnd", optional=True),
    moment("startedAt", "When the crew began.", optional=True),
    moment("completedAt", "When the work was finished.", optional=True),
    number("estimatedHours"),
    money("estimatedAmount", "What the customer was told that it would cost."),
    link("cancellationReasonId", "cancellationReason", optional=True),
    flag("isBillable", "Whether the customer pays for it apart from a contract."),
    secret("contactPhone", "A number that was left for questions.", optional=True),
    secret("internalNotes", "What only staff should read.", optional=True),
)

task_template = table(
    "taskTemplate",
    "Steps that work of a kind usually has.",
    link("workOrderTypeId", "workOrderType"),
    text("name"),
    whole("position", "Order of the step, from 1."),
    whole("standardMinutes", "How long the step usually takes."),
)

work_order_task = table(
    "workOrderTask",
    "The steps of one work order.",
    link("workOrderId", "workOrder"),
    link("taskTemplateId", "taskTemplate"),
    text("name"),
    whole("position", "Order of the step, from 1."),
    choice("status", "open done skipped"),
    whole("plannedMinutes"),
    link("completedBy", "employee", "The employee who did the step.", optional=True),
    moment("completedAt", optional=True),
    audited=False,
)

work_order_status_history = table(
    "workOrderStatusHistory",
    "Every change of the status of a work order.",
    link("workOrderId", "workOrder"),
    choice("fromStatus", "new scheduled in_progress on_hold completed cancelled", optional=True),
    choice("toStatus", "new scheduled in_progress on_hold completed cancelled"),
    moment("changedAt"),
    link("changedBy", "user", "The user who changed it."),
    audited=False,
)

work_order_note = table(
    "workOrderNote",
    "Remarks about a work order.",
    link("workOrderId", "workOrder"),
    link("authorId", "user", "Who wrote the remark."),
    text("noteText", size=400),
    moment("writtenAt"),
)

work_order_asset = table(
    "workOrderAsset",
    "Which installed equipment a work order is about.",
    link("workOrderId", "workOrder", key=True),
    link("assetId", "asset", key=True),
    choice("action", "serviced repaired replaced checked"),
    audited=False,
)

work_order_material = table(
    "workOrderMaterial",
    "Parts and materials that a work order used up.",
    link("workOrderId", "workOrder"),
    link("inventoryItemId", "inventoryItem"),
    link("warehouseId", "warehouse", "Where the parts came from."),
    number("quantity"),
    money("unitPrice", "What the customer pays for one."),
    money("lineTotal"),
    audited=False,
)

work_time = table(
    "workTime",
    "Hours that employees worked, on work orders and otherwise.",
    link("employeeId", "employee", "Who worked."),
    link("workOrderId", "workOrder", "Empty for hours that belong to no work order.", optional=True),
    link("workTimeTypeId", "workTimeType", "What the hours were spent on."),
    day("workDate"),
    clock("startTime"),
    clock("endTime"),
    number("hours"),
    number("overtimeHours", "Part of the hours that counts as overtime."),
    choice("status", "submitted approved rejected"),
    link("approvedBy", "user", "The user who checked the hours.", optional=True),
    audited=False,
)

service_request = table(
    "serviceRequest",
    "What customers ask for by phone, mail or in the portal, before a work order is made of it.",
    link("customerId", "customer"),
    link("customerLocationId", "customerLocation", optional=True),
    link("workOrderId", "workOrder", "The work order that was made of it.", optional=True),
    link("handledBy", "employee", "The employee who took the request.", optional=True),
    choice("channel", "phone email portal app"),
    choice("status", "open converted declined"),
    text("subject"),
    moment("receivedAt"),
)

appointment = table(
    "appointment",
    "When a technician is to be at a site.",
    link("workOrderId", "workOrder"),
    link("employeeId", "employee", "The technician who comes."),
    link("vehicleId", "vehicle", optional=True),
    moment("startsAt"),
    moment("endsAt"),
    choice("status", "planned confirmed done missed cancelled"),
    whole("delayMinutes", "How much too late the technician came.", optional=True),
)

dispatch_route = table(
    "dispatchRoute",
    "The round of one crew on one day.",
    link("crewId", "crew"),
    link("vehicleId", "vehicle", optional=True),
    link("plannedBy", "employee", "The dispatcher who made the plan."),
    day("routeDate"),
    number("plannedKilometers"),
    choice("status", "draft released driven"),
)

route_stop = table(
    "routeStop",
    "The stops of a round, in order.",
    link("dispatchRouteId", "dispatchRoute", key=True),
    whole("position", "Order of the stop, from 1.", key=True),
    link("workOrderId", "workOrder"),
    clock("plannedArrival"),
)
