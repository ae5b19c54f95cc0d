// A model for `npm run fleet:try`: it does numbered steps with commands and goes by nothing but what it is told. Of a step whose outcome is unknown it looks first.
import { createServer } from "node:http";

/** What Zeph tells of a call without a result. */
const FATES = { unknown: "Whether it took effect is not known", unmade: "stopped before this call was made" };

/** Answers as an OpenAI-compatible server does. `ledger` is the file that steps leave their lines in. */
export async function serveTryModel({ steps, ledger }) {
  const told = { unknown: 0, looked: 0, repeated: 0 };
  const server = createServer(async (request, response) => {
    const { messages } = JSON.parse(await readBody(request));
    const task = /task (\d+)/.exec(messages.map(({ content }) => textOf(content)).join("\n"))?.[1] ?? "0";
    const next = nextStep(readSteps(messages), steps);
    if (next?.how === "look") {
      told.unknown++;
      told.looked++;
    }
    if (next?.isAgain) told.repeated++;
    const line = `${task} ${next?.step}`;
    const command =
      next === null
        ? null
        : next.how === "look"
          ? `: look ${next.step}; grep -qx '${line}' ${ledger} && echo found it || echo nothing`
          : `: step ${next.step}; echo '${line}' >> ${ledger}; sleep 0.4`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(answer(command, `call_${messages.length}`));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/v1`, told, close: () => server.close() };
}

function answer(command, id) {
  const call = { index: 0, id, type: "function", function: { name: "bash", arguments: JSON.stringify({ command }) } };
  const delta = command === null ? { role: "assistant", content: "All steps are done." } : { role: "assistant", tool_calls: [call] };
  const chunk = (choice) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "steps", choices: [{ index: 0, ...choice }] })}\n\n`;
  const finish = command === null ? "stop" : "tool_calls";
  return `${chunk({ delta, finish_reason: null })}${chunk({ delta: {}, finish_reason: finish })}data: [DONE]\n\n`;
}

/** Its own calls and what came of them. A command names its step. */
function readSteps(messages) {
  const asked = messages.flatMap(({ tool_calls = [] }) => tool_calls);
  return messages.flatMap(({ role, tool_call_id: id, content }) => {
    const call = role === "tool" && asked.find((one) => one.id === id);
    if (!call) return [];
    const [, how, step] = /: (step|look) (\d+);/.exec(call.function.arguments) ?? [];
    return step ? [{ how, step: Number(step), text: textOf(content) }] : [];
  });
}

function nextStep(past, steps) {
  const state = new Map();
  for (const { step, how, text } of past) {
    if (how === "look") state.set(step, text.includes("found it") ? "done" : "again");
    else if (text.includes(FATES.unknown)) state.set(step, "look");
    else state.set(step, text.includes(FATES.unmade) ? "again" : "done");
  }
  for (let step = 1; step <= steps; step++)
    if (state.get(step) !== "done")
      return { step, how: state.get(step) === "look" ? "look" : "step", isAgain: state.get(step) === "again" };
  return null;
}

const textOf = (content) => (typeof content === "string" ? content : JSON.stringify(content ?? ""));

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
