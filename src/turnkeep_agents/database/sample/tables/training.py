"""Courses, certificates, and who has them."""

from turnkeep_agents.database.sample.tables.columns import (
    choice,
    day,
    flag,
    link,
    lookup,
    money,
    table,
    text,
    unique,
    whole,
)

certification = lookup(
    "certification",
    "Certificates that some work asks for.",
    text("name"),
    text("issuer", "Who gives it."),
    whole("validMonths", "How long it lasts."),
)

employee_certification = table(
    "employeeCertification",
    "Certificates that employees hold.",
    link("employeeId", "employee", "Who holds it."),
    link("certificationId", "certification"),
    unique("certificateNumber"),
    day("issuedOn"),
    day("expiresOn"),
    choice("status", "valid expired revoked"),
    link("verifiedBy", "user", "The user who saw the paper.", optional=True),
)

required_certification = table(
    "requiredCertification",
    "Which certificates a kind of work asks for.",
    link("workOrderTypeId", "workOrderType"),
    link("certificationId", "certification"),
    flag("isMandatory"),
)

training_course = table(
    "trainingCourse",
    "Courses that employees can take.",
    text("name"),
    link("certificationId", "certification", "The certificate that it leads to, if any.", optional=True),
    choice("format", "classroom online on_site"),
    whole("durationHours"),
    money("cost", "For one person."),
    flag("isMandatory"),
)

training_session = table(
    "trainingSession",
    "Dates of courses, past and coming.",
    link("trainingCourseId", "trainingCourse"),
    link("trainerId", "employee", "The employee who teaches."),
    text("city"),
    day("startsOn"),
    day("endsOn"),
    whole("seats"),
    choice("status", "planned held cancelled"),
)

training_attendance = table(
    "trainingAttendance",
    "Who took part in a course, and how it went.",
    link("trainingSessionId", "trainingSession", key=True),
    link("employeeId", "employee", key=True),
    choice("result", "registered passed failed absent"),
    whole("score", "Out of 100.", optional=True),
)
