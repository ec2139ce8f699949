// What sdk_calls.py does, with LangGraph's SDK for JavaScript: node --input-type=module - URL HEADERS < calls.mjs, in the
// folder of node_modules. Prints what each method gave as JSON.
import { Client } from "@langchain/langgraph-sdk";

const [, , apiUrl, headers = "{}"] = process.argv;
const client = new Client({ apiUrl, defaultHeaders: JSON.parse(headers), callerOptions: { maxRetries: 0 } });
const AGENT = "parcels";
const NOBODY = "00000000-0000-4000-8000-000000000000";
const MODES = ["values", "updates", "messages-tuple", "custom"];
const APPROVED = { resume: { decisions: [{ type: "approve" }] } };

const said = (text) => ({ messages: [{ role: "human", content: text }] });
const thread = async () => (await client.threads.create()).thread_id;

async function tried(call) {
  try {
    return (await call) ?? null;
  } catch (error) {
    return { raised: error.name, status: error.status ?? null };
  }
}

async function streamed(parts) {
  const found = [];
  const all = async () => {
    for await (const part of parts) found.push([part.event, part.data ?? null]);
    return found;
  };
  return tried(all());
}

async function assistants() {
  const [own] = await client.assistants.search({ graphId: AGENT });
  const which = own.assistant_id;
  return {
    search: [own],
    count: await tried(client.assistants.count({ graphId: AGENT })),
    get: await tried(client.assistants.get(which)),
    "get unknown": await tried(client.assistants.get(NOBODY)),
    getGraph: await tried(client.assistants.getGraph(which, { xray: true })),
    getSchemas: await tried(client.assistants.getSchemas(which)),
    getSubgraphs: await tried(client.assistants.getSubgraphs(which)),
  };
}

async function threads() {
  const mine = { shelf: crypto.randomUUID() };
  const given = crypto.randomUUID();
  const found = {
    create: await tried(client.threads.create({ threadId: given, metadata: { ...mine, n: 1 }, ttl: 60 })),
    "create again": await tried(client.threads.create({ threadId: given })),
    "create if it is not there": await tried(client.threads.create({ threadId: given, ifExists: "do_nothing" })),
    update: await tried(client.threads.update(given, { metadata: { n: 2 } })),
    get: await tried(client.threads.get(given)),
    "get unknown": await tried(client.threads.get(NOBODY)),
    "getState of an empty one": await tried(client.threads.getState(given)),
    "getHistory of an empty one": await tried(client.threads.getHistory(given)),
  };
  await client.runs.wait(given, AGENT, { input: said("weigh it") });
  const state = await client.threads.getState(given);
  const newest = { metadata: mine, limit: 1, sortBy: "created_at", sortOrder: "desc" };
  const noted = { messages: [{ role: "assistant", content: "noted", id: "note-1" }] };
  return {
    ...found,
    search: await tried(client.threads.search(newest)),
    "search some fields": await tried(client.threads.search({ metadata: mine, select: ["thread_id", "status"] })),
    count: await tried(client.threads.count({ metadata: mine })),
    getState: state,
    "getState at a checkpoint": await tried(client.threads.getState(given, state.checkpoint)),
    "getState by its id": await tried(client.threads.getState(given, state.checkpoint.checkpoint_id)),
    getHistory: await tried(client.threads.getHistory(given, { limit: 1 })),
    updateState: await tried(client.threads.updateState(given, { values: noted, asNode: "reply" })),
    "getState after it": await tried(client.threads.getState(given)),
    copy: await tried(client.threads.copy(given)),
    delete: await tried(client.threads.delete(given)),
    "get deleted": await tried(client.threads.get(given)),
  };
}

async function runs() {
  const one = await thread();
  const found = {};
  for (const mode of [...MODES, "messages", "debug"]) {
    const parts = client.runs.stream(await thread(), AGENT, { input: said("weigh it"), streamMode: mode });
    found[`stream ${mode}`] = await streamed(parts);
  }
  const inside = { input: said("track it"), streamMode: MODES, streamSubgraphs: true };
  const about = { input: said("hello"), metadata: { from: "a test" } };
  Object.assign(found, {
    "stream with subgraphs": await streamed(client.runs.stream(one, AGENT, inside)),
    "stream without a thread": await streamed(client.runs.stream(null, AGENT, { input: said("hello") })),
    "stream for nobody": await streamed(client.runs.stream(one, "nobody", { input: said("hello") })),
    "stream in a bad mode": await streamed(client.runs.stream(one, AGENT, { streamMode: "colours" })),
    wait: await tried(client.runs.wait(await thread(), AGENT, about)),
    "wait without a thread": await tried(client.runs.wait(null, AGENT, { input: said("hello") })),
    "wait for a failure": await tried(client.runs.wait(await thread(), AGENT, { input: said("fail") })),
    "wait on an unknown thread": await tried(client.runs.wait(crypto.randomUUID(), AGENT, { input: said("hello") })),
  });
  const asked = await thread();
  found["wait for a question"] = await tried(client.runs.wait(asked, AGENT, { input: said("send it") }));
  found["wait for its answer"] = await tried(client.runs.wait(asked, AGENT, { command: APPROVED }));
  const two = await thread();
  await client.runs.wait(two, AGENT, { input: said("one") });
  const { checkpoint } = await client.threads.getState(two);
  await client.runs.wait(two, AGENT, { input: said("two") });
  found["wait at a checkpoint"] = await tried(client.runs.wait(two, AGENT, { input: said("three"), checkpoint }));
  return { ...found, ...(await background(await thread())) };
}

async function background(thread) {
  const made = await client.runs.create(thread, AGENT, { input: said("wait 0.4"), metadata: { from: "a test" } });
  const found = {
    create: made,
    join: await tried(client.runs.join(thread, made.run_id)),
    get: await tried(client.runs.get(thread, made.run_id)),
    "get unknown": await tried(client.runs.get(thread, NOBODY)),
    list: await tried(client.runs.list(thread, { limit: 5 })),
    "joinStream of one that ended": await streamed(client.runs.joinStream(thread, made.run_id)),
    "cancel one that ended": await tried(client.runs.cancel(thread, made.run_id)),
  };
  const slow = await client.runs.create(thread, AGENT, { input: said("wait 20") });
  while ((await client.runs.get(thread, slow.run_id)).status === "pending") await new Promise((go) => setTimeout(go, 50));
  const busy = { input: said("hello"), multitaskStrategy: "reject" };
  return {
    ...found,
    "wait on a busy thread": await tried(client.runs.wait(thread, AGENT, busy)),
    cancel: await tried(client.runs.cancel(thread, slow.run_id, true)),
    "get cancelled": await tried(client.runs.get(thread, slow.run_id)),
  };
}

async function store() {
  const shelf = ["shelves", crypto.randomUUID()];
  const [top, low, items] = [[...shelf, "top"], [...shelf, "low", "left"], client.store];
  return {
    putItem: await tried(items.putItem(top, "one", { grams: 1200, to: { city: "Turin" } })),
    "putItem again": await tried(items.putItem(top, "one", { grams: 900, to: null })),
    "putItem below": await tried(items.putItem(low, "two", { grams: 1500 }, { index: false, ttl: 60 })),
    "putItem with a period": await tried(items.putItem(["a.b"], "one", {})),
    "putItem of no object": await tried(items.putItem(top, "one", "text")),
    getItem: await tried(items.getItem(top, "one")),
    "getItem unknown": await tried(items.getItem(top, "two")),
    searchItems: await tried(items.searchItems(shelf, { filter: { grams: { $gt: 1000 } } })),
    "searchItems, a page": await tried(items.searchItems(shelf, { limit: 1, offset: 1 })),
    listNamespaces: await tried(items.listNamespaces({ prefix: shelf })),
    "listNamespaces by their ends": await tried(items.listNamespaces({ prefix: shelf, suffix: ["left"] })),
    "listNamespaces, cut": await tried(items.listNamespaces({ prefix: shelf, maxDepth: 3, limit: 1 })),
    deleteItem: await tried(items.deleteItem(low, "two")),
    "deleteItem again": await tried(items.deleteItem(low, "two")),
    "getItem deleted": await tried(items.getItem(low, "two")),
    "listNamespaces after it": await tried(items.listNamespaces({ prefix: shelf })),
  };
}

const found = {};
for (const [name, scene] of Object.entries({ assistants, threads, runs, store })) {
  for (const [step, value] of Object.entries(await scene())) found[`${name}.${step}`] = value;
}
console.log(JSON.stringify(found));
