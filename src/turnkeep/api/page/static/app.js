// The chat page: one thread at a time, named by the part of the address after "#", so that a reload finds it again.

import { json, mintId, Problem } from "./api.js";
import { addDocuments, listDocuments } from "./documents.js";
import { ask, button, el, find } from "./dom.js";
import { drawGraph } from "./graph.js";
import { forget, keptRequests, newRequest, send } from "./sending.js";
import { announce } from "./spoken.js";
import { ThreadList, titleOf } from "./threads.js";
import { capital, TurnView } from "./turn.js";

const PAGE = 20;
const BUSY_MS = 2000;
const AGENT = "turnkeep.agent";
const state = { thread: null, agent: null, agents: [], examples: {}, running: null, before: null, turns: 0 };
const runs = new Map();  // by thread, those that this page waits for
const threads = new ThreadList({ open: (id) => openThread(id), gone: (id) => id === state.thread && newThread() });

const details = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    details.unobserve(target);
    target.fill?.();
  }
});

async function start() {
  listen();
  const [agents, info, examples] = await Promise.all([
    json("agents"), json("info"), fetch(new URL("examples.json", import.meta.url)).then((answer) => answer.json()),
  ]);
  const chosen = agents.find((each) => each.name === sessionStorage.getItem(AGENT)) || agents[0];
  Object.assign(state, { agents, examples, agent: chosen?.name });
  find("server").textContent = `Turnkeep ${info.version} · ${info.model === "demo" ? "demo model" : info.model}`;
  find("server").title = info.notes.join(" ");
  drawAgents();
  await threads.load();
  const named = location.hash.slice(1) || Object.keys(keptRequests())[0];
  if (named) await openThread(named);
  else newThread();
}

function listen() {
  const message = find("message");
  find("composer").addEventListener("submit", (event) => { event.preventDefault(); submit(); });
  message.addEventListener("input", fitMessage);
  message.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
    if (document.body.classList.contains("side-open")) showSide(false);
    else stop();
  });
  find("stop").addEventListener("click", stop);
  find("new").addEventListener("click", newThread);
  find("earlier").addEventListener("click", () => guarded(() => loadTurns(state.before)));
  find("show-graph").addEventListener("click", () => guarded(showGraph));
  find("attach").addEventListener("click", () => find("file").click());
  find("file").addEventListener("change", () => guarded(attach));
  find("open-side").addEventListener("click", () => showSide(true));
  find("close-side").addEventListener("click", () => showSide(false));
  addEventListener("hashchange", () => location.hash.slice(1) !== (state.thread || "") && openThread(location.hash.slice(1)));
}

// Threads

function newThread() {
  show(null);
  find("empty").hidden = false;
  find("title").textContent = "New thread";
  for (const choice of find("agents").querySelectorAll("input")) choice.checked = choice.value === state.agent;
  drawExamples();
  head();
  find("message").focus();
}

async function openThread(id) {
  if (!/^[\w-]{1,64}$/.test(id)) return newThread();
  show(id);
  try {
    const thread = await json(`threads/${id}`);
    if (state.thread !== id) return;
    state.agent = thread.agent || state.agent;
    find("title").textContent = titleOf(thread);
    head(thread);
    await Promise.all([thread.turn_count ? loadTurns() : null, listDocuments(id)]);
    find("message").focus();
    const kept = keptRequests()[id];
    if (runs.has(id)) takeUp(runs.get(id));
    else if (kept) await run(kept, new TurnView(JSON.parse(kept.body).message));
    else if (thread.status === "busy") await waitFor(id);
    else if (thread.pending) offerPending(thread.pending);
    else if (!thread.turn_count) find("empty").hidden = false;
  } catch (error) {
    if (error.status === 404) forget(id);
    tell(error.status === 404 ? new Error("This thread does not exist, or has expired.") : error);
  }
}

function show(id) {
  Object.assign(state, { thread: id, before: null, turns: 0, running: null });
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

function head(thread = null) {
  const agent = state.agents.find((each) => each.name === state.agent);
  const until = thread ? ` · kept until ${new Date(thread.expires_at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}` : "";
  find("about").textContent = agent ? `${capital(agent.name)}${until}` : "";
  find("show-graph").hidden = !agent;
  document.title = thread ? `${titleOf(thread)} · Turnkeep` : "Turnkeep";
}

async function loadTurns(before = null) {
  const page = await json(`threads/${state.thread}/turns?limit=${PAGE}${before ? `&before=${before}` : ""}`);
  const views = page.turns.map(pastTurn);
  state.turns = Math.max(state.turns, ...page.turns.map((turn) => turn.turn_number));
  find("turns").prepend(...views.map((view) => view.element));
  state.before = page.next_before;
  find("earlier").hidden = !page.next_before;
  if (!before) scrollDown();
}

function pastTurn(turn) {
  const view = new TurnView(turn.message);
  view.complete({ ...turn, details: {} }, {});
  view.element.fill = () => guarded(async () => view.detail(await json(`threads/${turn.thread_id}/turns/${turn.turn_number}`)));
  details.observe(view.element);
  return view;
}

// Somebody else's request, or one of an earlier visit, is being answered.
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

// A message and its answer

async function submit(text = find("message").value) {
  if (!text.trim() || state.running) return;
  find("message").value = "";
  fitMessage();
  const view = new TurnView(text);
  find("empty").hidden = true;
  find("notice").replaceChildren();
  busy(true);
  await guarded(async () => {
    const isNew = !state.thread || !state.turns;
    if (!state.thread) await makeThread();
    await run(newRequest(state.thread, { message: text, ...(isNew ? { agent: state.agent } : {}) }), view);
  }, () => busy(false));
}

async function makeThread() {
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
  find("main").addEventListener("wheel", () => (view.isLeft = true), { once: true, passive: true });
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

// Shows a turn that is being made; its thread may have been left and come back to.
function takeUp({ stopping, view }) {
  state.running = stopping;
  busy(true);
  if (!view.element.isConnected) find("turns").append(view.element);
  follow(view);
}

function settle(turn, view, asked) {
  if (turn.turn_number > state.turns + 1) return openThread(asked.thread);  // somebody else took turns meanwhile
  document.getElementById(`turn-${turn.turn_number}`)?.remove();
  view.complete(turn, { store: (each) => store(each, view), again: () => run(asked, view) });
  if (!view.element.isConnected) find("turns").append(view.element);
  state.turns = Math.max(state.turns, turn.turn_number || 0);
  if (!view.isLeft) follow(view);
  refresh(turn.thread_id);
}

async function refresh(id) {
  await guarded(async () => {
    await threads.load();
    const thread = threads.threads.find((each) => each.thread_id === id);
    if (!thread || state.thread !== id) return;
    threads.select(id);
    find("title").textContent = titleOf(thread);
    head(thread);
  });
}

async function store(turn, view) {
  await guarded(async () => {
    const kept = await json(`threads/${turn.thread_id}/turns:commit`, { method: "POST", body: { retry_token: turn.retry_token } });
    view.complete({ ...turn, ...kept }, {});
    announce("The answer is stored.");
    refresh(turn.thread_id);
  });
}

function failed(error, asked, view) {
  if (error.name === "AbortError") {
    const text = JSON.parse(asked.body).message;
    view.element.remove();
    if (!find("message").value) find("message").value = text;
    fitMessage();
    find("empty").hidden = state.turns > 0;
    announce("Stopped. The thread is as it was before this message.");
    find("notice").replaceChildren(el("p", {}, "Stopped. The thread is as it was before this message."));
    return;
  }
  const again = ["Try again", () => run(asked, view)];
  if (error instanceof Problem) {
    const later = error.retryAfter ? ` Try again in ${error.retryAfter} s.` : "";
    view.fail(error.title, `${error.message}${later}`, [again]);
  } else {
    view.fail("The server cannot be reached", "Your message is kept in this tab. The same request is sent again, so it is answered once.", [again]);
  }
}

function stop() {
  state.running?.abort(new DOMException("stopped", "AbortError"));
}

function busy(isBusy) {
  if (!isBusy) state.running = null;
  find("send").hidden = isBusy;
  find("stop").hidden = !isBusy;
}

// What stands around the turns

function drawAgents() {
  const choose = (name) => { state.agent = name; sessionStorage.setItem(AGENT, name); head(); drawExamples(); };
  find("agents").append(...state.agents.map(({ name, description }) =>
    el("label", { class: "agent" },
      el("input", { type: "radio", name: "agent", value: name, checked: name === state.agent, onchange: () => choose(name) }),
      el("span", {}, el("strong", {}, capital(name)), el("span", {}, description)))));
  drawExamples();
}

function drawExamples() {
  const known = state.examples[state.agent] || [];
  find("describes").textContent = state.agents.find((each) => each.name === state.agent)?.description || "";
  find("examples-title").hidden = !known.length;
  find("examples").replaceChildren(...known.map((text) => button(text, () => submit(text), { class: "example" })));
}

async function showGraph() {
  const { mermaid, description } = await json(`agents/${state.agent}`);
  const drawn = drawGraph(state.agent, mermaid);
  ask(capital(state.agent), [el("p", {}, description), drawn], [["Close", () => null]]);
  for (const wide of drawn.querySelectorAll(".scroll")) wide.scrollLeft = (wide.scrollWidth - wide.clientWidth) / 2;
}

async function attach() {
  const files = [...find("file").files];
  find("file").value = "";
  if (!files.length) return;
  if (!state.thread) await makeThread();
  await addDocuments(state.thread, files);
  announce("The documents are read.");
}

function showSide(isOpen) {
  document.body.classList.toggle("side-open", isOpen);
  find("open-side").setAttribute("aria-expanded", String(isOpen));
  find("stage").inert = isOpen;
  if (isOpen) find("new").focus();
}

async function guarded(act, otherwise = () => {}) {
  try {
    await act();
  } catch (error) {
    otherwise();
    tell(error);
  }
}

function tell(error) {
  const text = error instanceof TypeError ? "The server cannot be reached." : error.message;
  find("notice").replaceChildren(el("p", {}, text));
}

function fitMessage() {
  const message = find("message");
  message.style.height = "auto";
  message.style.height = `${Math.min(message.scrollHeight, 220)}px`;
}

// Down with what comes, until the message of a turn that is read has reached the top.
function follow(view) {
  const main = find("main");
  const top = view.element.offsetTop - main.offsetTop - 16;
  main.scrollTop = Math.min(main.scrollHeight, top);
}

function scrollDown() {
  find("main").scrollTop = find("main").scrollHeight;
}

guarded(start);
