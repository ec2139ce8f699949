// The state of the page, and its error messages.

import { el, find } from "./dom.js";

export const state = {
  thread: null, turns: 0, before: null, running: null, isOpening: false, agent: null, agents: [], examples: {},
};

export async function guarded(act, otherwise = () => {}) {
  try {
    await act();
  } catch (error) {
    otherwise();
    tell(error);
  }
}

export function tell(error) {
  const text = error instanceof TypeError ? "The server cannot be reached." : error.message;
  find("notice").replaceChildren(el("p", {}, text));
}
