// Messages that wait until the answer before them is complete. The server has them, in their order, also for other tabs;
// this page only remembers those that the server has not accepted yet.

import { setMessage } from "./around.js";
import { json } from "./api.js";
import { button, el, find, short } from "./dom.js";
import { activeRun, cancel, messageOf, newRequest, runPath } from "./sending.js";
import { guarded, mention, notify, state } from "./state.js";

const queues = new Map();  // by thread: requests in their order, with `run` once they are accepted
const items = new WeakMap();

export const waiting = (id) => queues.get(id) || [];
export const add = (asked) => set(asked.thread, [...waiting(asked.thread), asked]);
export const remove = (asked) => set(asked.thread, waiting(asked.thread).filter((each) => each !== asked));

// Takes over the queue of the server. Returns the messages that have left it without an answer.
export async function update(thread) {
  const { thread_id: id, queued } = thread;
  const [known, failed] = [waiting(id), []];
  const found = queued.map(({ run_id, message }) => known.find((each) => each.run === run_id) || newRequest(id, { message }, run_id));
  const others = known.filter((each) => !found.includes(each));
  set(id, [...found, ...others]);
  for (const asked of others.filter(({ run }) => run && run !== activeRun(thread))) {
    const { status } = await json(runPath(asked));
    if (status !== "pending") remove(asked);  // else it was accepted meanwhile
    if (["error", "timeout"].includes(status)) failed.push(asked);
  }
  return failed;
}

function set(id, all) {
  queues.set(id, all);
  draw();
}

// Moves no element without need, so that the focus stays where it is.
export function draw() {
  const list = find("waiting");
  const shown = waiting(state.thread).map(item);
  for (const gone of [...list.children].filter((each) => !shown.includes(each))) {
    if (gone.contains(document.activeElement)) find("message").focus();
    gone.remove();
  }
  shown.forEach((each, place) => list.children[place] !== each && list.insertBefore(each, list.children[place] || null));
  const many = shown.length === 1 ? "1 message waits" : `${shown.length} messages wait`;
  const words = shown.length ? `${many} until ${state.asks ? "you have answered the question" : "the answer is complete"}.` : "";
  if (find("queued").textContent !== words) find("queued").textContent = words;  // read out at each change
}

function item(asked) {
  const text = messageOf(asked);
  const leave = () => button("Withdraw", ({ target }) => withdraw(asked, target), { class: "small", "aria-label": `Withdraw ${short(text, 60)}` });
  if (!items.has(asked)) items.set(asked, el("li", {}, el("p", { dir: "auto" }, text), el("span", { class: "faint" }), leave()));
  const [, told, left] = items.get(asked).children;
  told.textContent = asked.run ? "Waiting" : asked.isLost ? "Not sent yet, trying again" : "Sending";
  left.hidden = !asked.run;
  return items.get(asked);
}

// If it begins at this moment, its run is ended too: its text is back, and no answer comes.
function withdraw(asked, pressed) {
  pressed.disabled = true;
  return guarded(async () => {
    const isWaiting = (await json(runPath(asked))).status === "pending";
    if (isWaiting) await cancel(asked);
    remove(asked);
    find("message").focus();
    if (!isWaiting) return notify("This message has already begun, or was withdrawn elsewhere.");
    mention("The message is withdrawn.");
    if (!find("message").value) setMessage(messageOf(asked));
  }, () => (pressed.disabled = false));
}
