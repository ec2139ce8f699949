"""A question of each form that takes more than one figure, group or date, and what is right, computed apart: SQL by
hand over the tables of the first company."""

from questions import Question


def _one(message: str, sql: str) -> Question:
    return Question((message,), sql)


_FAILED = "100.0 * SUM(status = 'failed') / COUNT(*)"
FORMS = (
    _one(
        "How many invoices and what total amount per status?",
        "SELECT status, COUNT(*), SUM(totalAmount) FROM invoice WHERE companyId = 1 GROUP BY status",
    ),
    _one(
        "What are the average and the highest score of inspections?",
        "SELECT AVG(score), MAX(score) FROM inspections WHERE companyId = 1",
    ),
    _one(
        "How many expenses were there last year and how much did they cost in total?",
        "SELECT COUNT(*), SUM(amount) FROM expense WHERE companyId = 1 AND spentOn LIKE '2025%'",
    ),
    _one(
        "How many estimates and how many invoices does each customer have in 2026?",
        """SELECT (SELECT COUNT(*) FROM estimate WHERE customerId = customer.id AND issuedOn >= '2026-01-01'),
        (SELECT COUNT(*) FROM invoice WHERE customerId = customer.id AND issuedOn >= '2026-01-01')
        FROM customer WHERE companyId = 1 ORDER BY customer.id LIMIT 100""",
    ),
    _one("What percentage of inspections failed?", f"SELECT {_FAILED} FROM inspections WHERE companyId = 1"),
    Question(
        ("What percentage of inspections failed?", "by month"),
        f"SELECT strftime('%Y-%m', inspectedOn), {_FAILED} FROM inspections WHERE companyId = 1 GROUP BY 1",
    ),
    _one(
        "What percent of work orders have no complaint?",
        """SELECT 100.0 * SUM(NOT EXISTS (SELECT 1 FROM complaint WHERE workOrderId = workOrder.id)) / COUNT(*)
        FROM workOrder WHERE companyId = 1""",
    ),
    _one(
        "How many work orders were requested this month versus last month?",
        """SELECT SUM(requestedOn >= '2026-03-01' AND requestedOn < '2026-04-01'),
        SUM(requestedOn >= '2026-02-01' AND requestedOn < '2026-03-01') FROM workOrder WHERE companyId = 1""",
    ),
    _one(
        "Compare the total amount of invoices in January and February 2026",
        """SELECT SUM(CASE WHEN issuedOn LIKE '2026-01%' THEN totalAmount END),
        SUM(CASE WHEN issuedOn LIKE '2026-02%' THEN totalAmount END) FROM invoice WHERE companyId = 1""",
    ),
    _one(
        "How many diesel vehicles compared to electric ones?",
        "SELECT SUM(fuel = 'diesel'), SUM(fuel = 'electric') FROM vehicle WHERE companyId = 1",
    ),
    _one(
        "On average, how many technicians are there per branch?",
        """SELECT AVG(number) FROM (SELECT COUNT(employee.id) AS number FROM branch
        LEFT JOIN employee ON employee.branchId = branch.id AND position = 'technician'
        WHERE branch.companyId = 1 GROUP BY branch.id)""",
    ),
    _one(
        "average number of inspections per month in 2025",
        """SELECT AVG(number) FROM (SELECT COUNT(*) AS number FROM inspections
        WHERE companyId = 1 AND inspectedOn LIKE '2025%' GROUP BY strftime('%Y-%m', inspectedOn))""",
    ),
    _one(
        "How long does it take on average to resolve a complaint?",
        "SELECT AVG(julianday(resolvedOn) - julianday(receivedOn)) FROM complaint WHERE companyId = 1",
    ),
    _one(
        "How many complaints took more than 10 days to resolve?",
        "SELECT COUNT(*) FROM complaint WHERE companyId = 1 AND julianday(resolvedOn) - julianday(receivedOn) > 10",
    ),
    _one(
        "Which vehicles have not been serviced since October 2025?",
        """SELECT plateNumber FROM vehicle WHERE companyId = 1 AND id NOT IN
        (SELECT vehicleId FROM vehicleService WHERE servicedOn >= '2025-10-01' AND servicedOn < '2026-03-05')""",
    ),
    _one(
        "vehicles whose fuel purchases exceed 1000 in total",
        """SELECT plateNumber FROM vehicle JOIN fuelPurchase ON vehicleId = vehicle.id WHERE vehicle.companyId = 1
        GROUP BY vehicle.id HAVING SUM(amount) > 1000""",
    ),
    _one(
        "How many work orders are neither completed nor cancelled?",
        "SELECT COUNT(*) FROM workOrder WHERE companyId = 1 AND status NOT IN ('completed', 'cancelled')",
    ),
    _one(
        "Which employees have both wiring and solar panels as skills?",
        """SELECT number FROM employee WHERE companyId = 1 AND 2 = (
        SELECT COUNT(DISTINCT skill.name) FROM employeeSkill JOIN skill
        ON skill.id = skillId WHERE employeeId = employee.id AND skill.name IN ('wiring', 'solar panels'))""",
    ),
    _one(
        "In which quarter of 2025 did we receive the most complaints?",
        """SELECT '2025-Q' || ((STRFTIME('%m', receivedOn) + 2) / 3), COUNT(*) FROM complaint
        WHERE companyId = 1 AND receivedOn LIKE '2025%' GROUP BY 1 ORDER BY 2 DESC LIMIT 1""",
    ),
    _one(
        "How many days does a purchase order take to arrive on average?",
        """SELECT AVG(JULIANDAY(receivedOn) - JULIANDAY(orderedOn)) FROM purchaseOrder
        WHERE companyId = 1 AND receivedOn IS NOT NULL""",
    ),
    _one(
        "compare the hours of January and February",
        """SELECT SUM(CASE WHEN workDate LIKE '2026-01%' THEN hours END),
        SUM(CASE WHEN workDate LIKE '2026-02%' THEN hours END) FROM workTime WHERE companyId = 1""",
    ),
    _one(
        "How many customers complained about damage?",
        """SELECT COUNT(DISTINCT customerId) FROM complaint JOIN complaintCategory AS kind
        ON kind.id = complaintCategoryId WHERE companyId = 1 AND kind.name = 'damage'""",
    ),
)
