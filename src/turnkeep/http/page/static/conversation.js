// One thread at a time: its stored turns, and messages with their answers. A run continues while another thread is read.

import { drawExamples, head, setMessage, showSide } from "./around.js";
import { json, mintId, Problem } from "./api.js";
import { listDocuments, unreadDocuments } from "./documents.js";
import { el, find } from "./dom.js";
import { activeRun, cancel, forget, keep, keptRequests, messageOf, newRequest, send } from "./sending.js";
import { guarded, notify, startSaying, state, tell } from "./state.js";
import { ThreadList } from "./threads.js";
import { TurnView } from "./turn.js";
import { add, draw, remove, update, waiting } from "./waiting.js";

const PAGE = 20;
const EDITABLE = [400, 401, 403, 413, 415, 422];  // a message refused with these is given back
const LEFT = new DOMException("left", "AbortError");
const runs = new Map();  // by thread: the run that this page waits for
const queueing = new Set();  // threads whose waiting messages are being sent
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
    const [kept, active, pending] = [keptRequests(id), activeRun(thread), thread.pending];
    const known = [active, runs.get(id)?.asked.key, ...waiting(id).map((asked) => asked.key), ...thread.queued.map((each) => each.run_id)];
    if (pending && !kept.length && !known.includes(pending.run_id)) offer(requestOf(pending.message));
    for (const asked of kept.filter((each) => !known.includes(each.key))) {
      if (asked.failed) offer(asked);
      else add(active && pending.message === messageOf(asked) ? { ...asked, run: active } : asked);
    }
    await sync(thread);
    if (runs.has(id)) takeUp(runs.get(id));
    sendWaiting(id);
    await goOn(thread);
  } catch (error) {
    if (state.thread !== id) return;
    if (error.status !== 404) return tell(error);
    for (const asked of keptRequests(id)) takeBack(asked);
    head(null, "No thread");
    notify("This thread does not exist, or has expired.");
  }
}

function show(id) {
  const left = id !== state.thread && runs.get(state.thread);
  if (left && left.asked.run) left.stopping.abort(LEFT);  // it is joined again later: a browser has few connections
  Object.assign(state, { thread: id, before: null, turns: 0, running: null, isOpening: false, asks: false });
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

// Shows what the thread has got meanwhile, and follows the run that is active or begins next, wherever it was started.
export async function catchUp(id = state.thread) {
  if (!id) return;
  await guarded(async () => {
    const thread = await threads.renew(id);
    if (state.thread !== id || state.isOpening) return;
    threads.select(id);
    head(thread);
    await sync(thread);
    if (state.thread !== id || runs.has(id)) return;
    if (thread.turn_count > state.turns) await loadTurns();
    if (state.thread === id) await goOn(thread, true);
  });
}

// Follows the active run, or the first of those that wait. None of them begins while the thread asks a question.
async function goOn(thread, isQuiet = false) {
  const [id, active] = [thread.thread_id, activeRun(thread)];
  const own = waiting(id).find(({ run }) => run && (!active || run === active));
  const next = own || (active && newRequest(id, { message: thread.pending.message }, active));
  if (!next || state.asks || runs.has(id)) return;
  remove(next);
  await run(next, new TurnView(messageOf(next)), isQuiet);
}

async function sync(thread) {
  state.asks = thread.status === "interrupted";
  for (const asked of await update(thread)) fail(asked, UNANSWERED);
}

export async function submit(text = find("message").value) {
  if (!text.trim() || state.isOpening) return;
  if (find("message").value === text) setMessage("");
  find("notice").replaceChildren();
  if (state.running || waiting(state.thread).some((each) => !each.run)) return enqueue(requestOf(text));
  const view = new TurnView(text);
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

// Only a message that is sent while the thread asks a question answers it: others wait until that is done.
function requestOf(message) {
  const waited = unreadDocuments();
  const agent = state.turns ? {} : { agent: state.agent };
  const answers = state.asks ? { when_busy: "reject" } : {};
  return newRequest(state.thread, { message, ...answers, ...agent, ...(waited.length ? { attachments: waited } : {}) });
}

function enqueue(asked) {
  add(asked);
  sendWaiting(asked.thread);
}

// Sends waiting messages one after another, so that the server accepts them in this order. One that begins immediately,
// or has its turn already, is found by `catchUp`.
async function sendWaiting(id) {
  if (queueing.has(id) || runs.get(id)?.isSent === false) return;
  queueing.add(id);
  for (let asked; (asked = waiting(id).find((each) => !each.run)); ) {
    const isAccepted = ({ event, lost }) => { asked.isLost = lost; draw(); return event !== "again"; };
    try {
      const end = await send(asked, isAccepted);
      if (end.event === "queued") asked.run = end.run_id;
      else remove(asked);
    } catch (error) {
      remove(asked);
      await failed(error, asked, new TurnView(messageOf(asked)));
    }
    draw();
    if (!runs.has(id)) catchUp(id);
  }
  queueing.delete(id);
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

async function run(asked, view, isQuiet = false) {
  const { thread } = asked;
  const stopping = new AbortController();
  const own = { asked, stopping, view, isSent: Boolean(asked.run) };
  const show = (event) => {
    view.show(event);
    own.isSent ||= event.event !== "again";
    if (own.isSent) sendWaiting(thread);
  };
  runs.set(thread, own);
  view.begin();
  takeUp(own, isQuiet);
  if (isQuiet) startSaying("The next message is being answered.");
  try {
    const end = await send(asked, show, stopping.signal);
    if (end.event === "queued") {
      view.element.remove();
      add({ ...asked, run: end.run_id });
    } else if (state.thread === thread) await settle(end, view, asked);
  } catch (error) {
    await failed(error, asked, view);
  } finally {
    runs.delete(thread);
    if (state.running === stopping) busy(false);
    sendWaiting(thread);
    catchUp(thread);
  }
}

// Shows a running turn, also again. Its message is at the top and its answer grows below, so nothing moves while it is read.
function takeUp({ stopping, view }, isQuiet = false) {
  Object.assign(state, { running: stopping, asks: false });
  busy(true);
  if (!view.element.isConnected) find("turns").append(view.element);
  const main = find("main");
  if (!isQuiet) main.scrollTop += view.element.getBoundingClientRect().top - main.getBoundingClientRect().top - 16;
}

async function settle(turn, view, asked) {
  if (turn.turn_number > state.turns + 1) await loadTurns();  // the thread got other turns meanwhile
  if (state.thread !== asked.thread) return;
  const loaded = document.getElementById(`turn-${turn.turn_number}`);
  if (loaded) loaded.replaceWith(view.element);
  else if (find("turns").lastElementChild !== view.element) find("turns").append(view.element);
  view.complete(turn, () => again(asked, view));
  state.turns = Math.max(state.turns, turn.turn_number || 0);
  state.asks = turn.status === "interrupted";
}

async function failed(error, asked, view) {
  const isHere = state.thread === asked.thread;
  const isStopped = error.name === "AbortError";
  if (error === LEFT) return;
  if (isStopped) await guarded(() => cancel(asked));
  if (asked.run && error.code === "run_cancelled") return view.element.remove();  // elsewhere
  if (isStopped || (isHere && EDITABLE.includes(error.status))) {
    takeBack(asked, view);
    return notify(isStopped ? "Stopped. The thread is as it was before this message." : error.message);
  }
  const later = error.retryAfter ? ` Try again in ${error.retryAfter} s.` : "";
  const reason = error instanceof Problem ? [error.title, `${error.message}${later}`] : UNREACHABLE;
  if (reason !== UNREACHABLE) fail(asked, reason, view, error.status === 404);
  else if (isHere) offer({ ...asked, failed: reason }, view);
}

// Keeps a message for which the server does nothing any more.
function fail({ run: _, ...asked }, reason, view, isGone) {
  keep({ ...asked, failed: reason });
  if (state.thread === asked.thread) offer({ ...asked, failed: reason }, view, isGone);
}

// Shows a message that failed, to be sent again with its key, or edited.
function offer(asked, view = new TurnView(messageOf(asked)), isGone = false) {
  const { failed: [title, text] = UNANSWERED, ...request } = asked;
  const anew = () => { forget(asked); newThread(); submit(messageOf(asked)); };
  const sending = [asked.failed ? "Try again" : "Send it again", () => again(request, view)];
  view.fail(title, text, [isGone ? ["Ask in a new thread", anew] : sending, ["Edit", () => takeBack(asked, view)]]);
  find("turns").append(view.element);
}

function again(asked, view) {
  if (!runs.has(asked.thread)) return run(asked, view);
  view.element.remove();
  enqueue(asked);
}

export const stop = () => state.running?.abort(new DOMException("stopped", "AbortError"));

function busy(isBusy) {
  if (!isBusy) state.running = null;
  find("send").textContent = isBusy ? "Queue" : "Send";
  find("stop").hidden = !isBusy;
  draw();
}
