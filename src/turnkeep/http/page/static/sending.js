// One message until its answer is known. Its key and body are stored until then. After a lost connection or a reload
// the same request is sent again; the server returns its turn or makes it, never two.

import { events, mintId, Problem, request } from "./api.js";

const KEPT = "turnkeep.requests";
const MOST_TRIES = 6;
const WAITING = ["turn_in_progress", "store_unavailable"];

export function newRequest(thread, body) {
  return { thread, key: mintId(), body: JSON.stringify(body) };
}

// Returns requests by thread; several may be running.
export function keptRequests() {
  return JSON.parse(sessionStorage.getItem(KEPT) || "{}");
}

function keep(asked) {
  sessionStorage.setItem(KEPT, JSON.stringify({ ...keptRequests(), [asked.thread]: asked }));
}

export function forget(thread) {
  const { [thread]: _, ...rest } = keptRequests();
  sessionStorage.setItem(KEPT, JSON.stringify(rest));
}

// Calls `show` for every event, and with `again` before a retry. Resolves to the whole turn. Throws Problem, AbortError
// if it was stopped, TypeError if the server was unreachable in all tries.
export async function send(asked, show, signal) {
  keep(asked);
  for (let tries = 1; ; tries += 1) {
    try {
      const turn = await once(asked, show, signal);
      forget(asked.thread);
      return turn;
    } catch (error) {
      const wait = pause(error, tries);
      if (signal.aborted || wait === null) {
        if (signal.aborted || error instanceof Problem) forget(asked.thread);
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
    const stop = () => reject(signal.reason);
    const timer = setTimeout(done, seconds * 1000);
    function done() {
      clearTimeout(timer);
      removeEventListener("online", done);
      signal.removeEventListener("abort", stop);
      resolve();
    }
    addEventListener("online", done);
    signal.addEventListener("abort", stop, { once: true });
  });
}
