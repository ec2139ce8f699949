"""Inspections by questionnaire, what they found, and other forms that are filled in on site."""

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

defect_category = lookup("defectCategory", "Kinds of faults.", text("name"))

inspection_template = table(
    "inspectionTemplate",
    "Questionnaires for inspections.",
    text("name"),
    link("assetCategoryId", "assetCategory", "What the questionnaire is made for.", optional=True),
    whole("version"),
    whole("passScore", "Least score with which an inspection is passed."),
    flag("isActive"),
)

inspection_section = table(
    "inspectionSection",
    "The parts of a questionnaire.",
    link("inspectionTemplateId", "inspectionTemplate"),
    text("title"),
    whole("position", "Order of the part, from 1."),
)

inspection_question = table(
    "inspectionQuestion",
    "The questions of a questionnaire.",
    link("inspectionSectionId", "inspectionSection"),
    text("questionText", size=200),
    choice("answerType", "yes_no number text"),
    whole("position", "Order of the question, from 1."),
    whole("weight", "How much the question counts."),
    flag("isRequired"),
    flag("isCritical", "Whether a failed answer alone fails the inspection."),
)

inspections = table(
    "inspections",
    "Inspections of equipment and sites that were planned or done.",
    link("inspectionTemplateId", "inspectionTemplate"),
    link("workOrderId", "workOrder", optional=True),
    link("customerLocationId", "customerLocation", "Where it takes place."),
    link("assetId", "asset", "What is inspected.", optional=True),
    link("inspectorId", "employee", "The employee who inspects."),
    link("reviewedBy", "user", "The user who checked the report.", optional=True),
    day("inspectedOn"),
    choice("status", "planned passed failed cancelled"),
    number("score", "Out of 100.", optional=True),
)

inspection_answer = table(
    "inspectionAnswer",
    "What was answered to each question of an inspection.",
    link("inspectionId", "inspections", key=True),
    link("inspectionQuestionId", "inspectionQuestion", key=True),
    text("answer", size=60),
    flag("isPassed"),
    audited=False,
)

inspection_photo = table(
    "inspectionPhoto",
    "Pictures taken at an inspection.",
    link("inspectionId", "inspections"),
    text("fileName"),
    moment("takenAt"),
)

defect = table(
    "defect",
    "Faults that an inspection found.",
    link("inspectionId", "inspections"),
    link("defectCategoryId", "defectCategory"),
    link("repairWorkOrderId", "workOrder", "The work order that mends it, if any.", optional=True),
    choice("severity", "minor major critical"),
    choice("status", "open in_repair resolved"),
    text("description", size=200),
    day("foundOn"),
    day("resolvedOn", optional=True),
)

form = table(
    "form",
    "Forms that are filled in on site.",
    text("name"),
    choice("purpose", "safety handover survey permit"),
    flag("isActive"),
)

form_field = table(
    "formField",
    "The fields of a form.",
    link("formId", "form"),
    text("label"),
    choice("fieldType", "text number checkbox date"),
    whole("position", "Order of the field, from 1."),
    flag("isRequired"),
)

form_submission = table(
    "formSubmission",
    "Forms that were filled in.",
    link("formId", "form"),
    link("workOrderId", "workOrder"),
    link("submittedBy", "employee", "The employee who filled it in."),
    moment("submittedAt"),
)

form_answer = table(
    "formAnswer",
    "What was filled into each field.",
    link("formSubmissionId", "formSubmission", key=True),
    link("formFieldId", "formField", key=True),
    text("value"),
    audited=False,
)
