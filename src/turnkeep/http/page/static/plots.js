// Chooses a plot for rows by their columns and values alone: mark and encoding for chart.js, or null.

const MOST_LINES = 4;
const MOST_BARS = 30;
const LEAST_POINTS = 3;
const MOST_APART = 50; // times: "jobs 12, invoiced 80,000" need two axes
const [FIRST_YEAR, LAST_YEAR] = [1900, 2100];

// "id", "invoice number", "customerId"; but not "paid", nor "number of jobs"
const ID = /(?:^|[^\p{L}\p{N}])(?:id|no|nr|number|code|key|phone|zip)$/iu;
const CAMEL_ID = /[a-z](?:Id|ID|No|Nr|Number|Code|Key)$/;
// "2026-03", "2026-03-14", "2026-03-14 09:30:00", "2026-03-14T09:30:00Z"
const TIME = /^\d{4}-(?:0[1-9]|1[0-2])(?:-[0-3]\d(?:[T ][0-2]\d:[0-5]\d[\d:.]*(?:Z|[+-]\d\d:?\d\d)?)?)?$/;
// "2026-W07", "2026 Q3", "2026"
const PERIOD = /^\d{4}(?:[- ]?[WQ]\d{1,2})?$/;
// "month" as 1 to 12, "hour of the day", "fiscal year"; but not "hours", "monthly fee"
const ORDERED = /^(?:[\p{L}\p{N}_]+[ _])?(?:year|quarter|month|week|weekday|day|hour)(?:[ _](?:of|number|no)\b.*)?$/iu;

// Returns a line for "month | invoiced", bars for "branch | jobs". Returns null for a single row, for "invoice |
// customer | due" (a list without a comparison), for "branch | jobs" if each has 1, and for two columns of one name.
export function plotOf({ columns, rows }) {
  if (!rows || rows.length < 2 || new Set(columns).size < columns.length) return null;
  const fields = columns.map((name, at) => fieldOf(name, rows.map((row) => row[at])));
  const axes = fields.filter(({ type }) => ["temporal", "ordinal", "nominal"].includes(type));
  const measures = fields.filter(({ type }) => type === "quantitative");
  if (axes.length !== 1 || !measures.length || fields.some(({ type }) => type === "other")) return null;
  const [x] = axes;
  const isLine = x.type !== "nominal" && rows.length >= LEAST_POINTS;
  if (!isLine && rows.length > MOST_BARS) return null;
  const y = isLine ? onOneAxis(measures) : measures.slice(0, 1);
  if (!y.some(({ given }) => new Set(given).size > 1)) return null;
  return { mark: isLine ? "line" : "bar", encoding: { x, y } };
}

function fieldOf(name, cells) {
  const given = cells.filter((cell) => cell !== null);
  return { field: name, title: name, type: typeOf(name, cells, given), given };
}

function typeOf(name, cells, given) {
  const isFull = given.length === cells.length;
  if (ID.test(name) || CAMEL_ID.test(name) || !given.length) return "id";
  if (given.every((cell) => typeof cell === "number")) return isFull ? typeOfNumbers(name, given) : "quantitative";
  // "customer" of a list of invoices may occur twice
  if (new Set(cells).size < cells.length || !given.every((cell) => typeof cell === "string")) return "other";
  if (isFull && given.every((cell) => TIME.test(cell))) return "temporal";
  return given.every((cell) => PERIOD.test(cell)) ? "ordinal" : "nominal";
}

// Whole numbers are an axis if their name is one, "month", or if they increase like years: 2023, 2024, 2025.
function typeOfNumbers(name, cells) {
  const isWhole = cells.every(Number.isInteger);
  const isDistinct = new Set(cells).size === cells.length;
  if (isWhole && ORDERED.test(name)) return isDistinct ? "ordinal" : "other";
  const isYears = isWhole && cells.every((cell, at) =>
    cell >= FIRST_YEAR && cell <= LAST_YEAR && (at === 0 || cell > cells[at - 1]));
  return isYears ? "ordinal" : "quantitative";
}

// Returns the first measure, and those of similar size.
function onOneAxis(measures) {
  const tops = measures.map(({ given }) => Math.max(...given.map(Math.abs)));
  const near = measures.filter((_, at) => tops[0] <= MOST_APART * tops[at] && tops[at] <= MOST_APART * tops[0]);
  return near.slice(0, MOST_LINES);
}
