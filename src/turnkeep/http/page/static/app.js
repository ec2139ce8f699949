// The chat page. The part of the address after "#" names the thread, so that a reload finds it again.

import { json } from "./api.js";
import { chosenAgent, drawAgents, fitMessage, setMessage, showGraph, showSide } from "./around.js";
import { catchUp, loadTurns, makeThread, newThread, openThread, stop, submit, threads } from "./conversation.js";
import { addDocuments } from "./documents.js";
import { find, isComposed } from "./dom.js";
import { keptRequests } from "./sending.js";
import { guarded, startSaying, state } from "./state.js";

async function start() {
  listen();
  setMessage();
  const [agents, info, examples] = await Promise.all([
    json("agents"), json("info"), fetch(new URL("examples.json", import.meta.url)).then((answer) => answer.json()),
  ]);
  Object.assign(state, { agents, examples, agent: chosenAgent(agents, info.default_agent)?.name });
  find("server").textContent = `Turnkeep ${info.version} · ${info.model === "demo" ? "demo model" : info.model}`;
  find("server").title = info.notes.join(" ");
  drawAgents(submit);
  await threads.load();
  const named = location.hash.slice(1) || keptRequests()[0]?.thread;
  if (named) await openThread(named);
  else newThread();
}

function listen() {
  const message = find("message");
  const touch = matchMedia("(pointer: coarse)");
  find("composer").addEventListener("submit", (event) => { event.preventDefault(); submit(); });
  message.addEventListener("input", fitMessage);
  if (touch.matches) message.enterKeyHint = "enter";
  message.addEventListener("keydown", (event) => {
    const breaksLine = event.shiftKey || (touch.matches && !event.ctrlKey && !event.metaKey);
    if (event.key !== "Enter" || breaksLine || isComposed(event)) return;
    event.preventDefault();
    submit();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || isComposed(event) || document.querySelector("dialog[open]")) return;
    if (document.body.classList.contains("side-open")) showSide(false);
    else stop();
  });
  find("stop").addEventListener("click", stop);
  find("new").addEventListener("click", () => {
    if (state.thread) history.pushState(null, "", location.pathname + location.search);
    newThread();
  });
  find("skip").addEventListener("click", (event) => { event.preventDefault(); message.focus(); });
  find("earlier").addEventListener("click", () => guarded(() => loadTurns(state.before)));
  find("show-graph").addEventListener("click", () => guarded(showGraph));
  find("attach").addEventListener("click", () => find("file").click());
  find("file").addEventListener("change", () => guarded(attach));
  find("open-side").addEventListener("click", () => showSide(true));
  find("close-side").addEventListener("click", () => showSide(false));
  addEventListener("online", () => catchUp());
  document.addEventListener("visibilitychange", () => document.hidden || catchUp());
  addEventListener("hashchange", () => location.hash.slice(1) !== (state.thread || "") && openThread(location.hash.slice(1)));
}

async function attach() {
  const files = [...find("file").files];
  find("file").value = "";
  if (!files.length) return;
  if (!state.thread) await makeThread();
  await addDocuments(state.thread, files);
  startSaying("The documents are read.");
}

guarded(start);
