// A model on loopback that speaks the protocol of whoever asks. It wants one call after the other, and keeps what it was offered and what it read back.
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { answerBeside, PROTOCOLS } from "../../bench/race-protocols.mjs";
import { chooseCall } from "./choose-call.mjs";

/** The word that a conversation of ours begins with: clients also ask for titles, summaries and memories, and those are answered with a last word. */
export const PROMPT = "neighbour-go";

/** The word that an agent is started with by our conversation. */
export const BELOW = "neighbour-below";

/**
 * `steps[n]` is the n-th call that is wanted; its `before`, where there is one, is awaited before it is asked for. With `log`, a file that gets a line
 * for each request. `read[n]` is the text that the n-th call came to, `gaps[n]` the milliseconds from the call to it.
 * `below` are the calls of an agent that one of the steps starts.
 */
export async function startModel(steps, log, below = []) {
  const run = { offered: [], beside: new Set(), read: [], calls: [], gaps: [], below: [], asked: 0, onRead: () => {} };
  let ended = 0;
  let tools = "";
  const note = (line) => log && appendFileSync(log, `${JSON.stringify(line)}\n`);
  const server = createServer(async (request, response) => {
    const arrived = performance.now();
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const path = request.url.split("?")[0];
    const protocol = request.method === "POST" ? PROTOCOLS.find((one) => one.path.test(path)) : undefined;
    if (!protocol) {
      note({ path, method: request.method });
      return answerBeside(path, response);
    }
    const body = JSON.parse(text);
    const { tools: offered, results } = protocol.read(body);
    // An agent that our conversation has started has one of its own.
    if (offered.length > 0 && text.includes(BELOW) && !text.includes(PROMPT)) {
      const call = below[results.length] ? chooseCall(below[results.length], offered) : null;
      run.below = results;
      note({ path, below: results, call });
      return protocol.answer(response, call, body, `s${results.length}`, () => {});
    }
    const names = offered.map(({ name }) => name).join(" ");
    const isOurs = offered.length > 0 && text.includes(PROMPT) && (tools === "" || tools === names);
    if (!isOurs) {
      for (const { name, namespace } of offered) if (!namespace) run.beside.add(name);
      note({ path, beside: text.slice(0, 500), offered: names });
      return protocol.answer(response, null, body, `b${run.asked}`, () => {});
    }
    tools = names;
    run.asked++;
    if (run.offered.length === 0) run.offered = offered;
    const done = results.length;
    if (done > run.read.length) {
      run.read.push(...results.slice(run.read.length));
      run.gaps.push(arrived - ended);
      run.onRead(done);
    }
    const step = steps[done];
    const call = step ? chooseCall(step, offered) : null;
    if (call && done === run.calls.length) {
      run.calls.push(call);
      await step.before?.();
    }
    note({ path, offered: done === 0 ? names : undefined, read: results[done - 1], call });
    protocol.answer(response, call, body, `${done}_${run.asked}`, () => {
      ended = performance.now();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  return Object.assign(run, { url: `http://127.0.0.1:${server.address().port}`, stop });
}
