// One thread at a time: its stored turns, and messages with their answers. A run continues while another thread is read.

import { drawExamples, head, setMessage, showSide } from "./around.js";
import { json, mintId, Problem } from "./api.js";
import { listDocuments, unreadDocuments } from "./documents.js";
import { el, find } from "./dom.js";
import { forget, keep, keptRequests, messageOf, newRequest, send } from "./sending.js";
import { guarded, notify, state, tell } from "./state.js";
import { ThreadList } from "./threads.js";
import { TurnView } from "./turn.js";

const PAGE = 20;
const BUSY_MS = 2000;
const EDITABLE = [400, 401, 403, 413, 415, 422];  // a message refused with these is given back
const runs = new Map();  // by thread: runs that this page waits for
const UNANSWERED = ["This message has no answer", "Its run ended before the answer was whole, so nothing of it was kept."];
const UNREACHABLE = ["The server cannot be reached", "Your message is kept in this tab. The same request is sent again, so it is answered once."];
export const threads = new ThreadList({ open: (id) => openThread(id), gone: (id) => id === state.thread && newThread() });

const details = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (isIntersecting) details.unobserve(target);
    if (isIntersecting) target.fill?.();
  }
});

export function newThread() {
  show(null);
  find("empty").hidden = false;
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
    head(thread);
    await Promise.all([thread.turn_count ? loadTurns() : null, listDocuments(id)]);
    if (state.thread !== id) return;
    state.isOpening = false;
    find("message").focus();
    find("empty").hidden = false;
    const failed = keptRequests(id).filter((asked) => asked.failed);
    const lost = keptRequests(id).find((asked) => !asked.failed);
    for (const asked of failed) offer(asked);
    if (runs.has(id)) takeUp(runs.get(id));
    else if (lost) await run(lost, new TurnView(messageOf(lost)));
    else if (thread.status === "busy") await waitFor(id);
    else if (thread.pending && !failed.length) offer(requestOf(thread.pending.message));
  } catch (error) {
    if (state.thread !== id) return;
    if (error.status !== 404) return tell(error);
    for (const asked of keptRequests(id)) takeBack(asked);
    head(null, "No thread");
    notify("This thread does not exist, or has expired.");
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

// Adds the turns before one, or those that are newer than all shown.
export async function loadTurns(before = null) {
  const [id, shown, main] = [state.thread, state.turns, find("main")];
  const page = await json(`threads/${id}/turns?limit=${PAGE}${before ? `&before=${before}` : ""}`);
  if (state.thread !== id) return;
  if (!before && shown && page.turns[0].turn_number > shown + 1) return openThread(id);
  const views = page.turns.filter((turn) => before || turn.turn_number > shown).map(pastTurn);
  const below = main.scrollHeight - main.scrollTop;
  find("turns")[before ? "prepend" : "append"](...views.map((view) => view.element));
  state.turns = Math.max(shown, ...page.turns.map((turn) => turn.turn_number));
  if (before) main.scrollTop = main.scrollHeight - below;
  else if (shown) return;
  else main.scrollTop = main.scrollHeight;
  state.before = page.next_before;
  find("earlier").hidden = !page.next_before;
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
    const thread = state.thread === id && (await json(`threads/${id}`));
    if (!thread || thread.status === "busy") continue;
    await loadTurns();
    words.remove();
    return state.thread === id && thread.pending && offer(requestOf(thread.pending.message));
  }
}

export async function submit(text = find("message").value) {
  if (!text.trim() || state.running || state.isOpening) return;
  if (find("message").value === text) setMessage("");
  const view = new TurnView(text);
  find("notice").replaceChildren();
  busy(true);
  state.isOpening = true;
  await guarded(async () => {
    if (!state.thread) await makeThread();
    state.isOpening = false;
    await run(requestOf(text), view);
  }, () => {
    busy(false);
    state.isOpening = false;
    giveBack(text);
  });
}

function requestOf(message) {
  const waited = unreadDocuments();
  const agent = state.turns ? {} : { agent: state.agent };
  return newRequest(state.thread, { message, ...agent, ...(waited.length ? { attachments: waited } : {}) });
}

// Puts a message that was stopped or refused back into the input, before what was typed since.
function giveBack(text) {
  setMessage([text, find("message").value].filter(Boolean).join("\n"));
  find("message").focus();
}

function takeBack(asked, view) {
  view?.element.remove();
  forget(asked);
  giveBack(messageOf(asked));
}

export async function makeThread() {
  const id = mintId();
  await json("threads", { method: "POST", body: { thread_id: id, if_exists: "do_nothing" } });
  Object.assign(state, { thread: id, turns: 0 });
  find("documents").dataset.thread = id;
  history.replaceState(null, "", `#${id}`);
}

async function run(asked, view) {
  if (runs.has(asked.thread)) return;
  const stopping = new AbortController();
  runs.set(asked.thread, { stopping, view });
  view.begin();
  takeUp(runs.get(asked.thread));
  try {
    const turn = await send(asked, (event) => view.show(event), stopping.signal);
    if (state.thread === asked.thread) await settle(turn, view, asked);
    else refresh(asked.thread);
  } catch (error) {
    failed(error, asked, view);
  } finally {
    runs.delete(asked.thread);
    if (state.running === stopping) busy(false);
  }
}

// Shows a running turn, also again. Its message is at the top and its answer grows below, so nothing moves while it is read.
function takeUp({ stopping, view }) {
  state.running = stopping;
  busy(true);
  if (!view.element.isConnected) find("turns").append(view.element);
  const main = find("main");
  main.scrollTop += view.element.getBoundingClientRect().top - main.getBoundingClientRect().top - 16;
}

async function settle(turn, view, asked) {
  if (turn.turn_number > state.turns + 1) await loadTurns();  // the thread got other turns meanwhile
  document.getElementById(`turn-${turn.turn_number}`)?.remove();
  view.complete(turn, () => run(asked, view));
  if (state.thread === asked.thread && find("turns").lastElementChild !== view.element) find("turns").append(view.element);
  state.turns = Math.max(state.turns, turn.turn_number || 0);
  refresh(turn.thread_id);
}

async function refresh(id) {
  await guarded(async () => {
    const thread = await threads.renew(id);
    if (state.thread !== id) return;
    threads.select(id);
    head(thread);
  });
}

function failed(error, asked, view) {
  const isHere = state.thread === asked.thread;
  const isStopped = error.name === "AbortError";
  if (isStopped || (isHere && EDITABLE.includes(error.status))) {
    takeBack(asked, view);
    return notify(isStopped ? "Stopped. The thread is as it was before this message." : error.message);
  }
  const later = error.retryAfter ? ` Try again in ${error.retryAfter} s.` : "";
  const reason = error instanceof Problem ? [error.title, `${error.message}${later}`] : UNREACHABLE;
  if (reason !== UNREACHABLE) keep({ ...asked, failed: reason });
  if (isHere) offer({ ...asked, failed: reason }, view, error.status === 404);
}

// Shows a message that failed, to be sent again with its key, or edited.
function offer(asked, view = new TurnView(messageOf(asked)), isGone = false) {
  const { failed: [title, text] = UNANSWERED, ...request } = asked;
  const anew = () => { forget(asked); newThread(); submit(messageOf(asked)); };
  const again = [asked.failed ? "Try again" : "Send it again", () => run(request, view)];
  view.fail(title, text, [isGone ? ["Ask in a new thread", anew] : again, ["Edit", () => takeBack(asked, view)]]);
  find("turns").append(view.element);
}

export function stop() {
  state.running?.abort(new DOMException("stopped", "AbortError"));
}

function busy(isBusy) {
  if (!isBusy) state.running = null;
  find("send").hidden = isBusy;
  find("stop").hidden = !isBusy;
}
