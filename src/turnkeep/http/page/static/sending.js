// One message until its answer is known. Its key and body are kept. After a lost connection or a reload the same request
// is sent again; the server returns its turn or makes it, never two.

import { events, mintId, Problem, request } from "./api.js";
import { tab } from "./state.js";

const KEPT = "turnkeep.requests";
const MOST_TRIES = 6;
const WAITING = ["turn_in_progress", "store_unavailable"];

export function newRequest(thread, body) {
  return { thread, key: mintId(), body: JSON.stringify(body) };
}

export function messageOf(asked) {
  return JSON.parse(asked.body).message;
}

// Returns requests without a turn. Those with `failed`, title and reason, are sent again only by the user.
export function keptRequests(thread) {
  return Object.values(JSON.parse(tab.getItem(KEPT) || "{}")).filter((asked) => !thread || asked.thread === thread);
}

export function keep(asked) {
  tab.setItem(KEPT, JSON.stringify([...others(asked), asked]));
}

export function forget(asked) {
  tab.setItem(KEPT, JSON.stringify(others(asked)));
}

function others({ key }) {
  return keptRequests().filter((each) => each.key !== key);
}

// Calls `show` for every event, and with `again` before a retry. Resolves to the whole turn. Throws Problem, AbortError
// if it was stopped, TypeError if the server was unreachable in all tries.
export async function send(asked, show, signal) {
  keep(asked);
  for (let tries = 1; ; tries += 1) {
    try {
      const turn = await once(asked, show, signal);
      forget(asked);
      return turn;
    } catch (error) {
      const wait = pause(error, tries);
      if (signal.aborted || wait === null) {
        throw error;
      }
      show({ event: "again", lost: !(error instanceof Problem) });
      await resting(wait, signal);
    }
  }
}

async function once(asked, show, signal) {
  const answer = await request(`threads/${asked.thread}/turns/stream`, {
    method: "POST", body: asked.body, headers: { "Idempotency-Key": asked.key }, signal,
  });
  for await (const event of events(answer)) {
    if (event.event === "complete") return event;
    if (event.event === "error") throw new Problem(event.status, event, event.retry_after);
    show(event);
  }
  throw new TypeError("The connection ended before the answer did.");
}

// Returns the seconds until the next try, null if a retry would not help. A running turn is awaited.
function pause(error, tries) {
  if (error instanceof Problem) {
    const helps = WAITING.includes(error.code) && (error.code === WAITING[0] || tries < MOST_TRIES);
    return helps ? error.retryAfter || 1 : null;
  }
  return error instanceof TypeError && tries < MOST_TRIES ? Math.min(2 ** (tries - 1), 15) : null;
}

function resting(seconds, signal) {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, seconds * 1000);
    addEventListener("online", resolve, { once: true });
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
