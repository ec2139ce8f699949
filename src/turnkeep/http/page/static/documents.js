// Documents of a thread: each is sent with a form from the server, processed there, and listed here until removed.

import { json } from "./api.js";
import { button, el, find } from "./dom.js";

const LOOK_AGAIN_MS = 700;
const MOST_WAITED_FOR = 10;
const SETTLED = ["ready", "failed"];

export async function listDocuments(thread) {
  const list = find("documents");
  const found = thread ? (await json(`threads/${thread}/attachments`)).attachments : [];
  if (list.dataset.thread !== (thread || "")) return found;
  list.replaceChildren(...found.map((document) => item(thread, document)));
  list.hidden = !found.length;
  return found;
}

export async function addDocuments(thread, files) {
  for (const file of files) {
    const made = await json(`threads/${thread}/attachments`, { method: "POST", body: { name: file.name, size: file.size } });
    const target = here(made.upload.url);
    if (target.origin !== location.origin) {
      await json(`threads/${thread}/attachments/${made.document_id}`, { method: "DELETE" });
      throw new Error("Here files go to a bucket that this page may not send to. Add documents over the API.");
    }
    const form = new FormData();
    for (const [name, value] of Object.entries(made.upload.fields)) form.append(name, value);
    form.append("file", file);
    const sent = await fetch(target, { method: "POST", body: form });
    if (!sent.ok) throw new Error(`${file.name} could not be sent. Try again.`);
  }
  while ((await listDocuments(thread)).some((document) => !SETTLED.includes(document.status))) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    if (find("documents").dataset.thread !== thread) return;
  }
}

// Returns the ids of documents that the next turn has to wait for.
export function unreadDocuments() {
  const items = [...find("documents").children].filter((each) => !SETTLED.includes(each.className));
  return items.map((each) => each.dataset.id).slice(0, MOST_WAITED_FOR);
}

// A laptop's server uses one of its names; this page may have been opened by another.
function here(address) {
  const url = new URL(address);
  const isOwn = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname) && url.port === location.port;
  return isOwn ? new URL(url.pathname, location.origin) : url;
}

function item(thread, document) {
  const told = { waiting: "waiting", processing: "being read", ready: "ready", failed: document.advice || "could not be read" }[document.status];
  const pages = document.pages ? `, ${document.pages} ${document.pages === 1 ? "page" : "pages"}` : "";
  const remove = async () => {
    await json(`threads/${thread}/attachments/${document.document_id}`, { method: "DELETE" });
    await listDocuments(thread);
  };
  return el("li", { class: document.status, "data-id": document.document_id },
    el("span", { dir: "auto" }, document.name), el("span", { class: "faint" }, ` ${told}${pages}`),
    button("✕", remove, { class: "icon", "aria-label": `Remove ${document.name}` }));
}
