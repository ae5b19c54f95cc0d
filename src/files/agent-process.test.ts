import { expect, it } from "vitest";
import { isPeerBelowAgent } from "./agent-process.ts";

it.runIf(process.platform === "linux")(
  "a peer of this machine that has left already may have been an agent's, one of another machine was not",
  () => {
    // Two ports that no connection has.
    const gone = { localPort: 1, remotePort: 2 };
    expect(isPeerBelowAgent({ ...gone, remoteAddress: "127.0.0.1" }, "/nowhere/audit.jsonl")).toBe(true);
    expect(isPeerBelowAgent({ ...gone, remoteAddress: "::ffff:127.0.0.1" }, "/nowhere/audit.jsonl")).toBe(true);
    expect(isPeerBelowAgent({ ...gone, remoteAddress: "192.0.2.1" }, "/nowhere/audit.jsonl")).toBe(false);
  },
);
