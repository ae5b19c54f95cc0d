import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ModelEvent } from "../core/ports/model.ts";
import { parseScript, readScript } from "./script.ts";
import { scriptModel } from "./script-model.ts";

const PROMPT = { system: "", tools: [], messages: [] };
async function turn(model: ReturnType<typeof scriptModel>) {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(PROMPT, new AbortController().signal)) events.push(event);
  return events;
}

describe("a script", () => {
  it("says one turn after the other, then nothing", async () => {
    const model = scriptModel([[{ type: "text", text: "a" }], [{ type: "request", request: { id: "1", name: "read", args: {} } }]]);
    expect(await turn(model)).toEqual([
      { type: "text", text: "a" },
      { type: "end", finish: "stop" },
    ]);
    expect((await turn(model)).at(-1)).toEqual({ type: "end", finish: "calls" });
    for (let i = 0; i < 2; i++) expect(await turn(model)).toEqual([{ type: "end", finish: "stop" }]);
  });
  it("speaks token by token at the pace it is given, and stops when it is stopped", async () => {
    const text = "Hello  there, unbelievably long.\n";
    const said = await turn(scriptModel([[{ type: "text", text }]], { pace: { msPerToken: 1 } }));
    const pieces = said.flatMap((event) => (event.type === "text" ? [event.text] : []));
    expect(pieces).toEqual(["Hello", "  there,", " unbeli", "evably", " long.", "\n"]);
    expect(said.at(-1)).toEqual({ type: "end", finish: "stop" });
    const began = performance.now();
    await turn(scriptModel([[{ type: "text", text: "x".repeat(60) }]], { pace: { charsPerSecond: 200 } }));
    expect(performance.now() - began).toBeGreaterThan(250);
    const stop = new AbortController();
    const slow = scriptModel([[{ type: "text", text }]], { pace: { msPerToken: 60_000 } }).stream(PROMPT, stop.signal);
    const first = slow[Symbol.asyncIterator]().next();
    stop.abort(new Error("enough"));
    await expect(first).rejects.toThrow("enough");
    expect(() => scriptModel([], { pace: { charsPerSecond: 0 } })).toThrow("pace is");
  });
  it("ends as it was written", async () => {
    const end: ModelEvent = { type: "end", finish: "length", usage: { input: 1, cacheRead: 0, cacheWrite: 0, output: 2 } };
    expect(await turn(scriptModel([[end]]))).toEqual([end]);
  });
  it("refuses what is no script, and says where and why", () => {
    for (const [script, why] of [
      [{ type: "text" }, "takes a list of turns, each a list of events, not an object."],
      [[{ type: "text", text: "a" }], "turn 1 is an object. A turn is a list of events"],
      [[[], ["a"]], 'in turn 2 event 1 is "a", not an object with a type.'],
      [[[{ type: "txt", text: "a" }]], 'in turn 1 event 1 has the type "txt". It is one of text, thinking, request, end.'],
      [[[{ type: "toString" }]], 'has the type "toString".'],
      [[[{ type: "text", content: "a" }]], "has nothing for a text."],
      [[[{ type: "request", name: "read", args: {} }]], "has no request with an id and a name"],
      [[[{ type: "end", finish: "done" }]], 'has the finish "done". It is one of stop, calls'],
    ] as const) {
      expect(() => scriptModel(script as never)).toThrow(TypeError);
      expect(() => scriptModel(script as never)).toThrow(why);
    }
  });
});

describe("a script as JSON", () => {
  it("is read", () => {
    const turns = [
      [
        { type: "text", text: "a" },
        { type: "request", request: { id: "1", name: "read", args: { path: "x" } } },
      ],
      [],
    ];
    expect(parseScript(JSON.stringify(turns))).toEqual({ turns });
    const paced = { pace: { ms_per_token: 5 }, turns };
    expect(parseScript(JSON.stringify(paced))).toEqual({ turns, pace: { msPerToken: 5 } });
  });
  it.each([
    ["{", /not valid JSON/],
    ["{}", /list of turns/],
    ['{"turns":[],"pace":{"chars_per_second":0}}', /its pace is/],
    ['{"turns":[],"pase":{}}', /pase/],
    ['[[{"type":"text"}]]', /turn 1, event 1, text/],
    ['[[],[{"type":"text","text":"x"},{"type":"shout"}]]', /turn 2, event 2/],
    ['[[{"type":"request","request":{"id":"","name":"x","args":{}}}]]', /turn 1, event 1, request\.id/],
    ['[[{"type":"text","text":"x","txet":"y"}]]', /txet/],
  ])("says what is wrong with %s", (text, why) => expect(() => parseScript(text)).toThrow(why));
});

describe("a script in a file", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "script-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("is a model with the name it was given", async () => {
    const file = join(folder, "turns.json");
    writeFileSync(file, '[[{"type":"text","text":"hi"}]]');
    const model = await readScript(file, "s/turns.json");
    expect(model.id).toBe("s/turns.json");
    expect((await turn(model))[0]).toEqual({ type: "text", text: "hi" });
  });
  it("must be there, be a file and be right", async () => {
    await expect(readScript(join(folder, "none.json"), "x")).rejects.toThrow(/no such file/);
    await expect(readScript(folder, "x")).rejects.toThrow(/not a regular file/);
    execFileSync("mkfifo", [join(folder, "pipe")]);
    await expect(readScript(join(folder, "pipe"), "x")).rejects.toThrow(/not a regular file/);
    writeFileSync(join(folder, "bad.json"), "nope");
    await expect(readScript(join(folder, "bad.json"), "x")).rejects.toThrow(/bad\.json.*not valid JSON/);
  });
});
