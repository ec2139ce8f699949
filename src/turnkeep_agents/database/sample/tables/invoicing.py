"""Estimates, invoices, payments, and what employees spend."""

from turnkeep_agents.database.sample.tables.columns import (
    choice,
    day,
    flag,
    link,
    lookup,
    money,
    number,
    table,
    text,
    unique,
    whole,
)

payment_term = lookup("paymentTerm", "Until when invoices are to be paid.", text("name"), whole("days"))
payment_method = lookup("paymentMethod", "Ways to pay.", text("name"))
tax_rate = lookup("taxRate", "Taxes on sales.", text("name"), number("percent"))
expense_category = lookup("expenseCategory", "Kinds of what employees spend.", text("name"))

estimate = table(
    "estimate",
    "Offers: what work would cost.",
    unique("number"),
    link("customerId", "customer"),
    link("customerLocationId", "customerLocation", optional=True),
    link("preparedBy", "employee", "The employee who worked it out."),
    link("workOrderId", "workOrder", "The work order that came of it, if any.", optional=True),
    choice("status", "sent accepted rejected expired"),
    day("issuedOn"),
    day("validUntil"),
    money("totalAmount", "Without tax."),
)

estimate_line = table(
    "estimateLine",
    "The lines of an offer.",
    link("estimateId", "estimate", key=True),
    whole("lineNumber", key=True),
    link("serviceId", "service", optional=True),
    text("description"),
    number("quantity"),
    money("unitPrice"),
    money("lineTotal"),
)

invoice = table(
    "invoice",
    "Bills to customers.",
    unique("number"),
    link("customerId", "customer", "Who has to pay."),
    link("workOrderId", "workOrder", "The work that is billed, if it is not a contract's fee.", optional=True),
    link("contractId", "contract", "The contract whose fee is billed.", optional=True),
    link("taxRateId", "taxRate"),
    link("approvedBy", "user", "The user who released the bill.", optional=True),
    choice("status", "sent partly_paid paid overdue void"),
    day("issuedOn"),
    day("dueOn", "Last day to pay."),
    day("paidOn", "When the last of it was paid.", optional=True),
    money("netAmount", "Without tax."),
    money("taxAmount"),
    money("totalAmount", "With tax."),
    money("paidAmount", "What was paid so far."),
)

invoice_line = table(
    "invoiceLine",
    "The lines of a bill.",
    link("invoiceId", "invoice", key=True),
    whole("lineNumber", key=True),
    link("inventoryItemId", "inventoryItem", optional=True),
    choice("lineType", "labour material travel fee"),
    text("description"),
    number("quantity"),
    money("unitPrice"),
    money("lineTotal"),
    audited=False,
)

payment = table(
    "payment",
    "Money that came in for a bill.",
    link("invoiceId", "invoice"),
    link("paymentMethodId", "paymentMethod"),
    day("receivedOn"),
    money("amount"),
    text("reference", size=60),
)

credit_note = table(
    "creditNote",
    "Amounts that customers get back.",
    unique("number"),
    link("invoiceId", "invoice"),
    day("issuedOn"),
    money("amount"),
    choice("reason", "complaint error goodwill"),
)

payment_reminder = table(
    "paymentReminder",
    "Reminders of bills that were not paid in time.",
    link("invoiceId", "invoice"),
    whole("level", "1 is the first reminder."),
    day("sentOn"),
    money("fee"),
)

expense = table(
    "expense",
    "What employees spent for the company and get back.",
    link("employeeId", "employee", "Who spent it."),
    link("expenseCategoryId", "expenseCategory"),
    link("workOrderId", "workOrder", optional=True),
    link("approvedBy", "user", "The user who decided.", optional=True),
    day("spentOn"),
    money("amount"),
    choice("status", "submitted approved rejected reimbursed"),
    text("description"),
)

cost_center = table(
    "costCenter", "Where costs are booked.", text("name"), text("code", size=20), link("departmentId", "department")
)

budget = table(
    "budget",
    "What a cost center may spend in a month.",
    link("costCenterId", "costCenter", key=True),
    whole("year", key=True),
    whole("month", key=True),
    money("plannedAmount"),
)

commission = table(
    "commission",
    "Shares of the revenue that sales people get.",
    link("employeeId", "employee"),
    link("contractId", "contract"),
    day("earnedOn"),
    money("amount"),
    flag("isPaid"),
)
