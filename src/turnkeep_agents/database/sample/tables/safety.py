"""Quality and safety: feedback, complaints, accidents, and what was learned from them."""

from turnkeep_agents.database.sample.tables.columns import (
    choice,
    day,
    flag,
    link,
    lookup,
    moment,
    number,
    table,
    text,
    whole,
)

incident_type = lookup("incidentType", "Kinds of accidents.", text("name"))
complaint_category = lookup("complaintCategory", "What customers complain about.", text("name"))
hazard = lookup("hazard", "Dangers on sites.", text("name"))

customer_feedback = table(
    "customerFeedback",
    "How satisfied customers were with a work order.",
    link("workOrderId", "workOrder"),
    whole("rating", "1 is poor, 5 is excellent."),
    text("comment", size=300, optional=True),
    flag("wouldRecommend"),
    day("receivedOn"),
)

complaint = table(
    "complaint",
    "Complaints of customers.",
    link("customerId", "customer"),
    link("workOrderId", "workOrder", "The work that it is about.", optional=True),
    link("complaintCategoryId", "complaintCategory"),
    link("handledBy", "employee", "The employee who deals with it."),
    choice("status", "open resolved rejected"),
    day("receivedOn"),
    day("resolvedOn", optional=True),
)

safety_incident = table(
    "safetyIncident",
    "Accidents and near misses at work.",
    link("incidentTypeId", "incidentType"),
    link("workOrderId", "workOrder", optional=True),
    link("employeeId", "employee", "Who was hurt or in danger."),
    link("reportedBy", "employee", "Who reported it."),
    choice("severity", "near_miss minor serious"),
    choice("status", "open investigating closed"),
    moment("occurredAt"),
    whole("lostDays", "Working days that were lost."),
    text("description", size=300),
)

corrective_action = table(
    "correctiveAction",
    "What is done so that an accident does not happen again.",
    link("safetyIncidentId", "safetyIncident"),
    link("responsibleId", "employee", "The employee who sees to it."),
    text("description", size=300),
    day("dueOn"),
    day("completedOn", optional=True),
    choice("status", "open done overdue"),
)

risk_assessment = table(
    "riskAssessment",
    "Dangers that were looked for before work began.",
    link("workOrderId", "workOrder"),
    link("hazardId", "hazard"),
    link("assessedBy", "employee", "The employee who looked."),
    choice("riskLevel", "low medium high"),
    flag("isAccepted", "Whether work could begin."),
    day("assessedOn"),
)

safety_meeting = table(
    "safetyMeeting",
    "Talks about safety with a crew.",
    link("crewId", "crew"),
    link("ledBy", "employee", "The employee who led the talk."),
    text("topic"),
    day("heldOn"),
    whole("durationMinutes"),
)

safety_meeting_attendance = table(
    "safetyMeetingAttendance",
    "Who was at a safety talk.",
    link("safetyMeetingId", "safetyMeeting", key=True),
    link("employeeId", "employee", key=True),
    flag("isPresent"),
    audited=False,
)

quality_audit = table(
    "qualityAudit",
    "Checks of finished work.",
    link("workOrderId", "workOrder"),
    link("auditorId", "employee", "The employee who checked."),
    day("auditedOn"),
    number("score", "Out of 100."),
    choice("result", "passed rework failed"),
)
