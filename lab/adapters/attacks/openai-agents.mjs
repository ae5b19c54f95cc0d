// What a run of the OpenAI Agents SDK is resumed with: nothing runs that nobody said yes to.
import assert from "node:assert/strict";
import { Agent, Runner, RunState, tool, Usage } from "@openai/agents";
import { createRuntime } from "zeph";
import { govern } from "zeph/openai-agents";
import * as z from "zod";

const zeph = await createRuntime({ store: "memory", config: { audit: { path: `${process.env.TMPDIR}/audit.jsonl` } } });
const ran = [];
const deploy = tool({
  name: "deploy",
  description: "",
  parameters: z.object({ service: z.string() }),
  execute: ({ service }) => ran.push(service) && "deployed",
});
const tools = govern(zeph, [deploy]);
const said = { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "done" }] };
const runner = new Runner({ tracingDisabled: true });
const start = async (...calls) => {
  const answers = [
    ...calls.map(([callId, service]) => [{ type: "function_call", callId, name: "deploy", arguments: JSON.stringify({ service }) }]),
    [said],
  ];
  const agent = new Agent({
    name: "a",
    model: { getResponse: async () => ({ usage: new Usage(), output: answers.shift() ?? [said] }) },
    tools,
  });
  return { agent, result: await runner.run(agent, "go") };
};
const outputs = ({ newItems }) => JSON.stringify(newItems.map(({ rawItem }) => rawItem));

// The same state resumed twice: the yes counts once.
const { agent, result } = await start(["1", "web"]);
const saved = result.state.toString();
result.state.approve(result.interruptions[0]);
await runner.run(agent, result.state);
const again = await RunState.fromString(agent, saved);
again.approve(again.getInterruptions()[0]);
const replayed = await runner.run(agent, again);
assert.match(outputs(replayed), /used already/);
assert.deepEqual(ran, ["web"]);

// Other arguments in a stored state.
const second = await start(["2", "web"]);
const changed = await RunState.fromString(second.agent, second.result.state.toString().replaceAll('\\"web\\"', '\\"everything\\"'));
for (const item of changed.getInterruptions()) changed.approve(item);
const after = await runner.run(second.agent, changed).then(outputs, (error) => error.message);
assert.match(after, /not those that were approved|has changed/);
assert.deepEqual(ran, ["web"]);

// A yes to all calls of a tool is for the one that was shown.
const third = await start(["3", "api"], ["4", "db"]);
third.result.state.approve(third.result.interruptions[0], { alwaysApprove: true });
const all = await runner.run(third.agent, third.result.state);
assert.match(outputs(all), /confirmation_required/);
assert.deepEqual(ran, ["web", "api"]);

// A no.
const fourth = await start(["5", "cache"]);
fourth.result.state.reject(fourth.result.interruptions[0]);
await runner.run(fourth.agent, fourth.result.state);
assert.deepEqual(ran, ["web", "api"]);
await zeph.close();
