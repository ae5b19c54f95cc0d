// The languages of the clients of the race, as `zeph hook test --live` speaks them.
import { answerBeside as besideOf, MODEL_WIRES, responseOf } from "../dist/modules/hook/live/wire/model-wires.js";

const send = (response, { status, type, text }, ended) => response.writeHead(status, { "content-type": type }).end(text, ended);

export const PROTOCOLS = MODEL_WIRES.map((wire) => ({
  path: wire.path,
  read: wire.read,
  answer: (response, call, body, id, ended) => send(response, responseOf(wire.answer(body, call, { id, url: response.req.url })), ended),
}));

/** What they ask besides: which models there are, and how long a text is. */
export const answerBeside = (path, response) => send(response, besideOf(path));
