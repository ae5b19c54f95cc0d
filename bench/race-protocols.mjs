// The languages of the clients of the race, as `zeph hook test --live` speaks them.
import { answerBeside, MODEL_WIRES, sendAnswer } from "../dist/modules/front/cli/hook/live/wire/model-wires.js";

export const PROTOCOLS = MODEL_WIRES.map((wire) => ({
  path: wire.path,
  read: wire.read,
  answer: (response, call, body, id, ended) => sendAnswer(response, wire.answer(body, call, { id, url: response.req.url }), ended),
}));

export { answerBeside };
