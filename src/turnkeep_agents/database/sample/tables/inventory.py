"""Parts on stock, where they come from, and where they go. `order` is what customers buy without any work."""

from turnkeep_agents.database.sample.tables.columns import (
    choice,
    day,
    flag,
    link,
    lookup,
    moment,
    money,
    number,
    table,
    text,
    unique,
    whole,
)

unit = lookup("unit", "Units of measure.", text("name"), text("symbol", size=10))
item_category = lookup("itemCategory", "Groups of parts and materials.", text("name"))

warehouse = table(
    "warehouse",
    "Places where parts are kept.",
    text("name"),
    link("branchId", "branch"),
    text("city"),
    link("storekeeperId", "employee", "The employee who looks after it.", optional=True),
    flag("isActive"),
)

supplier = table(
    "supplier",
    "Companies that parts are bought from.",
    text("name"),
    text("email"),
    text("city"),
    text("country", size=40),
    link("paymentTermId", "paymentTerm"),
    whole("rating", "1 is poor, 5 is excellent."),
    choice("status", "active blocked"),
)

supplier_contact = table(
    "supplierContact",
    "People to talk to at a supplier.",
    link("supplierId", "supplier"),
    text("fullName"),
    text("email"),
    choice("role", "sales support accounting"),
)

inventory_item = table(
    "inventoryItem",
    "Parts and materials that the company keeps.",
    unique("sku", "Article number."),
    text("name"),
    link("itemCategoryId", "itemCategory"),
    link("unitId", "unit"),
    link("supplierId", "supplier", "From whom it is usually bought."),
    money("costPrice", "What the company pays for one."),
    money("listPrice", "What customers pay for one without a price list."),
    whole("reorderLevel", "Stock at which more is bought."),
    flag("isActive"),
)

supplier_item = table(
    "supplierItem",
    "What suppliers ask for a part.",
    link("supplierId", "supplier", key=True),
    link("inventoryItemId", "inventoryItem", key=True),
    money("price"),
    whole("leadDays", "Days from order to delivery."),
)

stock_level = table(
    "stockLevel",
    "How much of a part lies in a warehouse now.",
    link("warehouseId", "warehouse", key=True),
    link("inventoryItemId", "inventoryItem", key=True),
    number("quantity"),
    whole("minimumQuantity", "Below it more is bought."),
)

stock_movement = table(
    "stockMovement",
    "Every change of stock. The movements of a part in a warehouse add up to its stock.",
    link("warehouseId", "warehouse"),
    link("inventoryItemId", "inventoryItem"),
    link("workOrderId", "workOrder", "The work order that used it up.", optional=True),
    link("purchaseOrderId", "purchaseOrder", "The purchase that brought it.", optional=True),
    choice("movementType", "opening receipt consumption"),
    number("quantity", "Below zero for what leaves the warehouse."),
    day("movedOn"),
    audited=False,
)

purchase_order = table(
    "purchaseOrder",
    "What the company orders from suppliers.",
    unique("number"),
    link("supplierId", "supplier"),
    link("warehouseId", "warehouse", "Where it is delivered."),
    link("requestedBy", "employee", "The employee who asked for it."),
    link("approvedBy", "employee", "The employee who allowed it.", optional=True),
    choice("status", "ordered received cancelled"),
    day("orderedOn"),
    day("expectedOn"),
    day("receivedOn", optional=True),
    money("totalAmount"),
)

purchase_order_line = table(
    "purchaseOrderLine",
    "The parts of a purchase.",
    link("purchaseOrderId", "purchaseOrder", key=True),
    whole("lineNumber", key=True),
    link("inventoryItemId", "inventoryItem"),
    number("quantity"),
    money("unitPrice"),
    money("lineTotal"),
    audited=False,
)

goods_receipt = table(
    "goodsReceipt",
    "Deliveries of suppliers.",
    link("purchaseOrderId", "purchaseOrder"),
    link("receivedBy", "employee", "The employee who took it in."),
    moment("receivedAt"),
    text("deliveryNote", size=60),
    flag("isComplete"),
)

stock_count = table(
    "stockCount",
    "Countings of what really lies in a warehouse.",
    link("warehouseId", "warehouse"),
    link("countedBy", "employee", "The employee who counted."),
    day("countedOn"),
    choice("status", "open closed"),
)

stock_count_line = table(
    "stockCountLine",
    "What was counted, beside what the books said.",
    link("stockCountId", "stockCount", key=True),
    link("inventoryItemId", "inventoryItem", key=True),
    number("bookQuantity"),
    number("countedQuantity"),
)

order = table(
    "order",
    "Orders of customers for parts that they fit themselves.",
    unique("number"),
    link("customerId", "customer"),
    link("salesRepId", "employee", "The employee who sold it."),
    choice("status", "placed shipped delivered returned"),
    day("orderedOn"),
    day("deliveredOn", optional=True),
    money("totalAmount"),
)

order_line = table(
    "orderLine",
    "The parts of a customer's order.",
    link("orderId", "order", key=True),
    whole("lineNumber", key=True),
    link("inventoryItemId", "inventoryItem"),
    number("quantity"),
    money("unitPrice"),
    money("lineTotal"),
)
