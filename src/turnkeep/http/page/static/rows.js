// Rows of a result: a table with pages, the database query, and a plot if the rows are worth one.

import { drawChart } from "./chart.js";
import { button, capital, copier, el, fold } from "./dom.js";
import { plotOf } from "./plots.js";

const PAGE = 10;
const BESIDE = 5;
const MOST_HELD = 100;
const SHORT = 22;
const MIDNIGHT = /^(\d{4}-\d\d-\d\d)[T ]00:00:00$/;
const SECONDS = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d):\d\d(?:\.\d+)?$/;

export function rowsOf(result, details) {
  const parts = [];
  const chart = result.chart ?? plotOf(result);
  if (chart) parts.push(drawChart(chart, details));
  if (result.rows?.length) parts.push(pagedTable(result));
  if (result.sql) parts.push(fold("SQL", el("pre", { tabindex: "0" }, el("code", {}, result.sql)), copier(result.sql, "Copy SQL")));
  return parts.length ? el("div", { class: "result" }, ...parts) : null;
}

function pagedTable({ columns, rows, page }) {
  const size = rows.length <= PAGE + BESIDE ? rows.length : PAGE;
  const offset = page?.offset || 0;
  const forms = columns.map((_, at) => formOf(rows.map((row) => row[at])));
  const body = el("tbody");
  const place = el("span", { "aria-live": "polite" });
  const before = button("Previous", () => turn(start - size), { class: "quiet small" });
  const next = button("Next", () => turn(start + size), { class: "quiet small" });
  let start = 0;

  function turn(to) {
    start = to;
    body.replaceChildren(...rows.slice(start, start + size).map((row) => el("tr", {}, ...row.map((cell, at) => {
      const text = shown(cell, forms[at]);
      return el("td", { class: forms[at] ? "number" : text.length <= SHORT ? "short" : null, dir: "auto" }, text);
    }))));
    const end = Math.min(start + size, rows.length);
    const all = offset + rows.length;
    place.textContent = `${offset + start + 1}–${offset + end} of ${all}${page?.has_more && rows.length >= MOST_HELD ? " or more" : ""}`;
    before.disabled = start === 0;
    next.disabled = end === rows.length;
  }

  const head = el("tr", {}, ...columns.map((name, at) =>
    el("th", { scope: "col", class: forms[at] ? "number" : null, dir: "auto" }, capital(name))));
  turn(0);
  const table = el("div", { class: "scroll", role: "group", "aria-label": "Rows", tabindex: "0" },
    el("table", {}, el("thead", {}, head), body));
  const pager = rows.length > size ? el("div", { class: "row pager" }, before, place, next) : null;
  return el("div", {}, ...[table, pager].filter(Boolean));
}

// Returns the number format of a column, null if it contains anything but numbers.
function formOf(cells) {
  const given = cells.filter((cell) => cell !== null);
  if (!given.length || !given.every((cell) => typeof cell === "number")) return null;
  const whole = given.every(Number.isInteger);
  const grouped = !whole || given.some((cell) => Math.abs(cell) >= 10000);
  const digits = whole ? 0 : 2;
  return new Intl.NumberFormat("en", { useGrouping: grouped, minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function shown(cell, form) {
  if (cell === null || cell === undefined) return "";
  if (form) return form.format(cell);
  return String(cell).replace(MIDNIGHT, "$1").replace(SECONDS, "$1 $2");
}

// Replaces a table with the first rows in the reply, and the line below it, by the table with pages.
export function placeInReply(reply, result, view) {
  const wanted = result.columns?.map(capital).join("\n");
  for (const table of reply.querySelectorAll("table")) {
    if ([...table.tHead.rows[0]?.cells || []].map((cell) => cell.textContent.trim()).join("\n") !== wanted) continue;
    const frame = table.closest(".scroll");
    const below = frame.nextElementSibling;
    if (below && /^\d+–\d+ \/ \d+\+?$/.test(below.textContent.trim())) below.remove();
    frame.replaceWith(view);
    return true;
  }
  return false;
}
