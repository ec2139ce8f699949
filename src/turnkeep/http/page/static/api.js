// Requests to the server that served this page, with the caller's key if the server requires one.

import { ask, el, isComposed } from "./dom.js";
import { tab } from "./state.js";

const ROOT = new URL(".", location.href.split("#")[0]);
const KEY = "turnkeep.key";

export class Problem extends Error {
  constructor(status, problem, retryAfter) {
    super(problem.detail || problem.message || `The server answered with status ${status}.`);
    Object.assign(this, { status, title: problem.title || "That did not work", code: problem.code || "", retryAfter });
  }
}

// Throws Problem if the server rejects the request, TypeError if it cannot be reached.
export async function request(path, { method = "GET", body, headers = {}, signal } = {}) {
  const own = body === undefined ? {} : { "Content-Type": "application/json" };
  const sent = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  for (;;) {
    const key = tab.getItem(KEY);
    const all = { ...own, ...credential(key), ...headers };
    const answer = await fetch(new URL(path, ROOT), { method, headers: all, body: sent, signal, cache: "no-store" });
    if (answer.status === 401 && (await renewedKey(key))) continue;
    if (!answer.ok) throw await problemOf(answer);
    return answer;
  }
}

export async function json(path, options) {
  const answer = await request(path, options);
  return answer.status === 204 ? null : answer.json();
}

async function problemOf(answer) {
  const problem = await answer.json().catch(() => ({}));  // a proxy may answer with other text
  return new Problem(answer.status, problem, Number(answer.headers.get("Retry-After")) || null);
}

// A key of three parts is a JWT from the identity provider; any other is an API key of this server.
function credential(key) {
  if (!key) return {};
  return key.split(".").length === 3 ? { Authorization: `Bearer ${key}` } : { "x-api-key": key };
}

let asking = null;

async function renewedKey(refused) {
  if (tab.getItem(KEY) !== refused) return true;
  asking ||= askForKey(refused).finally(() => (asking = null));
  const given = await asking;
  if (given) tab.setItem(KEY, given);
  return Boolean(given);
}

function askForKey(refused) {
  const field = el("input", { id: "key", type: "password", autocomplete: "off", spellcheck: "false" });
  const told = refused ? "The server did not accept that key." : "This server asks who calls.";
  const content = [
    el("p", {}, `${told} The key stays in this tab and is forgotten when it closes.`),
    el("label", { for: "key" }, "API key"),
    field,
  ];
  const asked = ask("API key", content, [["Cancel", () => null], ["Use this key", () => field.value.trim(), "strong"]]);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !isComposed(event)) field.closest("dialog").querySelector(".strong").click();
  });
  field.focus();
  return asked;
}

// The data of each server-sent event; comments keep the line open.
export async function* events(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) {
        const data = block.split("\n").filter((line) => line.startsWith("data:")).map((line) => line.slice(5)).join("\n");
        if (data) yield JSON.parse(data);
      }
    }
  } finally {
    reader.cancel().catch(() => {});  // closes the connection: a browser has few of them
  }
}

export const mintId = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
