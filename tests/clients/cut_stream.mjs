// A stream of LangGraph's SDK that breaks on its way: node --input-type=module - URL < cut_stream.mjs. Prints the thread
// and the events that came.
import { Client } from "@langchain/langgraph-sdk";

const client = new Client({ apiUrl: process.argv[2] });
const { thread_id: thread } = await client.threads.create();
const events = [];
const said = { messages: [{ type: "human", content: "hello" }] };
const asked = { input: said, streamMode: ["values", "messages-tuple", "updates", "custom"], streamResumable: true };
for await (const part of client.runs.stream(thread, "parcels", asked)) events.push(part);
console.log(JSON.stringify({ thread, events }));
