// A chat as an application writes it with useStream of @langchain/react, bundled when the test runs: what was said,
// which tools were called, a box to say more, the question of an interrupt. "when" in the address is the strategy for a
// message that is sent while an answer is written.
import { createElement as h, useState } from "react";
import { createRoot } from "react-dom/client";
import { useMessageMetadata, useStream } from "@langchain/react";

const query = new URLSearchParams(location.search);

function keepThread(id) {
  query.set("thread", id);
  history.replaceState(null, "", `?${query}`);
}

function Message({ stream, message }) {
  const forkFrom = useMessageMetadata(stream, message.id)?.parentCheckpointId;
  const edited = { messages: [{ type: "human", content: `${message.text} anew` }] };
  const edit = () => stream.submit(edited, { forkFrom });
  const again = message.type === "human" && h("button", { className: "again", onClick: edit }, "edit");
  return h("li", { className: `is-${message.type}` }, h("span", null, message.text), again);
}

function Chat() {
  const [text, setText] = useState("");
  const [threadId, setThreadId] = useState(query.get("thread"));
  const stream = useStream({
    apiUrl: query.get("api"),
    apiKey: query.get("key") ?? undefined,
    assistantId: "parcels",
    threadId,
    onThreadId: (id) => (keepThread(id), setThreadId(id)),
  });
  const send = (event) => {
    event.preventDefault();
    const input = { messages: [{ type: "human", content: text }] };
    stream.submit(input, { multitaskStrategy: query.get("when") ?? undefined });
    setText("");
  };
  const question = stream.interrupt;
  const approve = () => stream.respond({ decisions: [{ type: "approve" }] }, { interruptId: question.id });
  return h(
    "main",
    { "data-state": stream.isLoading || stream.isThreadLoading ? "busy" : "idle" },
    h("ol", null, ...stream.messages.map((message) => h(Message, { key: message.id, stream, message }))),
    ...stream.toolCalls.map((call) =>
      h("p", { key: call.id, className: "tool" }, `${call.name} ${JSON.stringify(call.args)} ${call.status} ${call.output}`),
    ),
    question && h("button", { id: "approve", onClick: approve }, question.value.actionRequests[0].name),
    stream.error ? h("p", { id: "error" }, String(stream.error.message ?? stream.error)) : null,
    h("form", { onSubmit: send }, h("input", { value: text, onChange: (event) => setText(event.target.value) })),
    h("button", { id: "stop", onClick: () => stream.stop() }, "stop"),
  );
}

createRoot(document.getElementById("chat")).render(h(Chat));
