// Elements from names, properties and children. Text is always text: no code on this page parses markup from a string.

const SVG = "http://www.w3.org/2000/svg";

export const find = (id) => document.getElementById(id);

export function el(name, properties = {}, ...children) {
  return filled(document.createElement(name), properties, children);
}

export function svg(name, properties = {}, ...children) {
  return filled(document.createElementNS(SVG, name), properties, children);
}

function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

export function button(label, act, properties = {}) {
  return el("button", { type: "button", onclick: act, ...properties }, label);
}

// Text of models and documents may link only to http and https; other links stay text.
export function link(href, ...children) {
  const target = webAddress(href);
  if (!target) return el("span", {}, ...children);
  return el("a", { href: target, target: "_blank", rel: "noopener noreferrer" }, ...children);
}

export function webAddress(text) {
  try {
    const url = new URL(text);
    return ["http:", "https:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

export function fold(summary, ...children) {
  return el("details", {}, el("summary", {}, summary), ...children);
}

export function copier(text, label = "Copy") {
  const copy = button(label, async () => {
    await navigator.clipboard.writeText(text);
    copy.textContent = "Copied";
    setTimeout(() => (copy.textContent = label), 1500);
  }, { class: "quiet small" });
  return copy;
}

// A modal question. Resolves to the result of the chosen button's `act`, or null if it is closed.
export function ask(title, content, choices) {
  return new Promise((resolve) => {
    const dialog = el("dialog", { "aria-labelledby": "asked", tabindex: "-1", autofocus: true }, el("h2", { id: "asked" }, title), ...content);
    const row = el("div", { class: "row" });
    for (const [label, act, kind] of choices) {
      row.append(button(label, () => { resolve(act()); dialog.close(); }, { class: kind || "" }));
    }
    dialog.append(row);
    dialog.addEventListener("close", () => { resolve(null); dialog.remove(); });
    document.body.append(dialog);
    dialog.showModal();
  });
}
