// One turn: the message, the answer while it streams, its steps, its sources, and its turn record.

import { linkCitations, writer } from "./markdown.js";
import { placeInReply, rowsOf } from "./rows.js";
import { button, capital, copier, el, fold, link } from "./dom.js";
import { say, startSaying } from "./state.js";

export class TurnView {
  constructor(message) {
    this.steps = [];
    this.reply = el("div", { class: "reply" });
    this.writing = writer(this.reply);
    this.now = el("p", { class: "now" });
    this.rest = el("div", { class: "rest" });
    this.folds = el("div", { class: "folds" });
    this.element = el("article", { class: "turn" },
      el("div", { class: "said" }, el("h2", { class: "hidden" }, "You"), el("p", { dir: "auto" }, message)),
      el("div", { class: "answer" }, el("h2", { class: "hidden" }, "Answer"), this.reply, this.now, this.rest));
  }

  // Starts the answer, again from its beginning if part of it was already shown.
  begin(words) {
    this.isLive = true;
    this.steps = [];
    this.isWriting = false;
    const reply = el("div", { class: "reply" });
    this.reply.replaceWith(reply);
    Object.assign(this, { reply, writing: writer(reply) });
    this.rest.replaceChildren();
    this.element.setAttribute("aria-busy", "true");
    this.now.textContent = words || "Working";
    startSaying();
  }

  show(event) {
    if (event.event === "again") this.begin(event.lost && "The connection was lost. Trying again");
    else if (event.event === "restart") this.begin("The answer is being made again");
    else if (event.event === "token") this.token(event.content);
    else this.step(event);
  }

  token(text) {
    this.isWriting = true;
    this.writing.write(text);
    this.now.textContent = "Writing";
    say(this.reply);
  }

  // Nodes are the path through the graph; tools and routes only show the current activity.
  step(event) {
    const name = event.node || event.tool || event.route;
    if (typeof name !== "string") return;
    if (event.node && this.steps.at(-1) !== inWords(name)) this.steps.push(inWords(name));
    if (!this.isWriting) this.now.textContent = capital(inWords(name).split(" › ").at(-1));
  }

  complete(turn, again) {
    this.element.removeAttribute("aria-busy");
    this.element.id = turn.turn_number ? `turn-${turn.turn_number}` : "";
    this.now.textContent = { interrupted: "Waits for your answer", stopped: "Stopped" }[turn.status] || "";
    this.writing.end(turn.reply);
    linkCitations(this.reply, turn.sources);
    if (this.isLive) say(this.reply, true);
    this.rest.replaceChildren(...[stored(turn, again), sourcesOf(turn.sources), this.folds].filter(Boolean));
    this.fill(turn);
    if (Object.keys(turn.details || {}).length) this.detail(turn);
  }

  fill(turn) {
    const steps = turn.details?.reasoning_steps || [];
    const parts = [stepsOf(steps, this.steps), ledgerOf(turn)].filter(Boolean);
    this.folds.replaceChildren(...parts, copier(turn.reply, "Copy answer"));
  }

  // Shows the large parts of a turn. They come with the answer, or are read when the turn is viewed again.
  detail(turn) {
    const details = turn.details;
    for (const result of [details, ...(details.further_results || [])]) {
      const view = readable(() => rowsOf(result, result.columns ? result : details));
      if (view && !placeInReply(this.reply, result, view)) this.rest.prepend(view);
    }
    this.fill(turn);
  }

  fail(title, text, actions) {
    this.element.removeAttribute("aria-busy");
    this.now.textContent = "";
    this.rest.replaceChildren(fault(title, text, actions));
  }
}

function fault(title, text, actions) {
  const choices = actions.map(([label, act]) => button(label, act));
  return el("div", { class: "fault", role: "alert" }, title && el("strong", {}, title), el("p", {}, text), el("div", { class: "row" }, ...choices));
}

// The details of an own graph may use our names for other things.
function readable(make) {
  try {
    return make();
  } catch (error) {
    console.warn("details not shown", error);
    return null;
  }
}

// Offers to send the same request again, with its key: it runs again, or returns the turn if it was stored.
function stored(turn, again) {
  if (turn.persisted !== false && turn.persisted !== null) return null;
  const isLost = turn.persisted === false;
  const told = isLost ? "This answer is not stored: the next one will not know of it." : "It is not known whether this answer was stored.";
  return fault("", told, [[isLost ? "Send it again" : "Find out", again]]);
}

function sourcesOf(sources) {
  const cited = sources.filter((source) => source.cited);
  const others = sources.filter((source) => !source.cited);
  if (!sources.length) return null;
  const list = (all) => el("ul", { class: "sources" }, ...all.map((source) =>
    el("li", { dir: "auto" }, link(source.url, source.title || source.id), el("span", { class: "faint" }, ` ${source.id}`))));
  return el("div", { role: "group", "aria-label": "Sources" },
    cited.length ? el("h3", {}, "Sources") : "", cited.length ? list(cited) : "",
    others.length ? fold(`${others.length} more looked at`, list(others)) : "");
}

function stepsOf(reasoning, walked) {
  if (!reasoning.length && !walked.length) return null;
  const items = (reasoning.length ? reasoning : walked).map((step) => el("li", { dir: "auto" }, step));
  const path = reasoning.length && walked.length ? el("p", { class: "faint" }, walked.join(" → ")) : "";
  return fold(`Steps (${items.length})`, el("ol", {}, ...items), path);
}

function ledgerOf(turn) {
  const { usage } = turn;
  const cost = usage.cost_usd === null ? "no price is known" : `${usage.cost_usd.toFixed(usage.cost_usd && usage.cost_usd < 0.01 ? 5 : 2)} USD`;
  const facts = [
    ["Agent", turn.agent], ["Route", turn.route],
    ["Confidence", turn.confidence === null ? null : `${Math.round(turn.confidence * 100)} %`],
    ["Understood as", turn.standalone_query],
    ["Model", turn.provider === turn.model ? turn.model : `${turn.model} (${turn.provider})`],
    ["Tokens", `${usage.input_tokens.toLocaleString("en")} in, ${usage.output_tokens.toLocaleString("en")} out${usage.estimated ? ", estimated" : ""}`],
    ["Cost", cost], ["Took", `${(turn.duration_ms / 1000).toFixed(1)} s`],
    ["When", new Date(turn.created_at).toLocaleString()],
    ["Warnings", turn.warnings.map(inWords).join(", ")], ["Turn", turn.turn_number],
  ].filter(([, value]) => value !== null && value !== undefined && value !== "");
  const list = el("dl", {}, ...facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", { dir: "auto" }, String(value)))));
  const details = Object.keys(turn.details || {}).length
    ? fold("All that is kept of it", el("pre", { tabindex: "0" }, el("code", {}, JSON.stringify(turn.details, null, 2)))) : "";
  return fold("Why this answer", list, details);
}

const inWords = (name) => name.replaceAll("/", " › ").replaceAll("_", " ");
