// The list of threads: newest first, searchable by title, deleted after a confirmation.

import { json, request } from "./api.js";
import { ask, button, el, find } from "./dom.js";

const PAGE = 50;

export class ThreadList {
  // `open` gets the id of a chosen thread, `gone` that of a deleted one.
  constructor({ open, gone }) {
    Object.assign(this, { open, gone, threads: [], cursor: null, current: null });
    find("search").addEventListener("input", () => this.draw());
    find("more-threads").addEventListener("click", () => this.load(this.cursor));
  }

  async load(cursor = null) {
    const answer = await request("threads/search", { method: "POST", body: { limit: PAGE, ...(cursor ? { cursor } : {}) } });
    const found = await answer.json();
    this.cursor = answer.headers.get("X-Pagination-Next");
    this.threads = cursor ? [...this.threads, ...found] : found;
    this.draw();
  }

  // Reloads one thread, which is now the newest.
  async renew(id) {
    const thread = await json(`threads/${id}`);
    this.threads = [thread, ...this.threads.filter((each) => each.thread_id !== id)];
    this.draw();
    return thread;
  }

  select(id) {
    this.current = id;
    this.draw();
  }

  draw() {
    const wanted = find("search").value.trim().toLowerCase();
    const shown = this.threads.filter((thread) => `${titleOf(thread)} ${thread.agent || ""}`.toLowerCase().includes(wanted));
    find("threads").replaceChildren(...shown.map((thread) => this.item(thread)));
    if (!shown.length) find("threads").append(el("li", { class: "faint none" }, wanted ? "No thread has that in its title." : "No threads yet."));
    find("more-threads").hidden = !this.cursor;
  }

  item(thread) {
    const title = titleOf(thread);
    const isCurrent = thread.thread_id === this.current;
    return el("li", { class: isCurrent ? "current" : null },
      el("a", { href: `#${thread.thread_id}`, "aria-current": isCurrent ? "page" : null, onclick: () => isCurrent && this.open(thread.thread_id) },
        el("span", { class: "name", dir: "auto" }, title),
        el("span", { class: "faint" }, [thread.agent, new Date(thread.updated_at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })].filter(Boolean).join(" · "))),
      button("✕", () => this.remove(thread), { class: "icon", "aria-label": `Delete ${title}` }));
  }

  async remove(thread) {
    const words = el("p", {}, `“${titleOf(thread)}” is erased with all its turns and documents. Nothing brings them back.`);
    const sure = await ask("Delete this thread?", [words], [["Keep it", () => false], ["Delete", () => true, "danger"]]);
    if (!sure) return;
    await json(`threads/${thread.thread_id}`, { method: "DELETE" });
    this.threads = this.threads.filter((each) => each !== thread);
    this.draw();
    this.gone(thread.thread_id);
  }
}

export const titleOf = (thread) => thread.title || "Untitled";
