// Everything around the turns: choice of the agent, example questions, the graph, the header, the side bar.

import { json } from "./api.js";
import { ask as openDialog, button, capital, el, find } from "./dom.js";
import { drawGraph } from "./graph.js";
import { state, tab } from "./state.js";
import { titleOf } from "./threads.js";

const AGENT = "turnkeep.agent";
const DRAFT = "turnkeep.draft";
let ask = () => {};

// Returns the agent that was last chosen in this tab, else the deployment's default.
export function chosenAgent(agents, standard) {
  const named = (name) => agents.find((each) => each.name === name);
  return named(tab.getItem(AGENT)) || named(standard) || agents[0];
}

export function drawAgents(send) {
  ask = send;
  const choose = (name) => { state.agent = name; tab.setItem(AGENT, name); head(); drawExamples(); };
  find("agents").append(...state.agents.map(({ name, description }) =>
    el("label", { class: "agent" },
      el("input", { type: "radio", name: "agent", value: name, checked: name === state.agent, onchange: () => choose(name) }),
      el("span", {}, el("strong", {}, capital(name)), el("span", {}, description)))));
  drawExamples();
}

export function drawExamples() {
  const known = state.examples[state.agent] || [];
  find("describes").textContent = state.agents.find((each) => each.name === state.agent)?.description || "";
  find("examples-title").hidden = !known.length;
  find("examples").replaceChildren(...known.map((text) => button(text, () => ask(text), { class: "example" })));
}

export function head(thread = null, title = thread ? titleOf(thread) : "New thread") {
  find("title").textContent = title;
  const agent = state.agents.find((each) => each.name === state.agent);
  const until = thread ? ` · kept until ${new Date(thread.expires_at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}` : "";
  find("about").textContent = agent ? `${capital(agent.name)}${until}` : "";
  find("show-graph").hidden = !agent;
  document.title = thread ? `${titleOf(thread)} · Turnkeep` : "Turnkeep";
}

export async function showGraph() {
  const { mermaid, description } = await json(`agents/${state.agent}`);
  const drawn = drawGraph(state.agent, mermaid);
  openDialog(capital(state.agent), [el("p", {}, description), drawn], [["Close", () => null]]);
  for (const wide of drawn.querySelectorAll(".scroll")) wide.scrollLeft = (wide.scrollWidth - wide.clientWidth) / 2;
}

export function showSide(isOpen) {
  document.body.classList.toggle("side-open", isOpen);
  find("open-side").setAttribute("aria-expanded", String(isOpen));
  find("stage").inert = isOpen;
  if (isOpen) find("new").focus();
}

// Also keeps the message, for a reload.
export function fitMessage() {
  const message = find("message");
  tab.setItem(DRAFT, message.value);
  message.style.height = "auto";
  message.style.height = `${Math.min(message.scrollHeight, 220)}px`;
}

export function setMessage(text = tab.getItem(DRAFT) || "") {
  find("message").value = text;
  fitMessage();
}
