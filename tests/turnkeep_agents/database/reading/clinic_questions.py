"""Questions about the schema of clinics in many wordings; slashes part the lines of a conversation."""

READ_AT_THE_CLINIC: dict[str, str] = {
    "How many patients do we have?": ("count patient"),
    "How many missed appointments were there last month?": (
        "count appointment | where appointment.status is missed | in appointment.scheduled_at 2026-10-01 to "
        "2026-10-31 (last month)"
    ),
    "list cardiology doctors": ("rows doctor | where doctor.specialty is cardiology"),
    "doctors by specialty": ("count doctor | by doctor.specialty"),
    "which doctor has the most appointments this year?": (
        "count appointment | in appointment.scheduled_at 2026-01-01 to 2026-12-31 (this year) | by "
        "doctor.first_name, doctor.last_name | descending measure | limit 1"
    ),
    "appointments per month": ("count appointment | per month of appointment.scheduled_at"),
    "average fee by doctor": ("average appointment | of appointment.fee | by doctor.first_name, doctor.last_name"),
    "total fees per department": ("sum appointment | of appointment.fee | by department.name"),
    "patients in Leeds without an email": (
        "rows patient | where patient.email is_missing and patient.city contains Leeds"
    ),
    "patients without appointments": ("rows patient | without appointment"),
    "unpaid bills": ("rows bill | where bill.paid_on is_missing"),
    "overdue bills": ("rows bill | where bill.due_date under 2026-11-22 and bill.paid_on is_missing"),
    "bills over 300 issued since May": (
        "rows bill | where bill.total_amount over 300 | in bill.issued_on 2026-05-01 to 2026-11-22 (since May)"
    ),
    "the five most expensive drugs": ("rows drug | descending drug.unit_price | limit 5"),
    "drugs below the minimum stock": ("rows drug | where drug.units_in_stock under drug.minimum_stock"),
    "which patients have more than 3 missed appointments?": (
        "count appointment | where appointment.status is missed | by patient.first_name, patient.last_name | "
        "keep appointment.id over 3 | descending measure"
    ),
    "prescriptions for Maria Lopez": (
        "rows prescription | where patient.first_name contains Maria and patient.last_name contains Lopez"
    ),
    "repeat prescriptions by drug": ("count prescription | where prescription.is_repeat is True | by drug.name"),
    "smokers by city": ("count patient | where patient.is_smoker is True | by patient.city"),
    "what is the total amount of bill B-2041?": (
        "rows bill | show bill.total_amount | where bill.bill_number is B-2041"
    ),
    "how many different drugs were prescribed last year?": (
        "count drug | with prescription in prescription.issued_on 2025-01-01 to 2025-12-31 (last year)"
    ),
    "longest appointments": ("rows appointment | descending appointment.length_minutes | limit 10"),
    "who is the doctor with the highest average fee?": (
        "average appointment | of appointment.fee | by doctor.first_name, doctor.last_name | descending "
        "measure | limit 1"
    ),
    "How many appointments were cancelled in March? // by doctor // and in April? // only dermatology": (
        "count appointment | where appointment.status is cancelled and doctor.specialty is dermatology | in "
        "appointment.scheduled_at 2026-04-01 to 2026-04-30 (April) | by doctor.first_name, doctor.last_name"
    ),
    "list unpaid bills // oldest first // top 3 // how many are there in total?": (
        "count bill | where bill.paid_on is_missing"
    ),
    "list the bills // who is dealing with them": ("rows bill | unread in charge"),
    "doctors who never prescribed a drug": ("rows doctor | without prescription"),
    "how many appointments since New Year": (
        "count appointment | in appointment.scheduled_at 2026-01-01 to 2026-11-22 (since New Year)"
    ),
    "appointments booked for tomorrow": (
        "rows appointment | in appointment.scheduled_at 2026-11-23 to 2026-11-23 (tomorrow)"
    ),
    "headcount by department": ("count doctor | by department.name"),
    "drugs below their minimum stock": ("rows drug | where drug.units_in_stock under drug.minimum_stock"),
    "the last appointment": (
        "rows appointment | where appointment.scheduled_at at_most 2026-11-22 | descending "
        "appointment.scheduled_at | limit 1"
    ),
    "bills due in March": ("rows bill | in bill.due_date 2027-03-01 to 2027-03-31 (March)"),
    "do we have any missed appointments? show me them": ("rows appointment | where appointment.status is missed"),
}
