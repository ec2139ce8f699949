// Renders a reply while it is streamed. The parser is streaming-markdown; the elements made here are a short list: no
// tags from the text, no images, links only to http and https.

import * as smd from "./vendor/smd.min.js";
import { el, webAddress } from "./dom.js";

const TAGS = {
  [smd.PARAGRAPH]: "p", [smd.BLOCKQUOTE]: "blockquote", [smd.LINE_BREAK]: "br", [smd.RULE]: "hr",
  [smd.HEADING_1]: "h3", [smd.HEADING_2]: "h3", [smd.HEADING_3]: "h4", [smd.HEADING_4]: "h4",
  [smd.HEADING_5]: "h5", [smd.HEADING_6]: "h5",
  [smd.ITALIC_AST]: "em", [smd.ITALIC_UND]: "em", [smd.STRONG_AST]: "strong", [smd.STRONG_UND]: "strong",
  [smd.STRIKE]: "s", [smd.CODE_INLINE]: "code", [smd.EQUATION_BLOCK]: "code", [smd.EQUATION_INLINE]: "code",
  [smd.LINK]: "a", [smd.RAW_URL]: "a", [smd.LIST_UNORDERED]: "ul", [smd.LIST_ORDERED]: "ol", [smd.LIST_ITEM]: "li",
};

const FIGURE = /^[-+]?\p{Sc}?\s?[\d.,\u202f]+\s?[%\p{Sc}]?$/u;

export function writer(root) {
  const parser = smd.parser({ data: { path: [root] }, add_token, end_token, add_text, set_attr });
  let written = "";
  return {
    write(text) { written += text; smd.parser_write(parser, shown(text)); },
    end() { smd.parser_end(parser); tidy(root); },
    get text() { return written; },
  };
}

export function render(root, text) {
  const whole = writer(root);
  whole.write(text);
  whole.end();
}

// Control characters are shown, so that they have no effect where the text is pasted. Text that the parser would take
// for marks, "snake_case_name" and "$5 or $6", is disguised. "&lt;" is how agents write "<" outside tags.
const DISGUISED = { _: "\ue000", $: "\ue001" };
const ENTITIES = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };

function shown(text) {
  return text
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "\ufffd")
    .replace(/[\ue000\ue001]/g, "\ufffd")
    .replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity])
    .replace(/(?<=\w)_(?=\w)|\$/g, (mark) => DISGUISED[mark]);
}

function plain(text) {
  return text.replaceAll(DISGUISED._, "_").replaceAll(DISGUISED.$, "$");
}

function add_token(data, type) {
  const parent = data.path.at(-1);
  data.path.push(type === smd.DOCUMENT ? parent : added(parent, type));
}

function added(parent, type) {
  if (type === smd.CODE_BLOCK || type === smd.CODE_FENCE) {
    const code = el("code");
    parent.append(el("pre", { tabindex: "0" }, code));
    return code;
  }
  if (type === smd.TABLE) {
    const table = el("table", {}, el("thead"), el("tbody"));
    parent.append(el("div", { class: "scroll", role: "group", "aria-label": "Table", tabindex: "0" }, table));
    return table;
  }
  if (type === smd.TABLE_ROW) parent = parent.tHead.rows.length ? parent.tBodies[0] : parent.tHead;
  return parent.appendChild(element(parent, type));
}

function element(parent, type) {
  if (type === smd.TABLE_ROW) return el("tr");
  if (type === smd.TABLE_CELL) {
    return parent.parentElement.tagName === "THEAD" ? el("th", { scope: "col" }) : el("td");
  }
  if (type === smd.CHECKBOX) return el("input", { type: "checkbox", disabled: true, "aria-label": "Done" });
  return el(TAGS[type] || "span");
}

function end_token(data) {
  data.path.pop();
}

// Turns "[CC-2110]" and links to anything but the web into text; aligns columns of figures right.
function tidy(root) {
  for (const unlinked of root.querySelectorAll("a:not([href])")) unlinked.replaceWith("[", ...unlinked.childNodes, "]");
  for (const table of root.querySelectorAll("table")) {
    const head = table.tHead.rows[0];
    for (const cell of [...table.tBodies[0].rows].flatMap((row) => [...row.cells])) {
      if (!FIGURE.test(cell.textContent.trim())) continue;
      cell.classList.add("number");
      head?.cells[cell.cellIndex]?.classList.add("number");
    }
  }
}

function add_text(data, text) {
  data.path.at(-1).append(plain(text));
}

function set_attr(data, type, value) {
  const element = data.path.at(-1);
  const address = type === smd.HREF && webAddress(plain(value).replace(/[.,;:!?]+$/, ""));
  if (address) {
    Object.assign(element, { href: address, target: "_blank", rel: "noopener noreferrer" });
  } else if (type === smd.START) {
    element.setAttribute("start", Number(value) || 1);
  } else if (type === smd.CHECKED) {
    element.setAttribute("checked", "");
  }
}

// "[2106.09685]" becomes a link to that source.
export function linkCitations(root, sources) {
  const found = new Map(sources.map((source) => [`[${source.id}]`, source]));
  if (!found.size) return;
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes = [];
  root.normalize();
  while (texts.nextNode()) nodes.push(texts.currentNode);
  for (const node of nodes.filter((each) => !each.parentElement.closest("a, code"))) {
    const parts = node.data.split(/(\[[^\[\]\s]{1,80}\])/);
    if (!parts.some((part) => found.has(part))) continue;
    node.replaceWith(...parts.map((part) => (found.has(part) ? citation(found.get(part)) : part)));
  }
}

function citation(source) {
  const href = webAddress(source.url);
  const properties = { class: "cited", title: source.title };
  if (!href) return el("span", properties, source.id);
  return el("a", { ...properties, href, target: "_blank", rel: "noopener noreferrer" }, source.id);
}
