-- A field service company and its system, in SQL that SQLite reads as it is, MariaDB with double quotes as names
-- (ANSI_QUOTES) and PostgreSQL with its own words for DATETIME and BLOB. What tables and columns mean: joins.json.

-- Users and what they may do, and the inside of the system.

CREATE TABLE "role" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL,
  "description" VARCHAR(200) NOT NULL
);

CREATE TABLE "permission" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL,
  "area" VARCHAR(60) NOT NULL
);

CREATE TABLE "rolePermission" (
  "roleId" INTEGER NOT NULL REFERENCES "role" ("id"),
  "permissionId" INTEGER NOT NULL REFERENCES "permission" ("id"),
  PRIMARY KEY ("roleId", "permissionId")
);

CREATE TABLE "publicHoliday" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL,
  "holidayDate" DATE NOT NULL,
  "country" VARCHAR(2) NOT NULL
);

CREATE TABLE "user" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "firstName" BLOB NOT NULL,
  "lastName" BLOB NOT NULL,
  "email" BLOB NOT NULL,
  "phone" BLOB,
  "language" VARCHAR(40) NOT NULL,
  "status" VARCHAR(40) NOT NULL,
  "lastLoginAt" DATETIME,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "userRole" (
  "userId" INTEGER NOT NULL REFERENCES "user" ("id"),
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "roleId" INTEGER NOT NULL REFERENCES "role" ("id"),
  "grantedOn" DATE NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL,
  PRIMARY KEY ("userId", "roleId")
);

CREATE TABLE "group" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "name" VARCHAR(120) NOT NULL,
  "purpose" VARCHAR(200) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "groupMember" (
  "groupId" INTEGER NOT NULL REFERENCES "group" ("id"),
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "userId" INTEGER NOT NULL REFERENCES "user" ("id"),
  "addedOn" DATE NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL,
  PRIMARY KEY ("groupId", "userId")
);

CREATE TABLE "loginEvent" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "userId" INTEGER NOT NULL REFERENCES "user" ("id"),
  "happenedAt" DATETIME NOT NULL,
  "device" VARCHAR(40) NOT NULL,
  "wasSuccessful" BOOLEAN NOT NULL
);

CREATE TABLE "auditLog" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "userId" INTEGER NOT NULL REFERENCES "user" ("id"),
  "entity" VARCHAR(60) NOT NULL,
  "entityId" INTEGER NOT NULL,
  "action" VARCHAR(40) NOT NULL,
  "happenedAt" DATETIME NOT NULL
);

CREATE TABLE "setting" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "key" VARCHAR(60) NOT NULL,
  "value" VARCHAR(120) NOT NULL,
  "area" VARCHAR(60) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "3rdPartySystem" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "name" VARCHAR(120) NOT NULL,
  "purpose" VARCHAR(40) NOT NULL,
  "isActive" BOOLEAN NOT NULL,
  "lastSyncAt" DATETIME,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "syncRun" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "systemId" INTEGER NOT NULL REFERENCES "3rdPartySystem" ("id"),
  "startedAt" DATETIME NOT NULL,
  "recordCount" INTEGER NOT NULL,
  "result" VARCHAR(40) NOT NULL
);

CREATE TABLE "apiKey" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "systemId" INTEGER NOT NULL REFERENCES "3rdPartySystem" ("id"),
  "keyHash" VARCHAR(80) NOT NULL,
  "expiresOn" DATE NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "userCredential" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "userId" INTEGER NOT NULL REFERENCES "user" ("id"),
  "passwordHash" VARCHAR(80) NOT NULL,
  "changedOn" DATE NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

-- Equipment that is installed at customers, and tools of the company's own.

CREATE TABLE "assetCategory" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL
);

CREATE TABLE "manufacturer" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL,
  "country" VARCHAR(2) NOT NULL
);

CREATE TABLE "assetModel" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "manufacturerId" INTEGER NOT NULL REFERENCES "manufacturer" ("id"),
  "assetCategoryId" INTEGER NOT NULL REFERENCES "assetCategory" ("id"),
  "name" VARCHAR(120) NOT NULL,
  "serviceMonths" INTEGER NOT NULL,
  "lifeYears" INTEGER NOT NULL
);

CREATE TABLE "toolType" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL,
  "calibrationMonths" INTEGER
);

CREATE TABLE "asset" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "customerLocationId" INTEGER NOT NULL REFERENCES "customerLocation" ("id"),
  "assetModelId" INTEGER NOT NULL REFERENCES "assetModel" ("id"),
  "serialNumber" VARCHAR(60) NOT NULL UNIQUE,
  "status" VARCHAR(40) NOT NULL,
  "installedOn" DATE NOT NULL,
  "lastServicedOn" DATE,
  "nextServiceOn" DATE,
  "purchasePrice" NUMERIC(12, 2) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "warranty" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "assetId" INTEGER NOT NULL REFERENCES "asset" ("id"),
  "coverage" VARCHAR(40) NOT NULL,
  "startsOn" DATE NOT NULL,
  "endsOn" DATE NOT NULL
);

CREATE TABLE "meterReading" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "assetId" INTEGER NOT NULL REFERENCES "asset" ("id"),
  "readBy" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "readOn" DATE NOT NULL,
  "value" NUMERIC(10, 2) NOT NULL,
  "unit" VARCHAR(40) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "tool" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "toolTypeId" INTEGER NOT NULL REFERENCES "toolType" ("id"),
  "branchId" INTEGER NOT NULL REFERENCES "branch" ("id"),
  "serialNumber" VARCHAR(60) NOT NULL UNIQUE,
  "status" VARCHAR(40) NOT NULL,
  "purchasedOn" DATE NOT NULL,
  "purchasePrice" NUMERIC(12, 2) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "toolAssignment" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "toolId" INTEGER NOT NULL REFERENCES "tool" ("id"),
  "employeeId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "assignedOn" DATE NOT NULL,
  "returnedOn" DATE,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "calibration" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "toolId" INTEGER NOT NULL REFERENCES "tool" ("id"),
  "performedBy" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "calibratedOn" DATE NOT NULL,
  "validUntil" DATE NOT NULL,
  "result" VARCHAR(40) NOT NULL,
  "cost" NUMERIC(12, 2) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

-- Messages, calls and papers.

CREATE TABLE "documentType" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL
);

CREATE TABLE "message" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "from" INTEGER NOT NULL REFERENCES "user" ("id"),
  "to" INTEGER NOT NULL REFERENCES "user" ("id"),
  "workOrderId" INTEGER REFERENCES "workOrder" ("id"),
  "subject" VARCHAR(120) NOT NULL,
  "body" VARCHAR(400) NOT NULL,
  "sentAt" DATETIME NOT NULL,
  "readAt" DATETIME,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "notification" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "userId" INTEGER NOT NULL REFERENCES "user" ("id"),
  "channel" VARCHAR(40) NOT NULL,
  "subject" VARCHAR(120) NOT NULL,
  "sentAt" DATETIME NOT NULL,
  "isRead" BOOLEAN NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "callLog" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "customerId" INTEGER NOT NULL REFERENCES "customer" ("id"),
  "customerContactId" INTEGER REFERENCES "customerContact" ("id"),
  "employeeId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "direction" VARCHAR(40) NOT NULL,
  "outcome" VARCHAR(40) NOT NULL,
  "startedAt" DATETIME NOT NULL,
  "minutes" NUMERIC(10, 2) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "messageTemplate" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "name" VARCHAR(120) NOT NULL,
  "channel" VARCHAR(40) NOT NULL,
  "subject" VARCHAR(120) NOT NULL,
  "body" VARCHAR(400) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "announcement" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "authorId" INTEGER NOT NULL REFERENCES "user" ("id"),
  "branchId" INTEGER REFERENCES "branch" ("id"),
  "title" VARCHAR(120) NOT NULL,
  "body" VARCHAR(400) NOT NULL,
  "publishedOn" DATE NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "document" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "documentTypeId" INTEGER NOT NULL REFERENCES "documentType" ("id"),
  "customerId" INTEGER REFERENCES "customer" ("id"),
  "workOrderId" INTEGER REFERENCES "workOrder" ("id"),
  "uploadedBy" INTEGER NOT NULL REFERENCES "user" ("id"),
  "title" VARCHAR(120) NOT NULL,
  "fileName" VARCHAR(120) NOT NULL,
  "sizeBytes" INTEGER NOT NULL,
  "uploadedAt" DATETIME NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "documentVersion" (
  "documentId" INTEGER NOT NULL REFERENCES "document" ("id"),
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "versionNumber" INTEGER NOT NULL,
  "changeNote" VARCHAR(200) NOT NULL,
  "savedAt" DATETIME NOT NULL,
  PRIMARY KEY ("documentId", "versionNumber")
);

CREATE TABLE "photo" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "workOrderId" INTEGER NOT NULL REFERENCES "workOrder" ("id"),
  "takenBy" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "stage" VARCHAR(40) NOT NULL,
  "fileName" VARCHAR(120) NOT NULL,
  "takenAt" DATETIME NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "signature" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "workOrderId" INTEGER NOT NULL REFERENCES "workOrder" ("id"),
  "customerContactId" INTEGER REFERENCES "customerContact" ("id"),
  "signedAt" DATETIME NOT NULL,
  "medium" VARCHAR(40) NOT NULL
);

-- Service contracts, what they promise, and prices.

CREATE TABLE "contractType" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL
);

CREATE TABLE "serviceLevel" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL,
  "responseHours" INTEGER NOT NULL,
  "resolutionHours" INTEGER NOT NULL
);

CREATE TABLE "service" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "name" VARCHAR(120) NOT NULL,
  "code" VARCHAR(20) NOT NULL,
  "workOrderTypeId" INTEGER NOT NULL REFERENCES "workOrderType" ("id"),
  "basePrice" NUMERIC(12, 2) NOT NULL,
  "durationMinutes" INTEGER NOT NULL,
  "isActive" BOOLEAN NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "contract" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "number" VARCHAR(60) NOT NULL UNIQUE,
  "customerId" INTEGER NOT NULL REFERENCES "customer" ("id"),
  "contractTypeId" INTEGER NOT NULL REFERENCES "contractType" ("id"),
  "serviceLevelId" INTEGER NOT NULL REFERENCES "serviceLevel" ("id"),
  "ownerId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "signedBy" INTEGER REFERENCES "customerContact" ("id"),
  "status" VARCHAR(40) NOT NULL,
  "startsOn" DATE NOT NULL,
  "endsOn" DATE NOT NULL,
  "monthlyFee" NUMERIC(12, 2) NOT NULL,
  "renewsItself" BOOLEAN NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "contractLocation" (
  "contractId" INTEGER NOT NULL REFERENCES "contract" ("id"),
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "customerLocationId" INTEGER NOT NULL REFERENCES "customerLocation" ("id"),
  "coveredFrom" DATE NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL,
  PRIMARY KEY ("contractId", "customerLocationId")
);

CREATE TABLE "contractService" (
  "contractId" INTEGER NOT NULL REFERENCES "contract" ("id"),
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "serviceId" INTEGER NOT NULL REFERENCES "service" ("id"),
  "visitsPerYear" INTEGER NOT NULL,
  "discountPercent" NUMERIC(10, 2) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL,
  PRIMARY KEY ("contractId", "serviceId")
);

CREATE TABLE "maintenancePlan" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "contractId" INTEGER NOT NULL REFERENCES "contract" ("id"),
  "customerLocationId" INTEGER NOT NULL REFERENCES "customerLocation" ("id"),
  "serviceId" INTEGER NOT NULL REFERENCES "service" ("id"),
  "everyMonths" INTEGER NOT NULL,
  "isActive" BOOLEAN NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "plannedVisit" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "maintenancePlanId" INTEGER NOT NULL REFERENCES "maintenancePlan" ("id"),
  "crewId" INTEGER REFERENCES "crew" ("id"),
  "plannedOn" DATE NOT NULL,
  "doneOn" DATE,
  "status" VARCHAR(40) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "slaBreach" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "workOrderId" INTEGER NOT NULL REFERENCES "workOrder" ("id"),
  "serviceLevelId" INTEGER NOT NULL REFERENCES "serviceLevel" ("id"),
  "breachType" VARCHAR(40) NOT NULL,
  "hoursLate" NUMERIC(10, 2) NOT NULL,
  "breachedAt" DATETIME NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "priceList" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "name" VARCHAR(120) NOT NULL,
  "discountPercent" NUMERIC(10, 2) NOT NULL,
  "validFrom" DATE NOT NULL,
  "isActive" BOOLEAN NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "priceListItem" (
  "priceListId" INTEGER NOT NULL REFERENCES "priceList" ("id"),
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "inventoryItemId" INTEGER NOT NULL REFERENCES "inventoryItem" ("id"),
  "price" NUMERIC(12, 2) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL,
  PRIMARY KEY ("priceListId", "inventoryItemId")
);

-- Customers, their sites and contacts, and those who may become customers.

CREATE TABLE "industry" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL
);

CREATE TABLE "locationType" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL
);

CREATE TABLE "leadSource" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL
);

CREATE TABLE "territory" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "name" VARCHAR(120) NOT NULL,
  "regionId" INTEGER NOT NULL REFERENCES "region" ("id"),
  "salesRepId" INTEGER REFERENCES "employee" ("id"),
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "customer" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "number" VARCHAR(60) NOT NULL UNIQUE,
  "name" BLOB NOT NULL,
  "email" BLOB NOT NULL,
  "phone" BLOB NOT NULL,
  "billingStreet" BLOB NOT NULL,
  "billingCity" VARCHAR(120) NOT NULL,
  "postalCode" VARCHAR(40) NOT NULL,
  "regionId" INTEGER NOT NULL REFERENCES "region" ("id"),
  "industryId" INTEGER NOT NULL REFERENCES "industry" ("id"),
  "territoryId" INTEGER REFERENCES "territory" ("id"),
  "accountManagerId" INTEGER REFERENCES "employee" ("id"),
  "paymentTermId" INTEGER NOT NULL REFERENCES "paymentTerm" ("id"),
  "priceListId" INTEGER REFERENCES "priceList" ("id"),
  "segment" VARCHAR(40) NOT NULL,
  "status" VARCHAR(40) NOT NULL,
  "customerSince" DATE NOT NULL,
  "creditLimit" NUMERIC(12, 2) NOT NULL,
  "notes" BLOB,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "customerLocation" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "customerId" INTEGER NOT NULL REFERENCES "customer" ("id"),
  "locationTypeId" INTEGER NOT NULL REFERENCES "locationType" ("id"),
  "regionId" INTEGER NOT NULL REFERENCES "region" ("id"),
  "name" BLOB NOT NULL,
  "street" BLOB NOT NULL,
  "city" VARCHAR(120) NOT NULL,
  "postalCode" VARCHAR(40) NOT NULL,
  "latitude" NUMERIC(9, 6) NOT NULL,
  "longitude" NUMERIC(9, 6) NOT NULL,
  "floors" INTEGER,
  "isActive" BOOLEAN NOT NULL,
  "accessNotes" BLOB,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "customerContact" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "customerId" INTEGER NOT NULL REFERENCES "customer" ("id"),
  "customerLocationId" INTEGER REFERENCES "customerLocation" ("id"),
  "firstName" BLOB NOT NULL,
  "lastName" BLOB NOT NULL,
  "email" BLOB NOT NULL,
  "phone" BLOB NOT NULL,
  "role" VARCHAR(40) NOT NULL,
  "isPrimary" BOOLEAN NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "customerTag" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "name" VARCHAR(120) NOT NULL,
  "color" VARCHAR(40) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "customerTagLink" (
  "customerId" INTEGER NOT NULL REFERENCES "customer" ("id"),
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "customerTagId" INTEGER NOT NULL REFERENCES "customerTag" ("id"),
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL,
  PRIMARY KEY ("customerId", "customerTagId")
);

CREATE TABLE "customerNote" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "customerId" INTEGER NOT NULL REFERENCES "customer" ("id"),
  "authorId" INTEGER NOT NULL REFERENCES "user" ("id"),
  "noteText" VARCHAR(400) NOT NULL,
  "writtenAt" DATETIME NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "lead" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "leadSourceId" INTEGER NOT NULL REFERENCES "leadSource" ("id"),
  "regionId" INTEGER NOT NULL REFERENCES "region" ("id"),
  "assignedTo" INTEGER REFERENCES "employee" ("id"),
  "customerId" INTEGER REFERENCES "customer" ("id"),
  "companyName" VARCHAR(120) NOT NULL,
  "status" VARCHAR(40) NOT NULL,
  "estimatedValue" NUMERIC(12, 2) NOT NULL,
  "receivedOn" DATE NOT NULL,
  "closedOn" DATE,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

-- Inspections by questionnaire, what they found, and other forms that are filled in on site.

CREATE TABLE "defectCategory" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL
);

CREATE TABLE "inspectionTemplate" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "name" VARCHAR(120) NOT NULL,
  "assetCategoryId" INTEGER REFERENCES "assetCategory" ("id"),
  "version" INTEGER NOT NULL,
  "passScore" INTEGER NOT NULL,
  "isActive" BOOLEAN NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "inspectionSection" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "inspectionTemplateId" INTEGER NOT NULL REFERENCES "inspectionTemplate" ("id"),
  "title" VARCHAR(120) NOT NULL,
  "position" INTEGER NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "inspectionQuestion" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "inspectionSectionId" INTEGER NOT NULL REFERENCES "inspectionSection" ("id"),
  "questionText" VARCHAR(200) NOT NULL,
  "answerType" VARCHAR(40) NOT NULL,
  "position" INTEGER NOT NULL,
  "weight" INTEGER NOT NULL,
  "isRequired" BOOLEAN NOT NULL,
  "isCritical" BOOLEAN NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "inspections" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "inspectionTemplateId" INTEGER NOT NULL REFERENCES "inspectionTemplate" ("id"),
  "workOrderId" INTEGER REFERENCES "workOrder" ("id"),
  "customerLocationId" INTEGER NOT NULL REFERENCES "customerLocation" ("id"),
  "assetId" INTEGER REFERENCES "asset" ("id"),
  "inspectorId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "reviewedBy" INTEGER REFERENCES "user" ("id"),
  "inspectedOn" DATE NOT NULL,
  "status" VARCHAR(40) NOT NULL,
  "score" NUMERIC(10, 2),
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "inspectionAnswer" (
  "inspectionId" INTEGER NOT NULL REFERENCES "inspections" ("id"),
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "inspectionQuestionId" INTEGER NOT NULL REFERENCES "inspectionQuestion" ("id"),
  "answer" VARCHAR(60) NOT NULL,
  "isPassed" BOOLEAN NOT NULL,
  PRIMARY KEY ("inspectionId", "inspectionQuestionId")
);

CREATE TABLE "inspectionPhoto" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "inspectionId" INTEGER NOT NULL REFERENCES "inspections" ("id"),
  "fileName" VARCHAR(120) NOT NULL,
  "takenAt" DATETIME NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "defect" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "inspectionId" INTEGER NOT NULL REFERENCES "inspections" ("id"),
  "defectCategoryId" INTEGER NOT NULL REFERENCES "defectCategory" ("id"),
  "repairWorkOrderId" INTEGER REFERENCES "workOrder" ("id"),
  "severity" VARCHAR(40) NOT NULL,
  "status" VARCHAR(40) NOT NULL,
  "description" VARCHAR(200) NOT NULL,
  "foundOn" DATE NOT NULL,
  "resolvedOn" DATE,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "form" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "name" VARCHAR(120) NOT NULL,
  "purpose" VARCHAR(40) NOT NULL,
  "isActive" BOOLEAN NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "formField" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "formId" INTEGER NOT NULL REFERENCES "form" ("id"),
  "label" VARCHAR(120) NOT NULL,
  "fieldType" VARCHAR(40) NOT NULL,
  "position" INTEGER NOT NULL,
  "isRequired" BOOLEAN NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "formSubmission" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "formId" INTEGER NOT NULL REFERENCES "form" ("id"),
  "workOrderId" INTEGER NOT NULL REFERENCES "workOrder" ("id"),
  "submittedBy" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "submittedAt" DATETIME NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "formAnswer" (
  "formSubmissionId" INTEGER NOT NULL REFERENCES "formSubmission" ("id"),
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "formFieldId" INTEGER NOT NULL REFERENCES "formField" ("id"),
  "value" VARCHAR(120) NOT NULL,
  PRIMARY KEY ("formSubmissionId", "formFieldId")
);

-- Parts on stock, where they come from, and where they go.

CREATE TABLE "unit" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL,
  "symbol" VARCHAR(10) NOT NULL
);

CREATE TABLE "itemCategory" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL
);

CREATE TABLE "warehouse" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "name" VARCHAR(120) NOT NULL,
  "branchId" INTEGER NOT NULL REFERENCES "branch" ("id"),
  "city" VARCHAR(120) NOT NULL,
  "storekeeperId" INTEGER REFERENCES "employee" ("id"),
  "isActive" BOOLEAN NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "supplier" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "name" VARCHAR(120) NOT NULL,
  "email" VARCHAR(120) NOT NULL,
  "city" VARCHAR(120) NOT NULL,
  "country" VARCHAR(40) NOT NULL,
  "paymentTermId" INTEGER NOT NULL REFERENCES "paymentTerm" ("id"),
  "rating" INTEGER NOT NULL,
  "status" VARCHAR(40) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "supplierContact" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "supplierId" INTEGER NOT NULL REFERENCES "supplier" ("id"),
  "fullName" VARCHAR(120) NOT NULL,
  "email" VARCHAR(120) NOT NULL,
  "role" VARCHAR(40) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "inventoryItem" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "sku" VARCHAR(60) NOT NULL UNIQUE,
  "name" VARCHAR(120) NOT NULL,
  "itemCategoryId" INTEGER NOT NULL REFERENCES "itemCategory" ("id"),
  "unitId" INTEGER NOT NULL REFERENCES "unit" ("id"),
  "supplierId" INTEGER NOT NULL REFERENCES "supplier" ("id"),
  "costPrice" NUMERIC(12, 2) NOT NULL,
  "listPrice" NUMERIC(12, 2) NOT NULL,
  "reorderLevel" INTEGER NOT NULL,
  "isActive" BOOLEAN NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "supplierItem" (
  "supplierId" INTEGER NOT NULL REFERENCES "supplier" ("id"),
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "inventoryItemId" INTEGER NOT NULL REFERENCES "inventoryItem" ("id"),
  "price" NUMERIC(12, 2) NOT NULL,
  "leadDays" INTEGER NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL,
  PRIMARY KEY ("supplierId", "inventoryItemId")
);

CREATE TABLE "stockLevel" (
  "warehouseId" INTEGER NOT NULL REFERENCES "warehouse" ("id"),
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "inventoryItemId" INTEGER NOT NULL REFERENCES "inventoryItem" ("id"),
  "quantity" NUMERIC(10, 2) NOT NULL,
  "minimumQuantity" INTEGER NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL,
  PRIMARY KEY ("warehouseId", "inventoryItemId")
);

CREATE TABLE "stockMovement" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "warehouseId" INTEGER NOT NULL REFERENCES "warehouse" ("id"),
  "inventoryItemId" INTEGER NOT NULL REFERENCES "inventoryItem" ("id"),
  "workOrderId" INTEGER REFERENCES "workOrder" ("id"),
  "purchaseOrderId" INTEGER REFERENCES "purchaseOrder" ("id"),
  "movementType" VARCHAR(40) NOT NULL,
  "quantity" NUMERIC(10, 2) NOT NULL,
  "movedOn" DATE NOT NULL
);

CREATE TABLE "purchaseOrder" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "number" VARCHAR(60) NOT NULL UNIQUE,
  "supplierId" INTEGER NOT NULL REFERENCES "supplier" ("id"),
  "warehouseId" INTEGER NOT NULL REFERENCES "warehouse" ("id"),
  "requestedBy" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "approvedBy" INTEGER REFERENCES "employee" ("id"),
  "status" VARCHAR(40) NOT NULL,
  "orderedOn" DATE NOT NULL,
  "expectedOn" DATE NOT NULL,
  "receivedOn" DATE,
  "totalAmount" NUMERIC(12, 2) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "purchaseOrderLine" (
  "purchaseOrderId" INTEGER NOT NULL REFERENCES "purchaseOrder" ("id"),
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "lineNumber" INTEGER NOT NULL,
  "inventoryItemId" INTEGER NOT NULL REFERENCES "inventoryItem" ("id"),
  "quantity" NUMERIC(10, 2) NOT NULL,
  "unitPrice" NUMERIC(12, 2) NOT NULL,
  "lineTotal" NUMERIC(12, 2) NOT NULL,
  PRIMARY KEY ("purchaseOrderId", "lineNumber")
);

CREATE TABLE "goodsReceipt" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "purchaseOrderId" INTEGER NOT NULL REFERENCES "purchaseOrder" ("id"),
  "receivedBy" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "receivedAt" DATETIME NOT NULL,
  "deliveryNote" VARCHAR(60) NOT NULL,
  "isComplete" BOOLEAN NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "stockCount" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "warehouseId" INTEGER NOT NULL REFERENCES "warehouse" ("id"),
  "countedBy" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "countedOn" DATE NOT NULL,
  "status" VARCHAR(40) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "stockCountLine" (
  "stockCountId" INTEGER NOT NULL REFERENCES "stockCount" ("id"),
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "inventoryItemId" INTEGER NOT NULL REFERENCES "inventoryItem" ("id"),
  "bookQuantity" NUMERIC(10, 2) NOT NULL,
  "countedQuantity" NUMERIC(10, 2) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL,
  PRIMARY KEY ("stockCountId", "inventoryItemId")
);

CREATE TABLE "order" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "number" VARCHAR(60) NOT NULL UNIQUE,
  "customerId" INTEGER NOT NULL REFERENCES "customer" ("id"),
  "salesRepId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "status" VARCHAR(40) NOT NULL,
  "orderedOn" DATE NOT NULL,
  "deliveredOn" DATE,
  "totalAmount" NUMERIC(12, 2) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "orderLine" (
  "orderId" INTEGER NOT NULL REFERENCES "order" ("id"),
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "lineNumber" INTEGER NOT NULL,
  "inventoryItemId" INTEGER NOT NULL REFERENCES "inventoryItem" ("id"),
  "quantity" NUMERIC(10, 2) NOT NULL,
  "unitPrice" NUMERIC(12, 2) NOT NULL,
  "lineTotal" NUMERIC(12, 2) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL,
  PRIMARY KEY ("orderId", "lineNumber")
);

-- Estimates, invoices, payments, and what employees spend.

CREATE TABLE "paymentTerm" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL,
  "days" INTEGER NOT NULL
);

CREATE TABLE "paymentMethod" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL
);

CREATE TABLE "taxRate" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL,
  "percent" NUMERIC(10, 2) NOT NULL
);

CREATE TABLE "expenseCategory" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL
);

CREATE TABLE "estimate" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "number" VARCHAR(60) NOT NULL UNIQUE,
  "customerId" INTEGER NOT NULL REFERENCES "customer" ("id"),
  "customerLocationId" INTEGER REFERENCES "customerLocation" ("id"),
  "preparedBy" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "workOrderId" INTEGER REFERENCES "workOrder" ("id"),
  "status" VARCHAR(40) NOT NULL,
  "issuedOn" DATE NOT NULL,
  "validUntil" DATE NOT NULL,
  "totalAmount" NUMERIC(12, 2) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "estimateLine" (
  "estimateId" INTEGER NOT NULL REFERENCES "estimate" ("id"),
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "lineNumber" INTEGER NOT NULL,
  "serviceId" INTEGER REFERENCES "service" ("id"),
  "description" VARCHAR(120) NOT NULL,
  "quantity" NUMERIC(10, 2) NOT NULL,
  "unitPrice" NUMERIC(12, 2) NOT NULL,
  "lineTotal" NUMERIC(12, 2) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL,
  PRIMARY KEY ("estimateId", "lineNumber")
);

CREATE TABLE "invoice" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "number" VARCHAR(60) NOT NULL UNIQUE,
  "customerId" INTEGER NOT NULL REFERENCES "customer" ("id"),
  "workOrderId" INTEGER REFERENCES "workOrder" ("id"),
  "contractId" INTEGER REFERENCES "contract" ("id"),
  "taxRateId" INTEGER NOT NULL REFERENCES "taxRate" ("id"),
  "approvedBy" INTEGER REFERENCES "user" ("id"),
  "status" VARCHAR(40) NOT NULL,
  "issuedOn" DATE NOT NULL,
  "dueOn" DATE NOT NULL,
  "paidOn" DATE,
  "netAmount" NUMERIC(12, 2) NOT NULL,
  "taxAmount" NUMERIC(12, 2) NOT NULL,
  "totalAmount" NUMERIC(12, 2) NOT NULL,
  "paidAmount" NUMERIC(12, 2) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "invoiceLine" (
  "invoiceId" INTEGER NOT NULL REFERENCES "invoice" ("id"),
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "lineNumber" INTEGER NOT NULL,
  "inventoryItemId" INTEGER REFERENCES "inventoryItem" ("id"),
  "lineType" VARCHAR(40) NOT NULL,
  "description" VARCHAR(120) NOT NULL,
  "quantity" NUMERIC(10, 2) NOT NULL,
  "unitPrice" NUMERIC(12, 2) NOT NULL,
  "lineTotal" NUMERIC(12, 2) NOT NULL,
  PRIMARY KEY ("invoiceId", "lineNumber")
);

CREATE TABLE "payment" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "invoiceId" INTEGER NOT NULL REFERENCES "invoice" ("id"),
  "paymentMethodId" INTEGER NOT NULL REFERENCES "paymentMethod" ("id"),
  "receivedOn" DATE NOT NULL,
  "amount" NUMERIC(12, 2) NOT NULL,
  "reference" VARCHAR(60) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "creditNote" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "number" VARCHAR(60) NOT NULL UNIQUE,
  "invoiceId" INTEGER NOT NULL REFERENCES "invoice" ("id"),
  "issuedOn" DATE NOT NULL,
  "amount" NUMERIC(12, 2) NOT NULL,
  "reason" VARCHAR(40) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "paymentReminder" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "invoiceId" INTEGER NOT NULL REFERENCES "invoice" ("id"),
  "level" INTEGER NOT NULL,
  "sentOn" DATE NOT NULL,
  "fee" NUMERIC(12, 2) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "expense" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "employeeId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "expenseCategoryId" INTEGER NOT NULL REFERENCES "expenseCategory" ("id"),
  "workOrderId" INTEGER REFERENCES "workOrder" ("id"),
  "approvedBy" INTEGER REFERENCES "user" ("id"),
  "spentOn" DATE NOT NULL,
  "amount" NUMERIC(12, 2) NOT NULL,
  "status" VARCHAR(40) NOT NULL,
  "description" VARCHAR(120) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "costCenter" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "name" VARCHAR(120) NOT NULL,
  "code" VARCHAR(20) NOT NULL,
  "departmentId" INTEGER NOT NULL REFERENCES "department" ("id"),
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "budget" (
  "costCenterId" INTEGER NOT NULL REFERENCES "costCenter" ("id"),
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "year" INTEGER NOT NULL,
  "month" INTEGER NOT NULL,
  "plannedAmount" NUMERIC(12, 2) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL,
  PRIMARY KEY ("costCenterId", "year", "month")
);

CREATE TABLE "commission" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "employeeId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "contractId" INTEGER NOT NULL REFERENCES "contract" ("id"),
  "earnedOn" DATE NOT NULL,
  "amount" NUMERIC(12, 2) NOT NULL,
  "isPaid" BOOLEAN NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

-- Companies, branches, employees, crews, and when they are there.

CREATE TABLE "currency" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "code" VARCHAR(3) NOT NULL,
  "name" VARCHAR(120) NOT NULL
);

CREATE TABLE "region" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL,
  "country" VARCHAR(2) NOT NULL
);

CREATE TABLE "skill" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL,
  "trade" VARCHAR(40) NOT NULL
);

CREATE TABLE "jobGrade" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL,
  "rank" INTEGER NOT NULL,
  "minimumRate" NUMERIC(12, 2) NOT NULL
);

CREATE TABLE "absenceType" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL,
  "isPaid" BOOLEAN NOT NULL
);

CREATE TABLE "company" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL,
  "legalName" VARCHAR(120) NOT NULL,
  "currencyId" INTEGER NOT NULL REFERENCES "currency" ("id"),
  "country" VARCHAR(40) NOT NULL,
  "timeZone" VARCHAR(120) NOT NULL,
  "foundedOn" DATE NOT NULL
);

CREATE TABLE "branch" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "name" VARCHAR(120) NOT NULL,
  "code" VARCHAR(20) NOT NULL,
  "regionId" INTEGER NOT NULL REFERENCES "region" ("id"),
  "managerId" INTEGER REFERENCES "employee" ("id"),
  "city" VARCHAR(120) NOT NULL,
  "phone" VARCHAR(40) NOT NULL,
  "openedOn" DATE NOT NULL,
  "isActive" BOOLEAN NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "department" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "name" VARCHAR(120) NOT NULL,
  "code" VARCHAR(20) NOT NULL,
  "headEmployeeId" INTEGER REFERENCES "employee" ("id"),
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "employee" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "number" VARCHAR(60) NOT NULL UNIQUE,
  "firstName" BLOB NOT NULL,
  "lastName" BLOB NOT NULL,
  "email" BLOB NOT NULL,
  "phone" BLOB NOT NULL,
  "street" BLOB NOT NULL,
  "city" VARCHAR(120) NOT NULL,
  "position" VARCHAR(40) NOT NULL,
  "status" VARCHAR(40) NOT NULL,
  "employmentType" VARCHAR(40) NOT NULL,
  "jobGradeId" INTEGER NOT NULL REFERENCES "jobGrade" ("id"),
  "branchId" INTEGER NOT NULL REFERENCES "branch" ("id"),
  "departmentId" INTEGER NOT NULL REFERENCES "department" ("id"),
  "supervisorId" INTEGER REFERENCES "employee" ("id"),
  "userId" INTEGER REFERENCES "user" ("id"),
  "hiredOn" DATE NOT NULL,
  "terminatedOn" DATE,
  "hourlyRate" NUMERIC(12, 2) NOT NULL,
  "weeklyHours" NUMERIC(10, 2) NOT NULL,
  "emergencyContact" BLOB,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "crew" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "name" VARCHAR(120) NOT NULL,
  "code" VARCHAR(20) NOT NULL,
  "branchId" INTEGER NOT NULL REFERENCES "branch" ("id"),
  "trade" VARCHAR(40) NOT NULL,
  "status" VARCHAR(40) NOT NULL,
  "capacity" INTEGER NOT NULL,
  "formedOn" DATE NOT NULL,
  "disbandedOn" DATE,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "employeeCrew" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "employeeId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "crewId" INTEGER NOT NULL REFERENCES "crew" ("id"),
  "isLead" BOOLEAN NOT NULL,
  "joinedOn" DATE NOT NULL,
  "leftOn" DATE,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "employeeSkill" (
  "employeeId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "skillId" INTEGER NOT NULL REFERENCES "skill" ("id"),
  "level" VARCHAR(40) NOT NULL,
  "yearsOfPractice" INTEGER NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL,
  PRIMARY KEY ("employeeId", "skillId")
);

CREATE TABLE "employeeAvailability" (
  "employeeId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "weekday" INTEGER NOT NULL,
  "startTime" TIME NOT NULL,
  "endTime" TIME NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL,
  PRIMARY KEY ("employeeId", "weekday")
);

CREATE TABLE "employeeAbsence" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "employeeId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "absenceTypeId" INTEGER NOT NULL REFERENCES "absenceType" ("id"),
  "startsOn" DATE NOT NULL,
  "endsOn" DATE NOT NULL,
  "days" INTEGER NOT NULL,
  "status" VARCHAR(40) NOT NULL,
  "approvedBy" INTEGER REFERENCES "user" ("id"),
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "payRate" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "employeeId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "validFrom" DATE NOT NULL,
  "hourlyRate" NUMERIC(12, 2) NOT NULL,
  "overtimeRate" NUMERIC(12, 2) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "payrollPeriod" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "year" INTEGER NOT NULL,
  "month" INTEGER NOT NULL,
  "startsOn" DATE NOT NULL,
  "endsOn" DATE NOT NULL,
  "paidOn" DATE,
  "status" VARCHAR(40) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "payrollEntry" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "payrollPeriodId" INTEGER NOT NULL REFERENCES "payrollPeriod" ("id"),
  "employeeId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "regularHours" NUMERIC(10, 2) NOT NULL,
  "overtimeHours" NUMERIC(10, 2) NOT NULL,
  "grossAmount" NUMERIC(12, 2) NOT NULL,
  "bonusAmount" NUMERIC(12, 2) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "shift" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "name" VARCHAR(120) NOT NULL,
  "startTime" TIME NOT NULL,
  "endTime" TIME NOT NULL,
  "isNight" BOOLEAN NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "onCallDuty" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "employeeId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "branchId" INTEGER NOT NULL REFERENCES "branch" ("id"),
  "shiftId" INTEGER NOT NULL REFERENCES "shift" ("id"),
  "startsOn" DATE NOT NULL,
  "endsOn" DATE NOT NULL,
  "callouts" INTEGER NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "performanceReview" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "employeeId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "reviewerId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "reviewedOn" DATE NOT NULL,
  "score" INTEGER NOT NULL,
  "summary" VARCHAR(300) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

-- Quality and safety: feedback, complaints, accidents, and what was learned from them.

CREATE TABLE "incidentType" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL
);

CREATE TABLE "complaintCategory" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL
);

CREATE TABLE "hazard" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL
);

CREATE TABLE "customerFeedback" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "workOrderId" INTEGER NOT NULL REFERENCES "workOrder" ("id"),
  "rating" INTEGER NOT NULL,
  "comment" VARCHAR(300),
  "wouldRecommend" BOOLEAN NOT NULL,
  "receivedOn" DATE NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "complaint" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "customerId" INTEGER NOT NULL REFERENCES "customer" ("id"),
  "workOrderId" INTEGER REFERENCES "workOrder" ("id"),
  "complaintCategoryId" INTEGER NOT NULL REFERENCES "complaintCategory" ("id"),
  "handledBy" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "status" VARCHAR(40) NOT NULL,
  "receivedOn" DATE NOT NULL,
  "resolvedOn" DATE,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "safetyIncident" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "incidentTypeId" INTEGER NOT NULL REFERENCES "incidentType" ("id"),
  "workOrderId" INTEGER REFERENCES "workOrder" ("id"),
  "employeeId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "reportedBy" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "severity" VARCHAR(40) NOT NULL,
  "status" VARCHAR(40) NOT NULL,
  "occurredAt" DATETIME NOT NULL,
  "lostDays" INTEGER NOT NULL,
  "description" VARCHAR(300) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "correctiveAction" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "safetyIncidentId" INTEGER NOT NULL REFERENCES "safetyIncident" ("id"),
  "responsibleId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "description" VARCHAR(300) NOT NULL,
  "dueOn" DATE NOT NULL,
  "completedOn" DATE,
  "status" VARCHAR(40) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "riskAssessment" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "workOrderId" INTEGER NOT NULL REFERENCES "workOrder" ("id"),
  "hazardId" INTEGER NOT NULL REFERENCES "hazard" ("id"),
  "assessedBy" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "riskLevel" VARCHAR(40) NOT NULL,
  "isAccepted" BOOLEAN NOT NULL,
  "assessedOn" DATE NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "safetyMeeting" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "crewId" INTEGER NOT NULL REFERENCES "crew" ("id"),
  "ledBy" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "topic" VARCHAR(120) NOT NULL,
  "heldOn" DATE NOT NULL,
  "durationMinutes" INTEGER NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "safetyMeetingAttendance" (
  "safetyMeetingId" INTEGER NOT NULL REFERENCES "safetyMeeting" ("id"),
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "employeeId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "isPresent" BOOLEAN NOT NULL,
  PRIMARY KEY ("safetyMeetingId", "employeeId")
);

CREATE TABLE "qualityAudit" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "workOrderId" INTEGER NOT NULL REFERENCES "workOrder" ("id"),
  "auditorId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "auditedOn" DATE NOT NULL,
  "score" NUMERIC(10, 2) NOT NULL,
  "result" VARCHAR(40) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

-- Courses, certificates, and who has them.

CREATE TABLE "certification" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL,
  "issuer" VARCHAR(120) NOT NULL,
  "validMonths" INTEGER NOT NULL
);

CREATE TABLE "employeeCertification" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "employeeId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "certificationId" INTEGER NOT NULL REFERENCES "certification" ("id"),
  "certificateNumber" VARCHAR(60) NOT NULL UNIQUE,
  "issuedOn" DATE NOT NULL,
  "expiresOn" DATE NOT NULL,
  "status" VARCHAR(40) NOT NULL,
  "verifiedBy" INTEGER REFERENCES "user" ("id"),
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "requiredCertification" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "workOrderTypeId" INTEGER NOT NULL REFERENCES "workOrderType" ("id"),
  "certificationId" INTEGER NOT NULL REFERENCES "certification" ("id"),
  "isMandatory" BOOLEAN NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "trainingCourse" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "name" VARCHAR(120) NOT NULL,
  "certificationId" INTEGER REFERENCES "certification" ("id"),
  "format" VARCHAR(40) NOT NULL,
  "durationHours" INTEGER NOT NULL,
  "cost" NUMERIC(12, 2) NOT NULL,
  "isMandatory" BOOLEAN NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "trainingSession" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "trainingCourseId" INTEGER NOT NULL REFERENCES "trainingCourse" ("id"),
  "trainerId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "city" VARCHAR(120) NOT NULL,
  "startsOn" DATE NOT NULL,
  "endsOn" DATE NOT NULL,
  "seats" INTEGER NOT NULL,
  "status" VARCHAR(40) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "trainingAttendance" (
  "trainingSessionId" INTEGER NOT NULL REFERENCES "trainingSession" ("id"),
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "employeeId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "result" VARCHAR(40) NOT NULL,
  "score" INTEGER,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL,
  PRIMARY KEY ("trainingSessionId", "employeeId")
);

-- Vans and cars: who drives them, where they go, what they cost.

CREATE TABLE "vehicleType" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL,
  "payloadKilograms" INTEGER NOT NULL
);

CREATE TABLE "vehicle" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "vehicleTypeId" INTEGER NOT NULL REFERENCES "vehicleType" ("id"),
  "branchId" INTEGER NOT NULL REFERENCES "branch" ("id"),
  "plateNumber" VARCHAR(40) NOT NULL UNIQUE,
  "make" VARCHAR(60) NOT NULL,
  "model" VARCHAR(60) NOT NULL,
  "modelYear" INTEGER NOT NULL,
  "fuel" VARCHAR(40) NOT NULL,
  "status" VARCHAR(40) NOT NULL,
  "purchasedOn" DATE NOT NULL,
  "odometer" INTEGER NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "vehicleAssignment" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "vehicleId" INTEGER NOT NULL REFERENCES "vehicle" ("id"),
  "crewId" INTEGER NOT NULL REFERENCES "crew" ("id"),
  "assignedOn" DATE NOT NULL,
  "returnedOn" DATE,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "fuelPurchase" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "vehicleId" INTEGER NOT NULL REFERENCES "vehicle" ("id"),
  "employeeId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "purchasedOn" DATE NOT NULL,
  "quantity" NUMERIC(10, 2) NOT NULL,
  "amount" NUMERIC(12, 2) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "vehicleService" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "vehicleId" INTEGER NOT NULL REFERENCES "vehicle" ("id"),
  "serviceType" VARCHAR(40) NOT NULL,
  "servicedOn" DATE NOT NULL,
  "cost" NUMERIC(12, 2) NOT NULL,
  "garage" VARCHAR(120) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "trip" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "vehicleId" INTEGER NOT NULL REFERENCES "vehicle" ("id"),
  "driverId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "workOrderId" INTEGER REFERENCES "workOrder" ("id"),
  "startedAt" DATETIME NOT NULL,
  "endedAt" DATETIME NOT NULL,
  "kilometers" NUMERIC(10, 2) NOT NULL
);

CREATE TABLE "trafficFine" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "vehicleId" INTEGER NOT NULL REFERENCES "vehicle" ("id"),
  "driverId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "offence" VARCHAR(40) NOT NULL,
  "issuedOn" DATE NOT NULL,
  "amount" NUMERIC(12, 2) NOT NULL,
  "status" VARCHAR(40) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

-- Work orders: what was asked for, planned, done, and how long it took.

CREATE TABLE "workOrderType" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL,
  "isPlanned" BOOLEAN NOT NULL
);

CREATE TABLE "priority" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL,
  "rank" INTEGER NOT NULL,
  "responseHours" INTEGER NOT NULL
);

CREATE TABLE "cancellationReason" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL
);

CREATE TABLE "workTimeType" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "name" VARCHAR(120) NOT NULL,
  "isBillable" BOOLEAN NOT NULL
);

CREATE TABLE "workOrder" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "number" VARCHAR(60) NOT NULL UNIQUE,
  "title" VARCHAR(120) NOT NULL,
  "description" BLOB,
  "customerId" INTEGER NOT NULL REFERENCES "customer" ("id"),
  "customerLocationId" INTEGER NOT NULL REFERENCES "customerLocation" ("id"),
  "customerContactId" INTEGER REFERENCES "customerContact" ("id"),
  "workOrderTypeId" INTEGER NOT NULL REFERENCES "workOrderType" ("id"),
  "priorityId" INTEGER NOT NULL REFERENCES "priority" ("id"),
  "branchId" INTEGER NOT NULL REFERENCES "branch" ("id"),
  "crewId" INTEGER REFERENCES "crew" ("id"),
  "assignedTo" INTEGER REFERENCES "employee" ("id"),
  "dispatcherId" INTEGER REFERENCES "employee" ("id"),
  "approvedBy" INTEGER REFERENCES "user" ("id"),
  "contractId" INTEGER REFERENCES "contract" ("id"),
  "status" VARCHAR(40) NOT NULL,
  "requestedOn" DATE NOT NULL,
  "scheduledStart" DATETIME,
  "scheduledEnd" DATETIME,
  "startedAt" DATETIME,
  "completedAt" DATETIME,
  "estimatedHours" NUMERIC(10, 2) NOT NULL,
  "estimatedAmount" NUMERIC(12, 2) NOT NULL,
  "cancellationReasonId" INTEGER REFERENCES "cancellationReason" ("id"),
  "isBillable" BOOLEAN NOT NULL,
  "contactPhone" BLOB,
  "internalNotes" BLOB,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "taskTemplate" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "workOrderTypeId" INTEGER NOT NULL REFERENCES "workOrderType" ("id"),
  "name" VARCHAR(120) NOT NULL,
  "position" INTEGER NOT NULL,
  "standardMinutes" INTEGER NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "workOrderTask" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "workOrderId" INTEGER NOT NULL REFERENCES "workOrder" ("id"),
  "taskTemplateId" INTEGER NOT NULL REFERENCES "taskTemplate" ("id"),
  "name" VARCHAR(120) NOT NULL,
  "position" INTEGER NOT NULL,
  "status" VARCHAR(40) NOT NULL,
  "plannedMinutes" INTEGER NOT NULL,
  "completedBy" INTEGER REFERENCES "employee" ("id"),
  "completedAt" DATETIME
);

CREATE TABLE "workOrderStatusHistory" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "workOrderId" INTEGER NOT NULL REFERENCES "workOrder" ("id"),
  "fromStatus" VARCHAR(40),
  "toStatus" VARCHAR(40) NOT NULL,
  "changedAt" DATETIME NOT NULL,
  "changedBy" INTEGER NOT NULL REFERENCES "user" ("id")
);

CREATE TABLE "workOrderNote" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "workOrderId" INTEGER NOT NULL REFERENCES "workOrder" ("id"),
  "authorId" INTEGER NOT NULL REFERENCES "user" ("id"),
  "noteText" VARCHAR(400) NOT NULL,
  "writtenAt" DATETIME NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "workOrderAsset" (
  "workOrderId" INTEGER NOT NULL REFERENCES "workOrder" ("id"),
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "assetId" INTEGER NOT NULL REFERENCES "asset" ("id"),
  "action" VARCHAR(40) NOT NULL,
  PRIMARY KEY ("workOrderId", "assetId")
);

CREATE TABLE "workOrderMaterial" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "workOrderId" INTEGER NOT NULL REFERENCES "workOrder" ("id"),
  "inventoryItemId" INTEGER NOT NULL REFERENCES "inventoryItem" ("id"),
  "warehouseId" INTEGER NOT NULL REFERENCES "warehouse" ("id"),
  "quantity" NUMERIC(10, 2) NOT NULL,
  "unitPrice" NUMERIC(12, 2) NOT NULL,
  "lineTotal" NUMERIC(12, 2) NOT NULL
);

CREATE TABLE "workTime" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "employeeId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "workOrderId" INTEGER REFERENCES "workOrder" ("id"),
  "workTimeTypeId" INTEGER NOT NULL REFERENCES "workTimeType" ("id"),
  "workDate" DATE NOT NULL,
  "startTime" TIME NOT NULL,
  "endTime" TIME NOT NULL,
  "hours" NUMERIC(10, 2) NOT NULL,
  "overtimeHours" NUMERIC(10, 2) NOT NULL,
  "status" VARCHAR(40) NOT NULL,
  "approvedBy" INTEGER REFERENCES "user" ("id")
);

CREATE TABLE "serviceRequest" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "customerId" INTEGER NOT NULL REFERENCES "customer" ("id"),
  "customerLocationId" INTEGER REFERENCES "customerLocation" ("id"),
  "workOrderId" INTEGER REFERENCES "workOrder" ("id"),
  "handledBy" INTEGER REFERENCES "employee" ("id"),
  "channel" VARCHAR(40) NOT NULL,
  "status" VARCHAR(40) NOT NULL,
  "subject" VARCHAR(120) NOT NULL,
  "receivedAt" DATETIME NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "appointment" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "workOrderId" INTEGER NOT NULL REFERENCES "workOrder" ("id"),
  "employeeId" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "vehicleId" INTEGER REFERENCES "vehicle" ("id"),
  "startsAt" DATETIME NOT NULL,
  "endsAt" DATETIME NOT NULL,
  "status" VARCHAR(40) NOT NULL,
  "delayMinutes" INTEGER,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "dispatchRoute" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "crewId" INTEGER NOT NULL REFERENCES "crew" ("id"),
  "vehicleId" INTEGER REFERENCES "vehicle" ("id"),
  "plannedBy" INTEGER NOT NULL REFERENCES "employee" ("id"),
  "routeDate" DATE NOT NULL,
  "plannedKilometers" NUMERIC(10, 2) NOT NULL,
  "status" VARCHAR(40) NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL
);

CREATE TABLE "routeStop" (
  "dispatchRouteId" INTEGER NOT NULL REFERENCES "dispatchRoute" ("id"),
  "companyId" INTEGER NOT NULL REFERENCES "company" ("id"),
  "position" INTEGER NOT NULL,
  "workOrderId" INTEGER NOT NULL REFERENCES "workOrder" ("id"),
  "plannedArrival" TIME NOT NULL,
  "createdBy" INTEGER REFERENCES "user" ("id"),
  "updatedBy" INTEGER REFERENCES "user" ("id"),
  "createdAt" DATETIME NOT NULL,
  "updatedAt" DATETIME NOT NULL,
  PRIMARY KEY ("dispatchRouteId", "position")
);
