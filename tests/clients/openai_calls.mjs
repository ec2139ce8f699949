// What openai_calls.py does, with OpenAI's SDK for JavaScript: node --input-type=module - URL THREAD KEY with this file
// as its input.
import OpenAI from "openai";

const [, , url, thread, apiKey = "none"] = process.argv;
const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
const AGENT = "parcels";

// Class, status and code of what it raises.
async function refused(call) {
  try {
    return ["nothing", (await call()).id];
  } catch (error) {
    return [error.constructor.name, error.status, error.code];
  }
}

async function listed(page) {
  const found = [];
  for await (const item of page) found.push(item);
  return found;
}

async function chats() {
  const messages = [
    { role: "user", content: "one" },
    { role: "assistant", content: "you said one" },
    { role: "user", content: "two" },
  ];
  const create = (more) => client.chat.completions.create({ model: AGENT, messages, ...more });
  const whole = await create({});
  const chunks = await listed(await create({ stream: true, stream_options: { include_usage: true } }));
  const choices = chunks.flatMap((chunk) => chunk.choices);
  const said = choices.map((choice) => choice.delta.content ?? "");
  const onThread = await create({ messages: messages.slice(0, 1), metadata: { thread_id: thread } });
  const [choice] = whole.choices;
  return {
    chat: choice.message.content,
    "chat object": [whole.object, whole.model, choice.finish_reason, choice.message.role],
    "chat streamed": said.join(""),
    "chat in pieces": said.length > 2,
    "chat ends": choices.at(-1).finish_reason,
    "chat usage": chunks.at(-1).usage != null,
    "chat on a thread": onThread.choices[0].message.content,
  };
}

async function responses() {
  const conversation = (await client.conversations.create({ metadata: { about: "parcels" } })).id;
  const create = (input, more) => client.responses.create({ model: AGENT, input, ...more });
  const first = await create("one", { conversation });
  const stream = client.responses.stream({ model: AGENT, input: "two", conversation });
  const kinds = new Set();
  for await (const event of stream) kinds.add(event.type);
  const second = await stream.finalResponse();
  const third = await create("yes", { conversation });
  const alone = await create("alpha");
  const chained = await create("beta", { previous_response_id: alone.id });
  const unstored = await create("gamma", { store: false });
  const items = await listed(client.conversations.items.list(conversation, { order: "asc" }));
  const input = await listed(client.responses.inputItems.list(second.id));
  const about = await client.conversations.update(conversation, { metadata: { about: "more" } });
  return {
    conversation: [first.output_text, second.output_text, third.output_text],
    response: [first.object, first.status, first.model, first.output[0].type],
    "response events": [...kinds],
    "response read again": (await client.responses.retrieve(second.id)).output_text,
    "response input": input.map((item) => item.content[0].text),
    chained: [alone.output_text, chained.output_text, chained.previous_response_id === alone.id],
    unstored: [unstored.output_text, await refused(() => client.responses.retrieve(unstored.id))],
    items: items.map((item) => [item.role, item.content[0].text]),
    "conversation read": (await client.conversations.retrieve(conversation)).id === conversation,
    "conversation updated": about.metadata,
    "conversation deleted": (await client.conversations.delete(conversation)).deleted,
    "conversation gone": await refused(() => client.conversations.retrieve(conversation)),
  };
}

async function refusals() {
  const messages = [{ role: "user", content: "hello" }];
  const chat = (more) => client.chat.completions.create({ model: AGENT, messages, ...more });
  const tools = [{ type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } }];
  const conversation = (await client.conversations.create()).id;
  return {
    "unknown model": await refused(() => chat({ model: "nobody" })),
    "unknown model asked for": await refused(() => client.models.retrieve("nobody")),
    "temperature of five": await refused(() => chat({ temperature: 5 })),
    "two answers": await refused(() => chat({ n: 2 })),
    "no message": await refused(() => chat({ messages: [] })),
    "unknown response": await refused(() => client.responses.retrieve("resp_nothing")),
    tools: (await chat({ tools })).choices[0].message.content,
    "a failure": await refused(() => client.responses.create({ model: AGENT, input: "fail", conversation })),
  };
}

const models = await listed(client.models.list());
const found = {
  models: models.some((model) => model.id === AGENT),
  model: (await client.models.retrieve(AGENT)).id,
  ...(await chats()),
  ...(await responses()),
  ...(await refusals()),
};
console.log(JSON.stringify(found));
