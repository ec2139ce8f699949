// Elements from names, properties and children. Text is always text: no code on this page parses markup from a string.

const SVG = "http://www.w3.org/2000/svg";

export const find = (id) => document.getElementById(id);

// WebKit ends the composition of an input method before the key that ended it; that key has the code 229.
export const isComposed = (event) => event.isComposing || event.keyCode === 229;

export const el = maker((name) => document.createElement(name));
export const svg = maker((name) => document.createElementNS(SVG, name));

function maker(make) {
  return (name, properties = {}, ...children) => {
    const element = make(name);
    for (const [key, value] of Object.entries(properties)) {
      if (value === null || value === undefined || value === false) continue;
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
    return element;
  };
}

export function button(label, act, properties = {}) {
  return el("button", { type: "button", onclick: act, ...properties }, label);
}

// Links of models and documents to anything but http and https stay text.
export function link(href, ...children) {
  const target = webAddress(href);
  if (!target) return el("span", {}, ...children);
  return el("a", { href: target, target: "_blank", rel: "noopener noreferrer" }, ...children);
}

export function webAddress(text) {
  const address = String(text).replaceAll("\\", "%5C");
  return /^\s*https?:/i.test(address) && URL.canParse(address) ? new URL(address).href : null;
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

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
export const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
