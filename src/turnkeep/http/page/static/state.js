// The state of the page, what its tab keeps, and its messages, also to screen readers.

import { el, find } from "./dom.js";

export const state = {
  thread: null, turns: 0, before: null, running: null, isOpening: false, asks: false, agent: null, agents: [], examples: {},
};

export async function guarded(act, otherwise = () => {}) {
  try {
    await act();
  } catch (error) {
    otherwise();
    tell(error);
  }
}

export const notify = (text) => find("notice").replaceChildren(el("p", {}, text));
export const tell = (error) => notify(error instanceof TypeError ? "The server cannot be reached." : error.message);

// Where the browser forbids `sessionStorage`, what is kept is lost with the page.
const kept = new Map();
export let tab = { getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, value) };
try {
  tab = sessionStorage;
} catch { /* the Map stays */ }

// Screen readers get the sentences of an answer, each once, when it is complete.
let told = 0;

export function startSaying(sentence = "") {
  told = 0;
  find("spoken").replaceChildren(sentence);
}

export const mention = (sentence) => find("spoken").append(el("span", {}, sentence));

// Marks of Markdown do not count: they are in the text until their element is complete.
export function say(reply, isAll = false) {
  const text = [...reply.children].map((block) => block.textContent.replace(/[*_`~|#[\]]/g, "")).join("\n");
  const fresh = text.slice(told);
  const ends = [...fresh.matchAll(/[.!?…:](?=\s)/g)];
  const end = isAll ? fresh.length : (ends.at(-1)?.index ?? -1) + 1;
  if (end <= 0) return;
  told += end;
  if (fresh.slice(0, end).trim()) mention(fresh.slice(0, end));
}
