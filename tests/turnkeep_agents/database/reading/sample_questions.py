"""Questions about the sample database in many wordings; slashes part the lines of a conversation."""

READ: dict[str, str] = {
    "How many technicians are active?": (
        "count employee | where employee.position is technician and employee.status is active"
    ),
    "How many work orders do we have?": ("count workOrder"),
    "List all customers in Leeds": ("rows customer | where customer.billingCity is Leeds"),
    "How many work orders were completed last month?": (
        "count workOrder | in workOrder.completedAt 2026-10-01 to 2026-10-31 (last month)"
    ),
    "Show me work orders by status": ("count workOrder | by workOrder.status"),
    "Which crew has the most work orders?": ("count workOrder | by crew.name | descending measure | limit 1"),
    "Which customers have more than five work orders?": (
        "count workOrder | by customer.name | keep workOrder.id over 5 | descending measure"
    ),
    "How many customers have more than 5 open complaints?": (
        "count customer | with over 5 complaint where complaint.status is open"
    ),
    "Top 5 customers by revenue": (
        "sum invoice | of invoice.netAmount | by customer.name | descending measure | limit 5"
    ),
    "What is the average hourly rate of technicians?": (
        "average employee | of employee.hourlyRate | where employee.position is technician"
    ),
    "Total invoiced last quarter": (
        "sum invoice | of invoice.totalAmount | in invoice.issuedOn 2026-07-01 to 2026-09-30 (last quarter)"
    ),
    "Total amount of unpaid invoices": ("sum invoice | of invoice.totalAmount | where invoice.status is_not paid"),
    "Which customers have no email?": ("rows customer | where customer.email is_missing"),
    "List employees without a supervisor": ("rows employee | where employee.supervisorId is_missing"),
    "Customers without work orders this year": (
        "rows customer | without workOrder in workOrder.requestedOn 2026-01-01 to 2026-12-31 (this year)"
    ),
    "Which employees have never had a performance review?": ("rows employee | without performanceReview"),
    "Who are the crew leads?": ("rows employee | with employeeCrew where employeeCrew.isLead is True"),
    "names and phone numbers of customers in York": (
        "rows customer | show customer.name, customer.phone | where customer.billingCity is York"
    ),
    "Show the status of work order 1042": ("rows workOrder | show workOrder.status | where workOrder.id is 1042"),
    "What is the total of invoice INV-2031?": (
        "sum invoice | of invoice.totalAmount | where invoice.number is INV-2031"
    ),
    "Work orders for Harbour Foods": ("rows workOrder | where customer.name contains Harbour Foods"),
    "work orders assigned to Maria Lopez": (
        "rows workOrder | where employee.firstName@assignedTo contains Maria and "
        "employee.lastName@assignedTo contains Lopez"
    ),
    "Which technician logged the most hours last week?": (
        "sum workTime | of workTime.hours | where employee.position is technician | in workTime.workDate "
        "2026-11-09 to 2026-11-15 (last week) | by employee.firstName, employee.lastName | descending "
        "measure | limit 1"
    ),
    "hours worked by crew last month": (
        "sum workTime | of workTime.hours | in workTime.workDate 2026-10-01 to 2026-10-31 (last month) | by crew.name"
    ),
    "How many hours did crew Alpha work in October?": (
        "sum workTime | of workTime.hours | where crew.name contains Alpha | in workTime.workDate 2026-10-01 "
        "to 2026-10-31 (October)"
    ),
    "average score of inspections by inspector": (
        "average inspections | of inspections.score | by employee.firstName, employee.lastName"
    ),
    "inspections that failed since March": (
        "rows inspections | where inspections.status is failed | in inspections.inspectedOn 2026-03-01 to "
        "2026-11-22 (since March)"
    ),
    "failed inspections per month in 2026": (
        "count inspections | where inspections.status is failed | in inspections.inspectedOn 2026-01-01 to "
        "2026-12-31 (2026) | per month of inspections.inspectedOn"
    ),
    "Which parts are below their reorder level?": (
        "rows inventoryItem | with stockLevel where stockLevel.quantity under inventoryItem.reorderLevel"
    ),
    "stock levels below the minimum": ("rows stockLevel | where stockLevel.quantity under stockLevel.minimumQuantity"),
    "overdue invoices": ("rows invoice | where invoice.status is overdue"),
    "invoices over 5000": ("rows invoice | where invoice.totalAmount over 5000"),
    "Invoices between 1000 and 2000 euros issued in 2025": (
        "rows invoice | where invoice.totalAmount between 1000, 2000 | in invoice.issuedOn 2025-01-01 to "
        "2025-12-31 (2025)"
    ),
    "newest 10 work orders": ("rows workOrder | descending workOrder.requestedOn | limit 10"),
    "oldest unpaid invoice": ("rows invoice | where invoice.status is_not paid | ascending invoice.issuedOn | limit 1"),
    "the cheapest parts": ("rows inventoryItem | ascending inventoryItem.costPrice | limit 10"),
    "How many different cities do our customers live in?": ("count customer | of customer.billingCity | distinct"),
    "How many work orders were created by each user?": (
        "count workOrder | by user.firstName@createdBy, user.lastName@createdBy"
    ),
    "work orders created by Tom Baker": (
        "rows workOrder | where user.firstName@createdBy contains Tom and user.lastName@createdBy contains Baker"
    ),
    "Which vehicles are in repair?": ("rows vehicle | where vehicle.status is in_repair"),
    "How many vehicles are not available?": ("count vehicle | where vehicle.status is_not available"),
    "number of employees per branch": ("count employee | by branch.name@branchId"),
    "how many employees per department and position": (
        "count employee | by department.name@departmentId, employee.position"
    ),
    "monthly revenue this year": (
        "sum invoice | of invoice.netAmount | in invoice.issuedOn 2026-01-01 to 2026-12-31 (this year) | per "
        "month of invoice.issuedOn"
    ),
    "What is the capital of France?": ("nothing"),
    "How many widgets were sold?": ("nothing"),
    "average days of absence per employee": (
        "average employeeAbsence | of employeeAbsence.days | by employee.firstName, employee.lastName"
    ),
    "who was absent last week?": (
        "rows employee | with employeeAbsence in employeeAbsence.startsOn 2026-11-09 to 2026-11-15 (last week)"
    ),
    "contracts that expire next month": ("rows contract | in contract.endsOn 2026-12-01 to 2026-12-31 (next month)"),
    "employees hired since 2024": ("rows employee | in employee.hiredOn 2024-01-01 to 2026-11-22 (since 2024)"),
    "Is there any open complaint from last week?": (
        "count complaint | where complaint.status is open | in complaint.receivedOn 2026-11-09 to 2026-11-15 "
        "(last week)"
    ),
    "list unpaid invoices with customer name sorted by due date": (
        "rows invoice | show customer.name | where invoice.status is_not paid | ascending invoice.dueOn"
    ),
    "Which suppliers have a rating of at least 4?": ("rows supplier | where supplier.rating at_least 4"),
    "how many work orders are on hold or in progress": (
        "count workOrder | where workOrder.status is on_hold, in_progress"
    ),
    "work orders that are not completed": ("rows workOrder | where workOrder.status is_not completed"),
    "open complaints by category": ("count complaint | where complaint.status is open | by complaintCategory.name"),
    "how much did we spend on fuel last month?": (
        "sum fuelPurchase | of fuelPurchase.amount | in fuelPurchase.purchasedOn 2026-10-01 to 2026-10-31 (last month)"
    ),
    "customers in the north region": ("rows customer | where region.name is North"),
    "list technicians and their phone numbers": (
        "rows employee | show employee.phone | where employee.position is technician"
    ),
    "How many open work orders are there?": ("count workOrder | where workOrder.status is_not cancelled, completed"),
    "How many work orders did we have last year? // the same for customers in Leeds": (
        "count workOrder | where customer.billingCity is Leeds | in workOrder.requestedOn 2025-01-01 to "
        "2025-12-31 (last year)"
    ),
    "show work orders for Harbour Foods // how many invoices do they have?": (
        "count invoice | where customer.name contains Harbour Foods"
    ),
    "average score of inspections // by inspector // highest first": (
        "average inspections | of inspections.score | by employee.firstName, employee.lastName | descending measure"
    ),
    "and their phone numbers?": ("nothing"),
    "what about plumbers?": ("nothing"),
    "only the active ones": ("nothing"),
    "who is on leave?": ("rows employee | where employee.status is on_leave"),
    "which employees work in the Leeds branch?": ("rows employee | where branch.name@branchId is Leeds"),
    "employees with expired certifications": (
        "rows employee | with employeeCertification where employeeCertification.status is expired"
    ),
    "how many employees have an expired certification?": (
        "count employee | with employeeCertification where employeeCertification.status is expired"
    ),
    "What is the phone number of customer Harbour Foods?": (
        "rows customer | show customer.phone | where customer.name contains Harbour Foods"
    ),
    "what's the total value of purchase orders by supplier?": (
        "sum purchaseOrder | of purchaseOrder.totalAmount | by supplier.name"
    ),
    "Which supplier do we spend the most with?": (
        "sum purchaseOrder | of purchaseOrder.totalAmount | by supplier.name | descending measure | limit 1"
    ),
    "most expensive parts": ("rows inventoryItem | descending inventoryItem.costPrice | limit 10"),
    "top 3 suppliers by number of purchase orders": (
        "count purchaseOrder | by supplier.name | descending measure | limit 3"
    ),
    "how many hours of overtime did employees work in September 2026?": (
        "sum workTime | of workTime.overtimeHours | in workTime.workDate 2026-09-01 to 2026-09-30 (September 2026)"
    ),
    "overtime hours per employee this year, highest first": (
        "sum workTime | of workTime.overtimeHours | in workTime.workDate 2026-01-01 to 2026-12-31 (this "
        "year) | by employee.firstName, employee.lastName | descending measure"
    ),
    "average customer rating per month": (
        "average customerFeedback | of customerFeedback.rating | per month of customerFeedback.receivedOn"
    ),
    "what is our average feedback rating?": ("average customerFeedback | of customerFeedback.rating"),
    "complaints that are still unresolved": ("rows complaint | where complaint.status is open"),
    "complaints received in the last 30 days": (
        "rows complaint | in complaint.receivedOn 2026-10-23 to 2026-11-22 (last 30 days)"
    ),
    "how many complaints were resolved this quarter?": (
        "count complaint | in complaint.resolvedOn 2026-10-01 to 2026-12-31 (this quarter)"
    ),
    "Vehicles with more than 100000 km": ("rows vehicle | where vehicle.odometer over 100000"),
    "vehicles whose odometer is over 100,000": ("rows vehicle | where vehicle.odometer over 100000"),
    "how many diesel vehicles are there per branch?": ("count vehicle | where vehicle.fuel is diesel | by branch.name"),
    "which vehicles were serviced last month?": (
        "rows vehicle | with vehicleService in vehicleService.servicedOn 2026-10-01 to 2026-10-31 (last month)"
    ),
    "cost of vehicle services by vehicle": ("sum vehicleService | of vehicleService.cost | by vehicle.plateNumber"),
    "how much did vehicle services cost in 2026": (
        "sum vehicleService | of vehicleService.cost | in vehicleService.servicedOn 2026-01-01 to 2026-12-31 (2026)"
    ),
    "leads won this year": (
        "rows lead | where lead.status is won | in lead.closedOn 2026-01-01 to 2026-12-31 (this year)"
    ),
    "estimated value of open leads by source": (
        "sum lead | of lead.estimatedValue | where lead.status is_not lost, won | by leadSource.name"
    ),
    "how many leads did we win?": ("count lead | where lead.status is won"),
    "list contracts expiring in the next 60 days": (
        "rows contract | in contract.endsOn 2026-11-22 to 2027-01-21 (next 60 days)"
    ),
    "active contracts with a monthly fee above 500": (
        "rows contract | where contract.monthlyFee over 500 and contract.status is active"
    ),
    "contracts by type": ("count contract | by contractType.name"),
    "total monthly fees of active contracts": (
        "sum contract | of contract.monthlyFee | where contract.status is active"
    ),
    "Which assets are under warranty?": ("rows asset | with warranty"),
    "assets by manufacturer": ("count asset | by manufacturer.name"),
    "assets installed before 2020": ("rows asset | in asset.installedOn 1900-01-01 to 2019-12-31 (before 2020)"),
    "tools in repair": ("rows tool | where tool.status is in_repair"),
    "failed calibrations": ("rows calibration | where calibration.result is failed"),
    "how many work orders are assigned to each technician?": (
        "count workOrder | by employee.firstName@assignedTo, employee.lastName@assignedTo"
    ),
    "work orders per priority and status": ("count workOrder | by priority.name, workOrder.status"),
    "cancelled work orders by reason": (
        "count workOrder | where workOrder.status is cancelled | by cancellationReason.name"
    ),
    "which cancellation reason is the most common?": (
        "count workOrder | by cancellationReason.name | descending measure | limit 1"
    ),
    "work orders scheduled for next week": (
        "rows workOrder | in workOrder.scheduledStart 2026-11-23 to 2026-11-29 (next week)"
    ),
    "work orders scheduled for tomorrow": (
        "rows workOrder | in workOrder.scheduledStart 2026-11-23 to 2026-11-23 (tomorrow)"
    ),
    "work orders approved by Tom Baker": (
        "rows workOrder | where user.firstName contains Tom and user.lastName contains Baker"
    ),
    "jobs without a crew": ("rows workOrder | where workOrder.crewId is_missing"),
    "unassigned work orders": ("rows workOrder | where workOrder.assignedTo is_missing"),
    "billable work orders": ("rows workOrder | where workOrder.isBillable is True"),
    "how many crews are active?": ("count crew | where crew.status is active"),
    "crew members per crew": ("count employeeCrew | by crew.name"),
    "who leads crew Alpha?": (
        "rows employee | with employeeCrew where employeeCrew.isLead is True and crew.name contains Alpha"
    ),
    "show all crew leads with their crews": (
        "rows employee | show crew.name | with employeeCrew where employeeCrew.isLead is True"
    ),
    "How many employees are in each crew?": ("count employee | by crew.name"),
    "average crew size": ("average crew | of crew.capacity"),
    "stock of each warehouse": ("sum stockLevel | of stockLevel.quantity | by warehouse.name"),
    "how many parts do we have in stock?": ("count inventoryItem | with stockLevel"),
    "total stock quantity by warehouse": ("sum stockLevel | of stockLevel.quantity | by warehouse.name"),
    "purchase orders not yet received": ("rows purchaseOrder | where purchaseOrder.status is_not received"),
    "late purchase orders": (
        "rows purchaseOrder | where purchaseOrder.expectedOn under 2026-11-22 and purchaseOrder.receivedOn is_missing"
    ),
    "orders delivered in October": ("rows order | in order.deliveredOn 2026-10-01 to 2026-10-31 (October)"),
    "payments received last week by payment method": (
        "count payment | in payment.receivedOn 2026-11-09 to 2026-11-15 (last week) | by paymentMethod.name"
    ),
    "credit notes by reason": ("count creditNote | by creditNote.reason"),
    "how many estimates were accepted last quarter?": (
        "count estimate | where estimate.status is accepted | in estimate.issuedOn 2026-07-01 to 2026-09-30 "
        "(last quarter)"
    ),
    "expenses over 200 submitted by technicians": (
        "rows expense | where expense.amount over 200 and employee.position is technician"
    ),
    "expenses by category this year": (
        "sum expense | of expense.amount | in expense.spentOn 2026-01-01 to 2026-12-31 (this year)"
        " | by expenseCategory.name"
    ),
    "how many training sessions are planned?": ("count trainingSession | where trainingSession.status is planned"),
    "who attended training last month?": (
        "rows employee | with trainingAttendance in trainingSession.startsOn 2026-10-01 to 2026-10-31 (last month)"
    ),
    "employees who have not attended any training": ("rows employee | without trainingAttendance"),
    "safety incidents by severity": ("count safetyIncident | by safetyIncident.severity"),
    "serious safety incidents this year": (
        "rows safetyIncident | where safetyIncident.severity is serious | in safetyIncident.occurredAt "
        "2026-01-01 to 2026-12-31 (this year)"
    ),
    "how many near misses did we have?": ("count safetyIncident | where safetyIncident.severity is near_miss"),
    "appointments missed last week": (
        "rows appointment | where appointment.status is missed | in appointment.startsAt 2026-11-09 to "
        "2026-11-15 (last week)"
    ),
    "average delay of appointments": ("average appointment | of appointment.delayMinutes"),
    "service requests by channel": ("count serviceRequest | by serviceRequest.channel"),
    "oldest open service request": (
        "rows serviceRequest | where serviceRequest.status is open | ascending serviceRequest.receivedAt | limit 1"
    ),
    "unread notifications": ("rows notification | where notification.isRead is False"),
    "How many employees were hired per year?": ("count employee | per year of employee.hiredOn"),
    "employees who left in 2025": ("rows employee | in employee.terminatedOn 2025-01-01 to 2025-12-31 (2025)"),
    "How many employees does each department have?": ("count employee | by department.name@departmentId"),
    "Give me a breakdown of invoices by status": ("count invoice | by invoice.status"),
    "What was our turnover in 2025?": (
        "sum invoice | of invoice.netAmount | in invoice.issuedOn 2025-01-01 to 2025-12-31 (2025)"
    ),
    "Which branch has the fewest employees?": (
        "count employee | by branch.name@branchId | ascending measure | limit 1"
    ),
    "Who worked the most overtime last month?": (
        "sum workTime | of workTime.overtimeHours | in workTime.workDate 2026-10-01 to 2026-10-31 (last "
        "month) | by employee.firstName, employee.lastName | descending measure | limit 1"
    ),
    "Which customers spent the most last year?": (
        "sum invoice | of invoice.totalAmount | in invoice.issuedOn 2025-01-01 to 2025-12-31 (last year) | "
        "by customer.name | descending measure | limit 10"
    ),
    "Show the three largest unpaid invoices": (
        "rows invoice | where invoice.status is_not paid | descending invoice.totalAmount | limit 3"
    ),
    "Show me all customers that joined this year": (
        "rows customer | in customer.customerSince 2026-01-01 to 2026-12-31 (this year)"
    ),
    "When does contract C-1004 end?": ("rows contract | show contract.endsOn | where contract.number is C-1004"),
    "Are there any overdue invoices?": ("count invoice | where invoice.status is overdue"),
    "Did any inspection fail yesterday?": (
        "count inspections | where inspections.status is failed | in inspections.inspectedOn 2026-11-21 to "
        "2026-11-21 (yesterday)"
    ),
    "List all electrical crews": ("rows crew | where crew.trade is electrical"),
    "Which plumbing crews are on standby?": ("rows crew | where crew.trade is plumbing and crew.status is standby"),
    "What is the email of Maria Lopez?": (
        "rows employee | show employee.email | where employee.firstName contains Maria and employee.lastName "
        "contains Lopez"
    ),
    "employees in Leeds hired after 2020": (
        "rows employee | where employee.city is Leeds | in employee.hiredOn 2021-01-01 to 2199-12-31 (after 2020)"
    ),
    "number of customers per region and segment": ("count customer | by region.name, customer.segment"),
    "count of vehicles by fuel type": ("count vehicle | by vehicle.fuel"),
    "average hourly rate by position": ("average employee | of employee.hourlyRate | by employee.position"),
    "highest paid employees": ("rows employee | descending employee.hourlyRate | limit 10"),
    "lowest stock levels": ("rows stockLevel | ascending stockLevel.quantity | limit 10"),
    "technicians with an hourly rate above 30": (
        "rows employee | where employee.hourlyRate over 30 and employee.position is technician"
    ),
    "work orders from last week that are still open": (
        "rows workOrder | where workOrder.status is_not cancelled, completed | in workOrder.requestedOn "
        "2026-11-09 to 2026-11-15 (last week)"
    ),
    "how many emergency jobs were requested yesterday?": (
        "count workOrder | where priority.name is emergency | in workOrder.requestedOn 2026-11-21 to "
        "2026-11-21 (yesterday)"
    ),
    "jobs completed yesterday by crew": (
        "count workOrder | in workOrder.completedAt 2026-11-21 to 2026-11-21 (yesterday) | by crew.name"
    ),
    "how many work orders per month since January?": (
        "count workOrder | in workOrder.requestedOn 2026-01-01 to 2026-11-22 (since January) | per month of "
        "workOrder.requestedOn"
    ),
    "Which invoices were issued between 1 and 15 October?": (
        "rows invoice | in invoice.issuedOn 2026-10-01 to 2026-10-15 (between 1 and 15 October)"
    ),
    "invoices due this week": ("rows invoice | in invoice.dueOn 2026-11-16 to 2026-11-22 (this week)"),
    "invoices due before Friday": ("rows invoice | in invoice.dueOn 1900-01-01 to 2026-11-19 (before Friday)"),
    "work orders without an assigned technician": ("rows workOrder | where workOrder.assignedTo is_missing"),
    "customers who have never had an inspection": ("rows customer | without inspections"),
    "customers with at least 3 locations": (
        "count customerLocation | by customer.name | keep customerLocation.id at_least 3 | descending measure"
    ),
    "parts from supplier Voltex": ("rows inventoryItem | where supplier.name contains Voltex"),
    "which parts cost more than 50 euros?": ("rows inventoryItem | where inventoryItem.costPrice over 50"),
    "parts with a list price between 10 and 20": ("rows inventoryItem | where inventoryItem.listPrice between 10, 20"),
    "who approved work order WO-1042?": ("rows user | with workOrder by approvedBy where workOrder.number is WO-1042"),
    "tasks of work order 1042": ("rows workOrderTask | where workOrder.id is 1042"),
    "how many photos were taken this week?": ("count photo | in photo.takenAt 2026-11-16 to 2026-11-22 (this week)"),
    "customers in retail": ("rows customer | where industry.name is retail"),
    "customers by industry": ("count customer | by industry.name"),
    "leads by status and source": ("count lead | by lead.status, leadSource.name"),
    "how many leads were lost last quarter": (
        "count lead | where lead.status is lost | in lead.closedOn 2026-07-01 to 2026-09-30 (last quarter)"
    ),
    "full-time employees": ("rows employee | where employee.employmentType is full_time"),
    "part time technicians": (
        "rows employee | where employee.employmentType is part_time and employee.position is technician"
    ),
    "apprentices by branch": ("count employee | where employee.position is apprentice | by branch.name@branchId"),
    "employees whose certification expires next month": (
        "rows employee | show certification.name | with employeeCertification in "
        "employeeCertification.expiresOn 2026-12-01 to 2026-12-31 (next month)"
    ),
    "vehicles by branch and status": ("count vehicle | by branch.name, vehicle.status"),
    "fuel costs by month": ("sum fuelPurchase | of fuelPurchase.amount | per month of fuelPurchase.purchasedOn"),
    "average fuel cost per vehicle": ("average fuelPurchase | of fuelPurchase.amount | by vehicle.plateNumber"),
    "total kilometers driven last month": (
        "sum trip | of trip.kilometers | in trip.startedAt 2026-10-01 to 2026-10-31 (last month) | unread driven"
    ),
    "speeding fines this year": (
        "rows trafficFine | where trafficFine.offence is speeding | in trafficFine.issuedOn 2026-01-01 to "
        "2026-12-31 (this year)"
    ),
    "unpaid fines": ("rows trafficFine | where trafficFine.status is_not paid"),
    "how many estimates are pending?": ("count estimate | where estimate.status is_not accepted, expired, rejected"),
    "payments over 1,000 received in September": (
        "rows payment | where payment.amount over 1000 | in payment.receivedOn 2026-09-01 to 2026-09-30 (September)"
    ),
    "outstanding invoices by customer": ("count invoice | where invoice.status is_not paid, void | by customer.name"),
    "revenue by region last year": (
        "sum invoice | of invoice.netAmount | in invoice.issuedOn 2025-01-01 to 2025-12-31 (last year) | by region.name"
    ),
    "revenue per quarter": ("sum invoice | of invoice.netAmount | per quarter of invoice.issuedOn"),
    "Which customers haven't ordered anything this year?": (
        "rows customer | without workOrder in workOrder.requestedOn 2026-01-01 to 2026-12-31 (this year)"
    ),
    "most common defect category": ("count defect | by defectCategory.name | descending measure | limit 1"),
    "How many technicians are active? // and last month? // show them by crew": (
        "count employee | where employee.position is technician | in "
        "employee.hiredOn 2026-10-01 to 2026-10-31 (last month) until employee.terminatedOn | by crew.name"
    ),
    "How many work orders are open? // and last month? // by region": (
        "count workOrder | where workOrder.status is_not cancelled, completed | in workOrder.requestedOn "
        "2026-10-01 to 2026-10-31 (last month) | by region.name"
    ),
    "list customers in Leeds // and their phone numbers? // how many are there?": (
        "count customer | where customer.billingCity is Leeds"
    ),
    "How many work orders were completed last month? // and the month before? // per crew // top 5": (
        "count workOrder | in workOrder.completedAt 2026-09-01 to 2026-09-30 (1 September 2026 to 30 "
        "September 2026) | by crew.name | descending measure | limit 5"
    ),
    "list active employees // only technicians // sort by hire date // with their crew": (
        "rows employee | show employee.firstName, employee.lastName, crew.name | where employee.status is "
        "active and employee.position is technician | ascending employee.hiredOn"
    ),
    "How many technicians are active? // what about dispatchers? // who are they?": (
        "rows employee | where employee.status is active and employee.position is dispatcher"
    ),
    "total invoiced last quarter // by customer // and the average? // per month": (
        "average invoice | of invoice.totalAmount | in invoice.issuedOn 2026-07-01 to 2026-09-30 (last "
        "quarter) | per month of invoice.issuedOn"
    ),
    "list work orders // without the cancelled ones // only from last week // more": (
        "rows workOrder | where workOrder.status is_not cancelled | in workOrder.requestedOn 2026-11-09 to "
        "2026-11-15 (last week) | page 1"
    ),
    "how many unpaid invoices are there? // and paid ones? // list them": (
        "rows invoice | where invoice.status is paid"
    ),
    "Work orders by status // no, by priority": ("count workOrder | by priority.name"),
    "show work orders for Harbour Foods // and for Acme Ltd // how many invoices do they have?": (
        "count invoice | where customer.name contains Acme Ltd"
    ),
    "how many employees are there // by position // also by branch": (
        "count employee | by employee.position, branch.name@branchId"
    ),
    "average score of inspections // by inspector // highest first // only for last year": (
        "average inspections | of inspections.score | in inspections.inspectedOn 2025-01-01 to 2025-12-31 "
        "(last year) | by employee.firstName, employee.lastName | descending measure"
    ),
    "how many invoices last month? // and how many estimates?": (
        "count estimate | in estimate.issuedOn 2026-10-01 to 2026-10-31 (last month)"
    ),
    "employees // which of them have no email?": ("rows employee | where employee.email is_missing"),
    "list vehicles // only diesel // newest first // and the mileage?": (
        "rows vehicle | show vehicle.plateNumber, vehicle.odometer | where vehicle.fuel is diesel | "
        "descending vehicle.purchasedOn"
    ),
    "How many work orders are on hold? // and in progress? // list them // just the ones in York": (
        "rows workOrder | where workOrder.status is in_progress and customer.billingCity is York"
    ),
    "How many invoices were issued in May? // and in June? // by customer // top 10": (
        "count invoice | in invoice.issuedOn 2026-06-01 to 2026-06-30 (June) | by customer.name | descending "
        "measure | limit 10"
    ),
    "List the technicians // who are on leave // and their emails": (
        "rows employee | show employee.firstName, employee.lastName, employee.email | where "
        "employee.position is technician and employee.status is on_leave"
    ),
    "How many customers do we have? // only business ones // in which regions? // by region": (
        "count customer | where customer.segment is business | by region.name"
    ),
    "show me open complaints // newest first // how many?": ("count complaint | where complaint.status is open"),
    "What is the total of unpaid invoices? // per customer // only those over 1000": (
        "sum invoice | of invoice.totalAmount | where invoice.status is_not paid | by customer.name | keep "
        "invoice.totalAmount over 1000"
    ),
    "show crews // with their branch // only active ones // sorted by name": (
        "rows crew | show crew.name, branch.name | where crew.status is active | ascending crew.name"
    ),
    "Total overtime last month // by employee // top 3 // and this month?": (
        "sum workTime | of workTime.overtimeHours | in workTime.workDate 2026-11-01 to 2026-11-30 (this "
        "month) | by employee.firstName, employee.lastName | descending measure | limit 3"
    ),
    "list inspections from last week // failed only // by inspector": (
        "rows inspections | show inspections.id, employee.firstName, employee.lastName | where "
        "inspections.status is failed | in inspections.inspectedOn 2026-11-09 to 2026-11-15 (last week) | "
        "ascending employee.firstName"
    ),
    "How many vehicles are there? // without the sold ones // by fuel // also by branch": (
        "count vehicle | where vehicle.status is_not sold | by vehicle.fuel, branch.name"
    ),
    "How many work orders did each crew complete in October? // what about November? // only emergency ones": (
        "count workOrder | where priority.name is emergency | in workOrder.completedAt 2026-11-01 to "
        "2026-11-30 (November) | by crew.name"
    ),
    "who is on leave? // how many is that?": ("count employee | where employee.status is on_leave"),
    "average hourly rate // by position // only full-time employees": (
        "average employee | of employee.hourlyRate | where employee.employmentType is full_time | by employee.position"
    ),
    "List suppliers // with rating over 3 // and rating under 5 // how many are there?": (
        "count supplier | where supplier.rating over 3 and supplier.rating under 5"
    ),
    "Purchase orders from last month // more than 1000 // sort by amount descending": (
        "rows purchaseOrder | where purchaseOrder.totalAmount over 1000 | in purchaseOrder.orderedOn "
        "2026-10-01 to 2026-10-31 (last month) | descending purchaseOrder.totalAmount"
    ),
    "How many estimates were sent this year? // and accepted? // what is their total value?": (
        "sum estimate | of estimate.totalAmount | where estimate.status is accepted | in estimate.issuedOn "
        "2026-01-01 to 2026-12-31 (this year)"
    ),
    "which employees have no email? // and no phone?": (
        "rows employee | where employee.email is_missing and employee.phone is_missing"
    ),
    "List work orders for Harbour Foods // by priority // how many of them are cancelled?": (
        "count workOrder | where customer.name contains Harbour Foods and workOrder.status is cancelled"
    ),
    "invoices by status // this year only // per month": (
        "count invoice | in invoice.issuedOn 2026-01-01 to 2026-12-31 (this year) | per month of invoice.issuedOn"
    ),
    "show the newest five work orders // and the oldest": (
        "rows workOrder | ascending workOrder.requestedOn | limit 1"
    ),
    "who is in charge of the Leeds branch?": (
        "rows branch | show branch.name, employee.firstName@managerId, employee.lastName@managerId | "
        "where branch.name is Leeds"
    ),
    "jobs nobody is assigned to": ("rows workOrder | where workOrder.assignedTo is_missing"),
    "open complaints // who is dealing with them": (
        "rows complaint | show complaint.id, employee.firstName, employee.lastName | where complaint.status is open"
    ),
    "how much do customers owe us": (
        "sum invoice | of invoice.totalAmount | less invoice.paidAmount | where invoice.status is_not void"
    ),
    "how many leads did we lose since Christmas": (
        "count lead | where lead.status is lost | in lead.closedOn 2025-12-25 to 2026-11-22 (since Christmas)"
    ),
    "how many requests came in by phone": ("count serviceRequest | where serviceRequest.channel is phone"),
    "status of WO-044503": ("rows workOrder | show workOrder.status | where workOrder.number is WO-044503"),
    "calibrations running out in the next two months": (
        "rows calibration | in calibration.validUntil 2026-11-22 to 2027-01-22 (next two months)"
    ),
    "budget for 2026 by cost centre": (
        "sum budget | of budget.plannedAmount | where budget.year is 2026 | by costCenter.name"
    ),
    "suppliers rated 2 or worse": ("rows supplier | where supplier.rating at_most 2"),
    "worst delay of an appointment this year": (
        "rows appointment | in appointment.startsAt 2026-01-01 to 2026-12-31 (this year) | descending "
        "appointment.delayMinutes | limit 1"
    ),
    "pumps we have fewer than 20 of in stock": (
        "rows inventoryItem | where itemCategory.name is pumps | with stockLevel where stockLevel.quantity under 20"
    ),
    "average invoice amount by customer segment": ("average invoice | of invoice.totalAmount | by customer.segment"),
    "customers who complained more than once last year": (
        "count complaint | in complaint.receivedOn 2025-01-01 to 2025-12-31 (last year) | by "
        "customer.name | keep complaint.id over 1 | descending measure"
    ),
    "failed logins this week": (
        "rows loginEvent | where loginEvent.wasSuccessful is False | in loginEvent.happenedAt 2026-11-16 "
        "to 2026-11-22 (this week)"
    ),
    "which vehicles have never been serviced": ("rows vehicle | without vehicleService"),
    "how much did we spend with each vendor": ("sum purchaseOrder | of purchaseOrder.totalAmount | by supplier.name"),
    "which employees know about solar panels": ("rows employee | with employeeSkill where skill.name is solar panels"),
    "how much money came in last week": (
        "sum payment | of payment.amount | in payment.receivedOn 2026-11-09 to 2026-11-15 (last week)"
    ),
    "how many days were lost last year": (
        "sum safetyIncident | of safetyIncident.lostDays | in safetyIncident.occurredAt 2025-01-01 to "
        "2025-12-31 (last year)"
    ),
    "which contractors are active": (
        "rows employee | where employee.employmentType is contractor and employee.status is active"
    ),
    "jobs without a technician": ("rows workOrder | where workOrder.assignedTo is_missing"),
}
