// Renders a reply, also while it streams. marked parses it. Its tokens become few kinds of elements, none from tags.

import { characterEntitiesHtml4 } from "./vendor/entities.js";
import { Lexer, Tokenizer } from "./vendor/marked.esm.js";
import { el, link, webAddress } from "./dom.js";

const DEEPEST = 20;
const NESTING = ["blockquote", "list", "emStrong", "del", "link", "reflink"];
const FIGURE = /^[-+]?\p{Sc}?\s?[\d.,\u202f]+\s?[%\p{Sc}]?$/u;
const TEX = /^\\(?:\([^]{1,400}?\\\)|\[[^]{1,400}?\\\])/;
const TEX_SIGNS = /[a-z\d][^]*[\\^_={}<>]|[\\^_={}<>][^]*[a-z\d]/i;
const CHARACTERS = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w+));/g;

const NAMED = { ...characterEntitiesHtml4, apos: "'" };

class Literal extends Tokenizer {
  depth = 0;

  html() {}
  tag() {}

  // TeX keeps its marks, as code.
  escape(source) {
    const raw = TEX.exec(source)?.[0] || "";
    return TEX_SIGNS.test(raw.slice(2, -2)) ? { type: "codespan", raw, text: raw } : super.escape(source);
  }
}

// Marks that nest deeper are text.
for (const name of NESTING) {
  Literal.prototype[name] = function (...source) {
    if (this.depth >= DEEPEST) return undefined;
    this.depth += 1;
    const token = Tokenizer.prototype[name].apply(this, source);
    this.depth -= 1;
    return token;
  };
}

// Images, and links to anything but http and https, are text.
const MAKERS = {
  paragraph: holder("p"), blockquote: holder("blockquote"), em: holder("em"), strong: holder("strong"), del: holder("s"),
  hr: holder("hr"), br: holder("br"), table, link: linked,
  list: ({ ordered, start, items }) => el(ordered ? "ol" : "ul", { start: ordered ? start : null },
    ...items.map(({ tokens }) => el("li", { dir: "auto" }, ...nodes(tokens)))),
  heading: (token) => holder(`h${3 + Math.floor((token.depth - 1) / 2)}`)(token),
  text: ({ text, tokens }) => (tokens ? nodes(tokens) : shown(decoded(text))),
  escape: ({ text }) => shown(text),
  codespan: ({ text }) => el("code", {}, shown(text)),
  code: ({ text }) => el("pre", { tabindex: "0", dir: "ltr" }, el("code", {}, shown(text))),
  image: ({ href, tokens }) => withAddress([plain(tokens)], decoded(href)),
  checkbox: ({ checked }) => el("input", { type: "checkbox", disabled: true, checked, "aria-label": "Done" }),
};

function holder(name) {
  return ({ tokens = [] }) => el(name, {}, ...nodes(tokens));
}

const nodes = (tokens) => tokens.flatMap((token) => MAKERS[token.type]?.(token) ?? []);
const plain = (tokens) => tokens.map(({ text, tokens: inner }) => (inner ? plain(inner) : shown(decoded(text || "")))).join("");

// Control characters are visible, so that they have no effect where the text is pasted. Each block has its own direction.
function shown(text) {
  return text
    .replace(/[\u2066-\u2069]/g, "")
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/g, "\ufffd");
}

function decoded(text) {
  return text.replace(CHARACTERS, (whole, decimal, hex, name) => {
    if (name) return Object.hasOwn(NAMED, name) ? NAMED[name] : whole;
    const code = decimal ? Number(decimal) : parseInt(hex, 16);
    return code && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : "\ufffd";
  });
}

function linked({ href, title, text, tokens, autolink }) {
  const words = autolink ? [shown(text)] : nodes(tokens);
  const address = autolink ? href : decoded(href);
  if (!webAddress(address)) return withAddress(words, address);
  const made = link(address, ...words);
  if (title) made.title = shown(decoded(title));
  return made;
}

function withAddress(words, address) {
  const text = words.map((word) => word.textContent ?? word).join("");
  return [text, `mailto:${text}`, ""].includes(address) ? words : [...words, ` (${shown(address)})`];
}

// Columns of figures are aligned right.
function table({ header, rows }) {
  const row = (cells, name) => el("tr", {}, ...cells.map(({ tokens }) =>
    el(name, { dir: "auto", scope: name === "th" ? "col" : null }, ...nodes(tokens))));
  const body = el("tbody", {}, ...rows.map((cells) => row(cells, "td")));
  const head = row(header, "th");
  for (const cell of body.querySelectorAll("td")) {
    if (FIGURE.test(cell.textContent.trim())) for (const each of [cell, head.cells[cell.cellIndex]]) each.className = "number";
  }
  const frame = { class: "scroll", role: "group", "aria-label": "Table", tabindex: "0" };
  return el("div", frame, el("table", {}, el("thead", {}, head), body));
}

// Draws a text that grows. Blocks that have not changed keep their elements.
export function writer(root) {
  let text = "", drawn = [], links = "", timer = 0, cost = 0;

  function draw(all) {
    clearTimeout(timer);
    timer = 0;
    const began = performance.now();
    const tokens = new Lexer({ gfm: true, tokenizer: new Literal() }).lex(all);
    const blocks = tokens.filter(({ type }) => MAKERS[type]);
    const defined = JSON.stringify(tokens.links);
    let same = 0;
    while (defined === links && same < drawn.length && drawn[same].raw === blocks[same]?.raw) same += 1;
    for (const { node } of drawn.splice(same)) node.remove();
    for (const token of blocks.slice(same)) {
      const node = MAKERS[token.type === "text" ? "paragraph" : token.type](token);
      node.dir ||= "auto";
      root.append(node);
      drawn.push({ raw: token.raw, node });
    }
    links = defined;
    cost = performance.now() - began;
  }

  // A dash alone waits for what follows it: it would make the line above it a heading.
  const drawPart = () => draw(text.replace(/\n[ >]*-$/, ""));

  function write(more) {
    text += more;
    timer ||= setTimeout(drawPart, cost * 3);
  }

  return { write, draw: drawPart, end: (all = text) => draw(all) };
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

function citation({ id, title, url }) {
  return Object.assign(link(url, id), { className: "cited", title });
}
