// One message until its answer is known or the server has queued it. Its key and body are kept. After a lost connection or
// a reload the same request is sent again; the server returns its turn, lets the page join it, or makes it, never two.

import { events, json, mintId, Problem, request } from "./api.js";
import { tab } from "./state.js";

const KEPT = "turnkeep.requests";
const MOST_TRIES = 6;
const stream = (thread) => `threads/${thread}/turns/stream`;

// With `run`, the server has it already, and it is not sent but followed.
export const newRequest = (thread, body, run) => (
  { thread, key: mintId(), body: JSON.stringify({ on_disconnect: "continue", when_busy: "enqueue", ...body }), run });
export const messageOf = (asked) => JSON.parse(asked.body).message;
export const runPath = ({ thread, run }) => `threads/${thread}/runs/${run}`;
export const activeRun = ({ status, pending }) => (status === "busy" && pending ? pending.run_id : null);

// Returns requests without a turn. Those with `failed`, title and reason, are sent again only by the user.
export function keptRequests(thread) {
  return Object.values(JSON.parse(tab.getItem(KEPT) || "{}")).filter((asked) => !thread || asked.thread === thread);
}

export function keep(asked) {
  forget(asked);
  tab.setItem(KEPT, JSON.stringify([...keptRequests(), asked]));
}

export function forget({ key }) {
  tab.setItem(KEPT, JSON.stringify(keptRequests().filter((each) => each.key !== key)));
}

// Calls `show` for every event, and with `again` before a retry. Resolves to the whole turn, to the event `queued`, or to
// one for which `show` returns true. Throws Problem, AbortError if stopped, TypeError if the server was never reached.
export async function send(asked, show, signal = new AbortController().signal) {
  if (!asked.run) keep(asked);
  for (let tries = 1; ; tries += 1) {
    try {
      const end = await once(asked, show, signal);
      forget(asked);
      return end;
    } catch (error) {
      const wait = pause(error, tries);
      if (signal.aborted || wait === null) throw error;
      show({ event: "again", lost: !(error instanceof Problem) });
      await resting(wait, signal);
    }
  }
}

async function once(asked, show, signal) {
  const headers = { "Idempotency-Key": asked.key };
  try {
    if (asked.run) return await follow(asked, show, signal);
    const answer = await request(stream(asked.thread), { method: "POST", body: asked.body, headers, signal });
    return await read(answer, answer.headers.has("Idempotency-Replayed") ? () => {} : show);
  } catch (error) {
    if (error.code !== "turn_in_progress") throw error;
  }
  const end = asked.run ? {} : await follow(asked, show, signal);
  return asked.run || end.event === "complete" ? once(asked, show, signal) : end;  // the stored turn
}

// Shows a run, or the turn that runs on the thread, from its start, wherever it was started.
async function follow({ thread, run }, show, signal) {
  show({ event: "again" });
  return read(await request(`${stream(thread)}${run ? `?run_id=${run}` : ""}`, { signal }), show);
}

// Ends a run and removes its message. A run whose id is not known is the active one, if that has the same message.
export async function cancel(asked) {
  const thread = asked.run ? {} : await json(`threads/${asked.thread}`);
  const run = asked.run || (thread.pending?.message === messageOf(asked) && activeRun(thread));
  if (run) await json(`${runPath({ ...asked, run })}/cancel?action=rollback`, { method: "POST" });
}

async function read(answer, show) {
  for await (const event of events(answer)) {
    if (event.event === "error") throw new Problem(event.status, event, event.retry_after);
    if (["complete", "queued"].includes(event.event) || show(event)) return event;
  }
  throw new TypeError("The connection ended before the answer did.");
}

// Returns the seconds until the next try, null if a retry would not help.
function pause(error, tries) {
  const helps = error instanceof TypeError || error.code === "store_unavailable";
  return helps && tries < MOST_TRIES ? error.retryAfter || Math.min(2 ** (tries - 1), 15) : null;
}

export function resting(seconds, signal = new AbortController().signal) {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, seconds * 1000);
    addEventListener("online", resolve, { once: true });
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
