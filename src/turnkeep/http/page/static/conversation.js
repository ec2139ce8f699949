// One thread at a time: its stored turns, and a message with its answer. A running turn continues while the user reads
// another thread.

import { drawExamples, fitMessage, head, showSide } from "./around.js";
import { json, mintId, Problem } from "./api.js";
import { listDocuments, unreadDocuments } from "./documents.js";
import { el, find } from "./dom.js";
import { forget, keptRequests, newRequest, send } from "./sending.js";
import { announce } from "./spoken.js";
import { guarded, state, tell } from "./state.js";
import { ThreadList, titleOf } from "./threads.js";
import { TurnView } from "./turn.js";

const PAGE = 20;
const BUSY_MS = 2000;
const runs = new Map();  // by thread: runs that this page waits for
export const threads = new ThreadList({ open: (id) => openThread(id), gone: (id) => id === state.thread && newThread() });

const details = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    details.unobserve(target);
    target.fill?.();
  }
});

export function newThread() {
  show(null);
  find("empty").hidden = false;
  find("title").textContent = "New thread";
  for (const choice of find("agents").querySelectorAll("input")) choice.checked = choice.value === state.agent;
  drawExamples();
  head();
  find("message").focus();
}

export async function openThread(id) {
  if (!/^[\w-]{1,64}$/.test(id)) return newThread();
  show(id);
  state.isOpening = true;
  try {
    const thread = await json(`threads/${id}`);
    if (state.thread !== id) return;
    state.agent = thread.agent || state.agent;
    find("title").textContent = titleOf(thread);
    head(thread);
    await Promise.all([thread.turn_count ? loadTurns() : null, listDocuments(id)]);
    if (state.thread !== id) return;
    state.isOpening = false;
    find("message").focus();
    const kept = keptRequests()[id];
    if (runs.has(id)) takeUp(runs.get(id));
    else if (kept) await run(kept, new TurnView(JSON.parse(kept.body).message));
    else if (thread.status === "busy") await waitFor(id);
    else if (thread.pending) offerPending(thread.pending);
    else if (!thread.turn_count) find("empty").hidden = false;
  } catch (error) {
    if (error.status === 404) forget(id);
    if (state.thread === id) tell(error.status === 404 ? new Error("This thread does not exist, or has expired.") : error);
  }
}

function show(id) {
  Object.assign(state, { thread: id, before: null, turns: 0, running: null, isOpening: false });
  history.replaceState(null, "", id ? `#${id}` : location.pathname + location.search);
  find("turns").replaceChildren();
  find("notice").replaceChildren();
  find("documents").replaceChildren();
  find("documents").dataset.thread = id || "";
  find("empty").hidden = true;
  find("earlier").hidden = true;
  threads.select(id);
  showSide(false);
  busy(false);
}

export async function loadTurns(before = null) {
  const id = state.thread;
  const page = await json(`threads/${id}/turns?limit=${PAGE}${before ? `&before=${before}` : ""}`);
  if (state.thread !== id) return;
  const views = page.turns.map(pastTurn);
  state.turns = Math.max(state.turns, ...page.turns.map((turn) => turn.turn_number));
  find("turns").prepend(...views.map((view) => view.element));
  state.before = page.next_before;
  find("earlier").hidden = !page.next_before;
  if (!before) scrollDown();
}

function pastTurn(turn) {
  const view = new TurnView(turn.message);
  view.complete({ ...turn, details: {} });
  view.element.fill = () => guarded(async () => view.detail(await json(`threads/${turn.thread_id}/turns/${turn.turn_number}`)));
  details.observe(view.element);
  return view;
}

// The thread is answering a request from elsewhere, or from an earlier visit.
async function waitFor(id) {
  const words = el("p", { class: "now waiting" }, "An answer is being made in this thread");
  find("turns").append(words);
  while (state.thread === id) {
    await new Promise((resolve) => setTimeout(resolve, BUSY_MS));
    if (state.thread !== id || (await json(`threads/${id}`)).status === "busy") continue;
    return openThread(id);
  }
}

function offerPending(pending) {
  const view = new TurnView(pending.message);
  view.fail("This message has no answer", "Its run ended before the answer was whole, so nothing of it was kept.",
    [["Send it again", () => { view.element.remove(); submit(pending.message); }]]);
  find("turns").append(view.element);
  scrollDown();
}

export async function submit(text = find("message").value) {
  if (!text.trim() || state.running || state.isOpening) return;
  find("message").value = "";
  fitMessage();
  const view = new TurnView(text);
  find("empty").hidden = true;
  find("notice").replaceChildren();
  busy(true);
  state.isOpening = true;
  await guarded(async () => {
    const isNew = !state.thread || !state.turns;
    if (!state.thread) await makeThread();
    const waited = unreadDocuments();
    const more = { ...(isNew ? { agent: state.agent } : {}), ...(waited.length ? { attachments: waited } : {}) };
    state.isOpening = false;
    await run(newRequest(state.thread, { message: text, ...more }), view);
  }, () => giveBack(text));
}

// Puts a message that was not sent, or was stopped, back into the input.
function giveBack(text) {
  busy(false);
  state.isOpening = false;
  if (!find("message").value) find("message").value = text;
  fitMessage();
  find("empty").hidden = state.turns > 0;
}

export async function makeThread() {
  const id = mintId();
  await json("threads", { method: "POST", body: { thread_id: id, if_exists: "do_nothing" } });
  Object.assign(state, { thread: id, turns: 0 });
  find("documents").dataset.thread = id;
  history.replaceState(null, "", `#${id}`);
}

async function run(asked, view) {
  const stopping = new AbortController();
  runs.set(asked.thread, { stopping, view });
  view.begin();
  takeUp(runs.get(asked.thread));
  for (const moved of ["wheel", "touchmove"]) {
    find("main").addEventListener(moved, () => (view.isLeft = true), { once: true, passive: true });
  }
  try {
    const turn = await send(asked, (event) => { view.show(event); if (!view.isLeft) follow(view); }, stopping.signal);
    if (state.thread === asked.thread) settle(turn, view, asked);
    else refresh(asked.thread);
  } catch (error) {
    if (state.thread === asked.thread) failed(error, asked, view);
  } finally {
    runs.delete(asked.thread);
    if (state.running === stopping) busy(false);
  }
}

// Shows a running turn, even if the user has left its thread and returned.
function takeUp({ stopping, view }) {
  state.running = stopping;
  busy(true);
  if (!view.element.isConnected) find("turns").append(view.element);
  follow(view);
}

function settle(turn, view, asked) {
  if (turn.turn_number > state.turns + 1) return openThread(asked.thread);  // the thread got other turns meanwhile
  document.getElementById(`turn-${turn.turn_number}`)?.remove();
  view.complete(turn, () => run(asked, view));
  if (!view.element.isConnected) find("turns").append(view.element);
  state.turns = Math.max(state.turns, turn.turn_number || 0);
  if (!view.isLeft) follow(view);
  refresh(turn.thread_id);
}

async function refresh(id) {
  await guarded(async () => {
    const thread = await threads.renew(id);
    if (state.thread !== id) return;
    threads.select(id);
    find("title").textContent = titleOf(thread);
    head(thread);
  });
}

function failed(error, asked, view) {
  if (error.name === "AbortError") {
    view.element.remove();
    giveBack(JSON.parse(asked.body).message);
    announce("Stopped. The thread is as it was before this message.");
    find("notice").replaceChildren(el("p", {}, "Stopped. The thread is as it was before this message."));
    return;
  }
  const again = ["Try again", () => run(asked, view)];
  if (error.status === 404) {
    const anew = () => { newThread(); submit(JSON.parse(asked.body).message); };
    return view.fail("This thread is gone", "It has expired or was deleted.", [["Ask in a new thread", anew]]);
  }
  if (error instanceof Problem) {
    const later = error.retryAfter ? ` Try again in ${error.retryAfter} s.` : "";
    view.fail(error.title, `${error.message}${later}`, [again]);
  } else {
    view.fail("The server cannot be reached", "Your message is kept in this tab. The same request is sent again, so it is answered once.", [again]);
  }
}

export function stop() {
  state.running?.abort(new DOMException("stopped", "AbortError"));
}

function busy(isBusy) {
  if (!isBusy) state.running = null;
  find("send").hidden = isBusy;
  find("stop").hidden = !isBusy;
}

// Scrolls down with the answer until the message of its turn reaches the top.
function follow(view) {
  const main = find("main");
  const top = view.element.offsetTop - main.offsetTop - 16;
  main.scrollTop = Math.min(main.scrollHeight, top);
}

function scrollDown() {
  find("main").scrollTop = find("main").scrollHeight;
}
