"""Thirty questions, and independent SQL by hand over the tables of the first company. `SHOWN` decrypts. The answer's
rows must contain the columns of the SQL, in its order if it has one."""

from collections.abc import Mapping
from datetime import date

TODAY = date(2026, 3, 4)

# the last question of each chain is checked
QUESTIONS: Mapping[tuple[str, ...], str] = {
    ("How many technicians are active?",): (
        "SELECT COUNT(*) FROM employee WHERE companyId = 1 AND position = 'technician' AND status = 'active'"
    ),
    ("How many technicians are active?", "Show them by crew."): """
        SELECT crew.name, COUNT(*) FROM employee
        LEFT JOIN employeeCrew ON employeeCrew.employeeId = employee.id LEFT JOIN crew ON crew.id = employeeCrew.crewId
        WHERE employee.companyId = 1 AND employee.position = 'technician' AND employee.status = 'active'
        GROUP BY crew.id, crew.name""",
    ("How many work orders were completed last month?",): """
        SELECT COUNT(*) FROM workOrder
        WHERE companyId = 1 AND completedAt >= '2026-02-01' AND completedAt < '2026-03-01'""",
    ("How many work orders were completed last month?", "And the month before that?"): """
        SELECT COUNT(*) FROM workOrder
        WHERE companyId = 1 AND completedAt >= '2026-01-01' AND completedAt < '2026-02-01'""",
    ("Show the appointments that were missed last month.",): """
        SELECT startsAt FROM appointment
        WHERE companyId = 1 AND status = 'missed' AND startsAt >= '2026-02-01' AND startsAt < '2026-03-01'""",
    ("How many emergency work orders did each branch have this year?",): """
        SELECT branch.name, COUNT(*) FROM workOrder
        JOIN priority ON priority.id = workOrder.priorityId JOIN branch ON branch.id = workOrder.branchId
        WHERE workOrder.companyId = 1 AND priority.name = 'emergency' AND workOrder.requestedOn >= '2026-01-01'
        GROUP BY branch.id, branch.name""",
    ("Which five customers have the highest invoiced amount this year?",): """
        SELECT SHOWN(customer.name), SUM(invoice.totalAmount) FROM invoice
        JOIN customer ON customer.id = invoice.customerId
        WHERE invoice.companyId = 1 AND invoice.issuedOn >= '2026-01-01'
        GROUP BY customer.id, customer.name ORDER BY SUM(invoice.totalAmount) DESC LIMIT 5""",
    ("How much did we invoice in each month of this year?",): """
        SELECT SUBSTR(issuedOn, 1, 7), SUM(totalAmount) FROM invoice
        WHERE companyId = 1 AND issuedOn >= '2026-01-01' GROUP BY SUBSTR(issuedOn, 1, 7)""",
    ("Which invoices are overdue?",): "SELECT number FROM invoice WHERE companyId = 1 AND status = 'overdue'",
    ("What is the total amount of payments by payment method this year?",): """
        SELECT paymentMethod.name, SUM(payment.amount) FROM payment
        JOIN paymentMethod ON paymentMethod.id = payment.paymentMethodId
        WHERE payment.companyId = 1 AND payment.receivedOn >= '2026-01-01' GROUP BY paymentMethod.id""",
    ("What is the average rating that customers gave each crew?",): """
        SELECT crew.name, AVG(customerFeedback.rating) FROM customerFeedback
        JOIN workOrder ON workOrder.id = customerFeedback.workOrderId JOIN crew ON crew.id = workOrder.crewId
        WHERE customerFeedback.companyId = 1 GROUP BY crew.id""",
    ("How many hours were worked on site last month?",): """
        SELECT SUM(workTime.hours) FROM workTime JOIN workTimeType ON workTimeType.id = workTime.workTimeTypeId
        WHERE workTime.companyId = 1 AND workTimeType.name = 'on site'
        AND workTime.workDate BETWEEN '2026-02-01' AND '2026-02-28'""",
    ("Which ten employees had the most overtime hours last quarter?",): """
        SELECT SHOWN(employee.firstName), SHOWN(employee.lastName), SUM(workTime.overtimeHours) FROM workTime
        JOIN employee ON employee.id = workTime.employeeId
        WHERE workTime.companyId = 1 AND workTime.workDate BETWEEN '2025-10-01' AND '2025-12-31'
        GROUP BY employee.id, employee.firstName, employee.lastName
        ORDER BY SUM(workTime.overtimeHours) DESC LIMIT 10""",
    ("Which employee certificates expire this quarter?",): """
        SELECT certificateNumber FROM employeeCertification
        WHERE companyId = 1 AND expiresOn BETWEEN '2026-01-01' AND '2026-03-31'""",
    ("How many inspections failed in the last 90 days?",): """
        SELECT COUNT(*) FROM inspections
        WHERE companyId = 1 AND status = 'failed' AND inspectedOn BETWEEN '2025-12-04' AND '2026-03-03'""",
    ("How many inspections failed in the last 90 days?", "And how many passed?"): """
        SELECT COUNT(*) FROM inspections
        WHERE companyId = 1 AND status = 'passed' AND inspectedOn BETWEEN '2025-12-04' AND '2026-03-03'""",
    ("How many open defects are there by category?",): """
        SELECT defectCategory.name, COUNT(*) FROM defect
        JOIN defectCategory ON defectCategory.id = defect.defectCategoryId
        WHERE defect.companyId = 1 AND defect.status = 'open' GROUP BY defectCategory.id""",
    ("Which parts have a stock of less than 25 in the Leeds store?",): """
        SELECT inventoryItem.name FROM stockLevel
        JOIN inventoryItem ON inventoryItem.id = stockLevel.inventoryItemId
        JOIN warehouse ON warehouse.id = stockLevel.warehouseId
        WHERE stockLevel.companyId = 1 AND warehouse.name = 'Leeds store' AND stockLevel.quantity < 25""",
    ("How much did we order from each supplier this year?",): """
        SELECT supplier.name, SUM(purchaseOrder.totalAmount) FROM purchaseOrder
        JOIN supplier ON supplier.id = purchaseOrder.supplierId
        WHERE purchaseOrder.companyId = 1 AND purchaseOrder.orderedOn >= '2026-01-01' GROUP BY supplier.id""",
    ("Which contracts end next month?",): (
        "SELECT number FROM contract WHERE companyId = 1 AND endsOn BETWEEN '2026-04-01' AND '2026-04-30'"
    ),
    ("What is the highest monthly fee of an active full service contract?",): """
        SELECT MAX(contract.monthlyFee) FROM contract
        JOIN contractType ON contractType.id = contract.contractTypeId
        WHERE contract.companyId = 1 AND contract.status = 'active' AND contractType.name = 'full service'""",
    ("How much did we spend on fuel per vehicle last month?",): """
        SELECT vehicle.plateNumber, SUM(fuelPurchase.amount) FROM fuelPurchase
        JOIN vehicle ON vehicle.id = fuelPurchase.vehicleId
        WHERE fuelPurchase.companyId = 1 AND fuelPurchase.purchasedOn BETWEEN '2026-02-01' AND '2026-02-28'
        GROUP BY vehicle.id""",
    ("How many calibrations failed last year, by tool type?",): """
        SELECT toolType.name, COUNT(*) FROM calibration
        JOIN tool ON tool.id = calibration.toolId JOIN toolType ON toolType.id = tool.toolTypeId
        WHERE calibration.companyId = 1 AND calibration.result = 'failed'
        AND calibration.calibratedOn BETWEEN '2025-01-01' AND '2025-12-31' GROUP BY toolType.id""",
    ("How many customers have no contract?",): """
        SELECT COUNT(*) FROM customer
        WHERE companyId = 1 AND NOT EXISTS (SELECT 1 FROM contract WHERE contract.customerId = customer.id)""",
    ("List the active technicians who belong to no crew.",): """
        SELECT SHOWN(firstName), SHOWN(lastName) FROM employee
        WHERE companyId = 1 AND position = 'technician' AND status = 'active'
        AND NOT EXISTS (SELECT 1 FROM employeeCrew WHERE employeeCrew.employeeId = employee.id)""",
    ("How many leads came from each source this year?",): """
        SELECT leadSource.name, COUNT(*) FROM `lead` AS found
        JOIN leadSource ON leadSource.id = found.leadSourceId
        WHERE found.companyId = 1 AND found.receivedOn >= '2026-01-01' GROUP BY leadSource.id""",
    ("Which training courses take place next month?",): """
        SELECT trainingCourse.name, trainingSession.startsOn FROM trainingSession
        JOIN trainingCourse ON trainingCourse.id = trainingSession.trainingCourseId
        WHERE trainingSession.companyId = 1 AND trainingSession.status <> 'cancelled'
        AND trainingSession.startsOn BETWEEN '2026-04-01' AND '2026-04-30'""",
    ("How many assets are there in each asset category?",): """
        SELECT assetCategory.name, COUNT(*) FROM asset
        JOIN assetModel ON assetModel.id = asset.assetModelId
        JOIN assetCategory ON assetCategory.id = assetModel.assetCategoryId
        WHERE asset.companyId = 1 GROUP BY assetCategory.id""",
    ("How much did employees spend on hotels last quarter?",): """
        SELECT SUM(expense.amount) FROM expense
        JOIN expenseCategory ON expenseCategory.id = expense.expenseCategoryId
        WHERE expense.companyId = 1 AND expenseCategory.name = 'hotel'
        AND expense.spentOn BETWEEN '2025-10-01' AND '2025-12-31'""",
    ("How many complaints are open, by category?",): """
        SELECT complaintCategory.name, COUNT(*) FROM complaint
        JOIN complaintCategory ON complaintCategory.id = complaint.complaintCategoryId
        WHERE complaint.companyId = 1 AND complaint.status = 'open' GROUP BY complaintCategory.id""",
}
