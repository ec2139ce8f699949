"""Companies, branches, employees, crews, and when they are there."""

from turnkeep_agents.database.sample.tables.columns import (
    choice,
    clock,
    day,
    flag,
    link,
    lookup,
    money,
    number,
    secret,
    table,
    text,
    unique,
    whole,
)

currency = lookup("currency", "Currencies of the world.", text("code", "ISO 4217.", size=3), text("name"))
region = lookup(
    "region", "Parts of the country in which work is done.", text("name"), text("country", "ISO 3166.", size=2)
)
skill = lookup(
    "skill",
    "What a technician can be able to do.",
    text("name"),
    choice("trade", "electrical plumbing hvac fire security general"),
)
job_grade = lookup(
    "jobGrade",
    "Levels of experience that decide the pay.",
    text("name", "Trainee, junior, skilled, senior or master."),
    whole("rank", "1 is the lowest."),
    money("minimumRate", "Lowest pay per hour."),
)
absence_type = lookup(
    "absenceType", "Reasons for being away.", text("name"), flag("isPaid", "Whether the employer goes on paying.")
)

company = lookup(
    "company",
    "A field service company that uses the system.",
    text("name"),
    text("legalName"),
    link("currencyId", "currency", "In which all amounts of money are."),
    text("country", "ISO 3166.", size=40),
    text("timeZone"),
    day("foundedOn"),
)

branch = table(
    "branch",
    "An office from which crews go out.",
    text("name"),
    text("code", size=20),
    link("regionId", "region"),
    link("managerId", "employee", "The employee who runs the branch.", optional=True, late=True),
    text("city"),
    text("phone", size=40),
    day("openedOn"),
    flag("isActive"),
)

department = table(
    "department",
    "A part of the company, such as operations or finance.",
    text("name"),
    text("code", size=20),
    link("headEmployeeId", "employee", "The employee who leads the department.", optional=True, late=True),
)

employee = table(
    "employee",
    "People who work for the company, in the field and in the office, former ones included.",
    unique("number", "Personnel number."),
    secret("firstName"),
    secret("lastName"),
    secret("email"),
    secret("phone"),
    secret("street", "Home address."),
    text("city"),
    choice(
        "position",
        "technician apprentice foreman dispatcher inspector estimator storekeeper accountant sales manager trainer",
        "The job that the person does.",
    ),
    choice("status", "active on_leave suspended terminated", "Employment now."),
    choice("employmentType", "full_time part_time contractor"),
    link("jobGradeId", "jobGrade", "Level of experience."),
    link("branchId", "branch"),
    link("departmentId", "department"),
    link("supervisorId", "employee", "The employee whom this one reports to.", optional=True),
    link("userId", "user", "The login of this employee.", optional=True),
    day("hiredOn"),
    day("terminatedOn", "Last day of work, of those who left.", optional=True),
    money("hourlyRate", "Pay per hour."),
    number("weeklyHours", "Hours of the contract."),
    secret("emergencyContact", "Whom to call if something happens.", optional=True),
)

crew = table(
    "crew",
    "A team of technicians that goes out together.",
    text("name"),
    text("code", size=20),
    link("branchId", "branch"),
    choice("trade", "electrical plumbing hvac fire security general", "What the crew mostly does."),
    choice("status", "active standby disbanded"),
    whole("capacity", "Most members."),
    day("formedOn"),
    day("disbandedOn", optional=True),
)

employee_crew = table(
    "employeeCrew",
    "Which employees belong to which crew, and since when.",
    link("employeeId", "employee"),
    link("crewId", "crew"),
    flag("isLead", "Whether the member leads the crew."),
    day("joinedOn"),
    day("leftOn", "Empty while the membership lasts.", optional=True),
)

employee_skill = table(
    "employeeSkill",
    "What an employee is able to do, and how well.",
    link("employeeId", "employee", key=True),
    link("skillId", "skill", key=True),
    choice("level", "basic good expert"),
    whole("yearsOfPractice"),
)

employee_availability = table(
    "employeeAvailability",
    "The regular working hours of an employee, one row per weekday.",
    link("employeeId", "employee", key=True),
    whole("weekday", "1 is Monday, 7 is Sunday.", key=True),
    clock("startTime"),
    clock("endTime"),
)

employee_absence = table(
    "employeeAbsence",
    "Days on which an employee is away: holidays, illness and so on.",
    link("employeeId", "employee"),
    link("absenceTypeId", "absenceType"),
    day("startsOn"),
    day("endsOn"),
    whole("days", "Working days."),
    choice("status", "requested approved rejected"),
    link("approvedBy", "user", "The user who decided.", optional=True),
)

pay_rate = table(
    "payRate",
    "What an employee earned per hour from a day on.",
    link("employeeId", "employee"),
    day("validFrom"),
    money("hourlyRate"),
    money("overtimeRate"),
)

payroll_period = table(
    "payrollPeriod",
    "A month for which wages are paid.",
    whole("year"),
    whole("month", "1 is January."),
    day("startsOn"),
    day("endsOn"),
    day("paidOn", optional=True),
    choice("status", "open closed paid"),
)

payroll_entry = table(
    "payrollEntry",
    "The wage of one employee for one month.",
    link("payrollPeriodId", "payrollPeriod"),
    link("employeeId", "employee"),
    number("regularHours"),
    number("overtimeHours"),
    money("grossAmount", "Before tax."),
    money("bonusAmount"),
)

shift = table(
    "shift",
    "Parts of the day in which people work.",
    text("name"),
    clock("startTime"),
    clock("endTime"),
    flag("isNight"),
)

on_call_duty = table(
    "onCallDuty",
    "Who can be reached outside working hours, week by week.",
    link("employeeId", "employee"),
    link("branchId", "branch"),
    link("shiftId", "shift"),
    day("startsOn"),
    day("endsOn"),
    whole("callouts", "How often the person was called."),
)

performance_review = table(
    "performanceReview",
    "Yearly talks about an employee's work.",
    link("employeeId", "employee", "Whose work is talked of."),
    link("reviewerId", "employee", "Who judges."),
    day("reviewedOn"),
    whole("score", "1 is poor, 5 is excellent."),
    text("summary", size=300),
)
