// The suite that every model must pass, with the test runner of Node. Those of Vitest, Jest and Bun fit as well.
import { describe, it } from "node:test";
import { describeModel, scriptModel } from "zeph/testing";

const request = (path) => ({ type: "request", request: { id: path, name: "read", args: { path } } });
const SAID = {
  text: [
    { type: "text", text: "Hello " },
    { type: "text", text: "there." },
  ],
  calls: [{ type: "text", text: "I look." }, request("a"), request("b")],
};
describeModel({ describe, it }, "a model of my own", { open: (says) => scriptModel([SAID[says]]) });
