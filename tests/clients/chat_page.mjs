// A chat as an application writes it with useStream, bundled when the test runs: what was said, a box to say more, the
// question of an interrupt, another wording of an earlier message, the branches of one.
import { createElement as h, useState } from "react";
import { createRoot } from "react-dom/client";
import { useStream } from "@langchain/langgraph-sdk/react";

const query = new URLSearchParams(location.search);

function keepThread(id) {
  const next = new URLSearchParams(location.search);
  next.set("thread", id);
  history.replaceState(null, "", `?${next}`);
}

const human = (text) => ({ messages: [{ type: "human", content: text }] });

function Message({ thread, message }) {
  const meta = thread.getMessagesMetadata(message);
  const again = () =>
    thread.submit(human(`${message.content} anew`), { checkpoint: meta?.firstSeenState?.parent_checkpoint });
  const branches = meta?.branchOptions ?? [];
  return h(
    "li",
    { className: message.type },
    h("span", null, String(message.content)),
    message.type === "human" && h("button", { className: "again", onClick: again }, "again"),
    ...branches.map((branch, index) =>
      h("button", { key: branch, className: "branch", onClick: () => thread.setBranch(branch) }, String(index + 1)),
    ),
  );
}

function Chat() {
  const [text, setText] = useState("");
  const [threadId, setThreadId] = useState(query.get("thread"));
  const [heard, setHeard] = useState("");
  const thread = useStream({
    apiUrl: query.get("api"),
    apiKey: query.get("key") ?? undefined,
    assistantId: "parcels",
    threadId,
    onThreadId: (id) => (keepThread(id), setThreadId(id)),
    onCustomEvent: (data) => setHeard(data.heard),
    reconnectOnMount: true,
    fetchStateHistory: { limit: 100 },
  });
  const approve = () => thread.submit(undefined, { command: { resume: { decisions: [{ type: "approve" }] } } });
  const send = (event) => (event.preventDefault(), thread.submit(human(text)), setText(""));
  return h(
    "main",
    { "data-state": thread.isLoading ? "busy" : "idle" },
    h("ol", null, ...thread.messages.map((message) => h(Message, { key: message.id, thread, message }))),
    thread.interrupt?.value && h("button", { id: "approve", onClick: approve }, thread.interrupt.value.action_requests[0].name),
    thread.error ? h("p", { id: "error" }, String(thread.error.message ?? thread.error)) : null,
    h("p", { id: "heard" }, heard),
    h("form", { onSubmit: send }, h("input", { value: text, onChange: (event) => setText(event.target.value) })),
    h("button", { id: "stop", onClick: () => thread.stop() }, "stop"),
  );
}

createRoot(document.getElementById("chat")).render(h(Chat));
