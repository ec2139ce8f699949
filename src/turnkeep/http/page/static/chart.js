// A plot of rows of the details, and its text. Mark and encoding are a small subset of Vega-Lite.

import { capital, el, short } from "./dom.js";

const MOST_LABEL = 26;

export function drawChart(chart, details) {
  const { x, y } = chart.encoding;
  const measures = Array.isArray(y) ? y : [y];
  const records = recordsOf(chart, details);
  if (x.type === "temporal") records.sort((a, b) => (a[x.field] < b[x.field] ? -1 : 1));
  const words = inWords(chart.mark, x, measures, records);
  const canvas = el("div", { class: "plot", role: "img", "aria-label": words });
  const reading = el("span", { class: "reading", "aria-hidden": "true" });
  const draw = () => redraw(canvas, chart.mark, x, measures, records, reading);
  new ResizeObserver(draw).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  const title = `${measures.map((each) => each.title).join(", ")} by ${x.title}`;
  const names = measures.length > 1 ? el("ul", { class: "names" }, ...measures.map((y) => el("li", {}, y.title))) : "";
  return el("figure", {}, el("figcaption", {}, el("span", {}, capital(title)), reading), canvas, names);
}

function recordsOf(chart, details) {
  const passes = (figure) => ({ filter: { field, oneOf, equal } }) => (oneOf || [equal]).includes(figure[field]);
  if (details.figures) return details.figures.filter((figure) => (chart.transform || []).every(passes(figure)));
  return details.rows.map((row) => Object.fromEntries(details.columns.map((name, at) => [name, row[at]])));
}

function inWords(mark, x, measures, records) {
  const parts = measures.map((y) => {
    const given = records.filter((record) => record[y.field] !== null).toSorted((a, b) => a[y.field] - b[y.field]);
    const end = (record) => `${number(record[y.field], y)} (${label(record[x.field])})`;
    return given.length ? `${y.title}: ${given.length} values from ${end(given[0])} to ${end(given.at(-1))}` : y.title;
  });
  return `A ${mark} chart of ${parts.join(", ")}, by ${x.title}.`;
}

function redraw(canvas, mark, x, measures, records, reading) {
  const look = `${canvas.clientWidth} ${colour("--accent")}`;
  if (!canvas.isConnected || !canvas.clientWidth || canvas.dataset.look === look) return;
  canvas.dataset.look = look;
  canvas.replaceChildren();
  const draw = mark === "bar" ? bars : lines;
  const plot = draw(canvas.clientWidth, x, measures, records);
  const read = ({ cursor: { idx } }) => { reading.textContent = records[idx] ? readAt(x, measures, records[idx]) : ""; };
  new uPlot({ ...plot.options, legend: { show: false }, hooks: { ...plot.options.hooks, setCursor: [read] } }, plot.data, canvas);
}

function readAt(x, measures, record) {
  const values = measures.map((y) => (record[y.field] === null ? "–" : number(record[y.field], y)));
  return `${label(record[x.field])}: ${values.join(" · ")}`;
}

function lines(width, x, measures, records) {
  const labels = records.map((record) => label(record[x.field]));
  const places = labels.map((_, at) => at);
  const hues = ["--accent", "--second", "--third", "--fourth"].map(colour);
  const series = measures.map((y, at) => ({
    label: y.title, stroke: hues[at], width: 2, points: { size: 5, fill: hues[at] },
  }));
  const room = Math.max(1, Math.ceil(labels.length / Math.max(2, Math.floor((width - 70) / 90))));
  return {
    data: [places, ...measures.map((y) => records.map((record) => record[y.field]))],
    options: {
      width, height: 240, padding: [12, 24, 0, 0], cursor: { y: false, drag: { x: false, y: false } },
      scales: { x: { time: false }, y: { range: (_, low, high) => rangeFor(low, high) } },
      series: [{}, ...series],
      axes: [
        axis({ size: 32, splits: () => places.filter((at) => at % room === 0), values: (_, at) => at.map((each) => short(labels[each], 14)), grid: { show: false } }),
        axis({ size: 64, space: 44, values: (_, at) => at.map((each) => number(each, measures[0], true)) }),
      ],
    },
  };
}

// Horizontal bars have their names on the left, so that they are readable.
function bars(width, x, [y], records) {
  const labels = records.map((record) => label(record[x.field]));
  const values = records.map((record) => record[y.field]);
  const beside = Math.min(width * 0.42, 24 + 7 * Math.max(...labels.map((each) => Math.min(each.length, MOST_LABEL))));
  const fill = colour("--accent");
  const most = Math.floor((beside - 16) / 6.6);
  return {
    data: [labels.map((_, at) => at), values],
    options: {
      width, height: 34 + 30 * labels.length, padding: [4, 56, 0, 0], cursor: { y: false, x: false, drag: { x: false, y: false }, points: { show: false } },
      scales: {
        x: { time: false, ori: 1, dir: -1, range: [-0.6, labels.length - 0.4] },
        y: { ori: 0, range: (_, low, high) => rangeFor(Math.min(low, 0), high) },
      },
      series: [{}, { label: y.title, fill, stroke: fill, width: 0, points: { show: false }, paths: uPlot.paths.bars({ size: [0.62, 22], radius: 0.2 }) }],
      axes: [
        axis({ side: 3, size: beside, splits: () => labels.map((_, at) => at), values: (_, at) => at.map((each) => short(labels[each], most)), grid: { show: false } }),
        axis({ side: 2, size: 28, space: 90, values: (_, at) => at.map((each) => number(each, y, true)) }),
      ],
      hooks: { draw: [(plot) => nameValues(plot, values, y)] },
    },
  };
}

function nameValues(plot, values, y) {
  const { ctx } = plot;
  ctx.save();
  ctx.fillStyle = colour("--ink");
  ctx.font = font(12 * devicePixelRatio);
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  values.forEach((value, at) => {
    if (value === null) return;
    const right = plot.valToPos(Math.max(value, 0), "y", true) + 6 * devicePixelRatio;
    ctx.fillText(number(value, y), right, plot.valToPos(at, "x", true));
  });
  ctx.restore();
}

function axis(more) {
  const line = { stroke: colour("--line"), width: 1 };
  return { stroke: colour("--soft"), font: font(12), ticks: { show: false }, gap: 8, ...more, grid: { ...line, ...more.grid } };
}

// Starts at zero, unless all values are close together and far from it.
function rangeFor(low, high) {
  const least = low > 0 && low > 0.7 * high ? low - (high - low || low) * 0.4 : Math.min(low, 0);
  return [least, high + (high - least) * 0.06 || 1];
}

function number(value, y, isAxis = false) {
  if (y.axis?.format) return new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 2 }).format(value);
  const compact = isAxis && Math.abs(value) >= 10000 ? { notation: "compact" } : {};
  return new Intl.NumberFormat("en", { maximumFractionDigits: 2, ...compact }).format(value);
}

const label = (value) => String(value ?? "–").replace(/[T ]00:00:00$/, "");
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const font = (size) => `${size}px ${getComputedStyle(document.body).fontFamily}`;
