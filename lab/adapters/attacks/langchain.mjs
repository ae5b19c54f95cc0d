// What a graph of LangChain is resumed with: nothing runs that nobody said yes to.
import assert from "node:assert/strict";
import { Command, MemorySaver } from "@langchain/langgraph";
import { createAgent, FakeToolCallingModel, tool } from "langchain";
import { createRuntime } from "zeph";
import { govern, toLangChainTools } from "zeph/langchain";
import * as z from "zod";

const rules = { write: [{ pattern: "*", action: "ask" }] };
const config = { audit: { path: `${process.env.TMPDIR}/audit.jsonl` }, tools: { permissions: rules } };
const zeph = await createRuntime({ cwd: process.env.TMPDIR, store: "memory", config });
const ran = [];
const deploy = tool(({ service }) => ran.push(service) && "deployed", {
  name: "deploy",
  description: "",
  schema: z.object({ service: z.string() }),
});
const tools = [deploy, ...toLangChainTools(zeph, { only: ["write"] })];
const middleware = [govern(zeph)];
const start = async (id, name, args, checkpointer) => {
  const model = new FakeToolCallingModel({ toolCalls: [[{ type: "tool_call", id, name, args }], []] });
  const agent = createAgent({ model, tools, middleware, ...(checkpointer && { checkpointer }) });
  const thread = { configurable: { thread_id: id } };
  return { agent, thread, first: await agent.invoke({ messages: [{ role: "user", content: "go" }] }, thread).catch((error) => error) };
};
const resume = (decision) => new Command({ resume: { decisions: [decision] } });
const told = ({ messages }) => JSON.stringify(messages.filter(({ type }) => type === "tool").map(({ content }) => content));
const saver = new MemorySaver();

// The graph goes back to before the yes and is resumed again: it counts once.
const one = await start("1", "deploy", { service: "web" }, saver);
const before = await one.agent.graph.getState(one.thread);
await one.agent.invoke(resume({ type: "approve" }), one.thread);
const again = await one.agent.invoke(resume({ type: "approve" }), before.config);
assert.match(told(again), /used already/);
assert.deepEqual(ran, ["web"]);

// One of Zeph's own tools, asked about by a middleware-free path, and a no.
const two = await start("2", "write", { path: "a.txt", content: "" }, saver);
assert.equal(two.first.__interrupt__[0].value.actionRequests[0].name, "write");
assert.match(told(await two.agent.invoke(resume({ type: "reject", message: "not now" }), two.thread)), /The user said no: not now/);
const three = await start("3", "deploy", { service: "api" }, saver);
assert.match(
  told(await three.agent.invoke(resume({ type: "edit", editedAction: { name: "deploy", args: { service: "db" } } }), three.thread)),
  /The user said no/,
);
assert.deepEqual(ran, ["web"]);

// Without a checkpointer nobody can be asked.
const four = await start("4", "deploy", { service: "db" });
assert.deepEqual(ran, ["web"]);
assert(four.first instanceof Error || four.first.__interrupt__ || /confirmation_required/.test(told(four.first)));
await zeph.close();
