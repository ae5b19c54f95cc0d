import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { eventJson } from "../../src/core/event-json.ts";
import type { ZephEvent } from "../../src/index.ts";
import { openRuntime } from "../../src/runtime/create.ts";
import { workspace } from "../workspace.ts";
import { listening, PUBLIC } from "./stand-in.ts";

let port = 0;
const server = createServer(({ url }, response) => void (url === "/silent" ? response.destroy() : response.end("a page\n")));
beforeAll(async () => {
  port = await listening(server);
});
const place = workspace([]);
afterAll(() => {
  server.close();
  place.remove();
});

let n = 0;
async function open(lookup: (name: string) => Promise<readonly string[]>) {
  n += 1;
  const audit = join(place.state, `counts-${n}.jsonl`);
  const events: ZephEvent[] = [];
  const { zeph } = await openRuntime({
    cwd: place.work,
    store: "memory",
    config: {
      audit: { path: audit },
      tools: {
        permissions: { fetch: [{ pattern: "*", action: "allow" }], bash: [{ pattern: "*", action: "allow" }] },
        sandbox: { allow_domains: ["open.example", "gone.example"] },
        retry: { max_attempts: 0 },
        anomaly: { enabled: false },
      },
    },
    onEvent: (event) => events.push(event),
    web: { lookup },
    egress: {
      registries: async () => [],
      wires: { lookup, dial: () => connect({ port, host: "127.0.0.1", allowHalfOpen: true }) },
    },
  });
  onTestFinished(() => zeph.close());
  const lines = () =>
    readFileSync(audit, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ kind }) => kind === "egress");
  return { zeph, lines, told: () => events.flatMap((event) => (event.type === "egress" ? [event] : [])) };
}

const gone = async (name: string) => {
  if (name === "gone.example") throw new Error("no such name");
  return [name === "inner.example" ? "10.0.0.1" : PUBLIC];
};

describe("what went to other machines", () => {
  it("is counted by host and by caller, and a page that failed is told from one that was held back", async () => {
    const { zeph, lines, told } = await open(gone);
    const anna = zeph.as({ id: "anna" });
    const heard: ZephEvent[] = [];
    anna.onEvent((event) => heard.push(event));
    await zeph.call("fetch", { url: "https://gone.example/" });
    await anna.call("fetch", { url: "https://inner.example/" });
    expect(zeph.stats().egress).toEqual({
      hosts: [
        { host: "inner.example", sent: 0, failed: 0, held: 1 },
        { host: "gone.example", sent: 0, failed: 1, held: 0 },
      ],
      others: { sent: 0, failed: 0, held: 0 },
    });
    expect(anna.stats().egress.hosts).toEqual([{ host: "inner.example", sent: 0, failed: 0, held: 1 }]);
    expect(lines()).toMatchObject([
      { host: "gone.example", failed: expect.stringContaining("could not be looked up") },
      { host: "inner.example", blocked: expect.stringContaining("private_address") },
    ]);
    expect(lines()[0]).not.toHaveProperty("blocked");
    expect(lines()[1]).not.toHaveProperty("failed");
    expect(told().map(({ host, how }) => [host, how])).toEqual([
      ["gone.example", "failed"],
      ["inner.example", "held"],
    ]);
    const own = heard.filter(({ type }) => type === "egress");
    expect(own.map((event) => eventJson(event))).toMatchObject([
      { type: "egress", host: "inner.example", how: "held", times: 1, tool: "fetch", caller: "anna", call_id: expect.any(String) },
    ]);
  });

  it("is counted for the connections of commands, too", async () => {
    const { zeph, lines, told } = await open(gone);
    await zeph.call("bash", { command: "curl -s http://open.example/; curl -s http://gone.example/; curl -s http://shut.example/; true" });
    expect(zeph.stats().egress.hosts).toEqual([
      { host: "shut.example", sent: 0, failed: 0, held: 1 },
      { host: "gone.example", sent: 0, failed: 1, held: 0 },
      { host: "open.example", sent: 1, failed: 0, held: 0 },
    ]);
    expect(lines().map(({ host, verdict, how }) => [host, verdict, how])).toEqual([
      ["open.example", "ok", undefined],
      ["gone.example", "refused", "unreachable"],
      ["shut.example", "refused", "closed"],
    ]);
    expect(told()[0]).toMatchObject({ host: "open.example", port: 80, how: "sent", tool: "bash" });
  });

  it("is a failure where a command reached a server that did not answer", async () => {
    const { zeph, lines, told } = await open(gone);
    await zeph.call("bash", { command: "curl -s http://open.example/silent; true" });
    expect(zeph.stats().egress.hosts).toEqual([{ host: "open.example", sent: 0, failed: 1, held: 0 }]);
    expect(lines()).toMatchObject([{ host: "open.example", verdict: "ok", received: 0, failed: expect.any(String) }]);
    expect(told()).toMatchObject([{ host: "open.example", how: "failed", why: lines()[0].failed }]);
  });

  it("keeps the two hundred hosts that came last, and the sum of the others", async () => {
    const { zeph } = await open(async () => Promise.reject(new Error("no such name")));
    for (let i = 0; i < 203; i++) await zeph.call("fetch", { url: `https://h${i}.example/` });
    const { hosts, others } = zeph.stats().egress;
    expect([hosts.length, hosts[0]!.host, hosts.at(-1)!.host]).toEqual([200, "h202.example", "h3.example"]);
    expect(others).toEqual({ sent: 0, failed: 3, held: 0 });
  });
});
