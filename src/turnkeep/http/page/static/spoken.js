// Text for screen readers: the sentences of an answer, each once, when it is complete.

import { el, find } from "./dom.js";

let told = 0;

export function startSaying() {
  told = 0;
  find("spoken").replaceChildren();
}

export function say(text, isAll = false) {
  const fresh = text.slice(told);
  const ends = [...fresh.matchAll(/[.!?…:](?=\s|$)/g)];
  const end = isAll ? fresh.length : (ends.at(-1)?.index ?? -1) + 1;
  if (end <= 0) return;
  told += end;
  if (fresh.slice(0, end).trim()) find("spoken").append(el("span", {}, fresh.slice(0, end)));
}

// Announces an event in one sentence.
export function announce(sentence) {
  startSaying();
  find("spoken").append(el("span", {}, sentence));
}
