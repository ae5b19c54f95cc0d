// A model on loopback that speaks the protocol of whoever asks. It asks for one call after the other with the tools it was offered, notes when requests
// come and what they hold, and looks whether each result shows what was asked for.
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { chooseCall } from "./race-calls.mjs";
import { answerBeside, PROTOCOLS } from "./race-protocols.mjs";

/** `steps[n]` is the n-th call that is wanted; after the last one the task is done. With `log`, a file that gets a line for each request. */
export async function startRaceServer(steps, log) {
  const run = { gaps: [], made: 0, bodies: [], called: [], unshown: null, again: 0, beside: 0, firstAt: null, onRequest: () => {} };
  let ended = null;
  const server = createServer(async (request, response) => {
    const arrived = performance.now();
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const path = request.url.split("?")[0];
    const protocol = request.method === "POST" ? PROTOCOLS.find((one) => one.path.test(path)) : undefined;
    if (!protocol) {
      note({ path, method: request.method });
      return answerBeside(path, response);
    }
    const asked = JSON.parse(body.toString());
    const { tools: offered, results } = protocol.read(asked);
    const tools = request.headers["x-pid"] ? OF_THE_BARE_LOOP : offered;
    // Titles, summaries and the choice of a model are asked for beside the conversation.
    if (tools.length === 0) {
      run.beside++;
      note({ path, beside: body.toString().slice(0, 2000) });
      return protocol.answer(response, null, asked, run.bodies.length, () => {});
    }
    const done = results.length;
    if (done !== run.bodies.length) run.again++;
    else {
      if (done === 0) run.firstAt = arrived;
      else look(results[done - 1], steps[done - 1], arrived);
      run.bodies.push(body);
      run.onRequest();
    }
    const call = steps[done] ? chooseCall(steps[done], tools) : null;
    if (call && done === run.called.length) run.called.push(call.name);
    note({ path, bytes: body.length, offered: done === 0 ? tools.map(({ name }) => name) : undefined, result: results[done - 1], call });
    protocol.answer(response, call, asked, run.bodies.length, () => {
      ended = performance.now();
    });
  });
  function look(result, step, arrived) {
    run.made++;
    // A call that was not made is no fast call.
    if (step.shows(result)) run.gaps.push(arrived - ended);
    else run.unshown ??= `${step.kind} ${step.pattern ?? step.command?.split(" && ").at(-1) ?? step.path.split("/").at(-1)}`;
  }
  function note(line) {
    if (log) appendFileSync(log, `${JSON.stringify(line)}\n`);
  }
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  return Object.assign(run, { url: `http://127.0.0.1:${server.address().port}`, stop });
}

/** It offers nothing, and takes these. */
const OF_THE_BARE_LOOP = Object.entries({ read: ["path", "offset", "limit"], grep: ["pattern", "path"], bash: ["command"] }).map(
  ([name, fields]) => ({
    name,
    schema: { properties: Object.fromEntries(fields.map((field) => [field, {}])) },
  }),
);
