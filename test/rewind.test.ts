import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { AuditEntry } from "../src/index.ts";
import { openStore } from "../src/store/open.ts";
import { agentIn, all, asks, illegal, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const lines = Array.from({ length: 400 }, (_, n) => `2026-01-01T12:00:00Z INFO request ${n} done in ${n} ms\n`).join("");
const place = workspace([
  { op: "file", path: "work/a.txt", content: "one\n" },
  { op: "file", path: "work/long.log", content: lines },
]);
afterAll(() => place.remove());
const NEVER = new AbortController().signal;

describe("going back to an earlier message", () => {
  it("goes on from before it, and the conversation as it was stays stored", async () => {
    const store = join(place.state, "rewind.db");
    const audit: AuditEntry[] = [];
    const model = modelSaying([asks("read", { path: "a.txt" })], [says("first")], [says("second")], [says("third")], [says("other")]);
    const agent = await agentIn(place, model, { store, audit: (entry) => void audit.push(entry) });
    expect(await agent.rewindPoints()).toEqual([]);
    for (const text of ["one", "two\nlines", "three"]) await all(agent.send(text));
    const points = await agent.rewindPoints();
    expect(points.map(({ text }) => text)).toEqual(["one", "two lines", "three"]);
    const before = agent.conversation!;
    const whole = await agent.history();
    const rewound = await agent.rewind(points[1]!.id);
    expect(rewound).toEqual({ conversation: agent.conversation, before, text: "two\nlines", messages: 4 });
    expect(agent.conversation).not.toBe(before);
    expect(await agent.history()).toEqual(whole.slice(0, 4));
    expect(audit.flatMap(({ note }) => note ?? [])).toContain(
      `the person went back in the conversation ${before} to before message ${points[1]!.id}; it goes on as ${agent.conversation}`,
    );
    await all(agent.send("otherwise"));
    expect(model.given.at(-1)!.messages.map((m) => (m.role === "assistant" ? "assistant" : m.text))).toEqual([
      "one",
      "assistant",
      expect.stringContaining("one"),
      "assistant",
      "otherwise",
    ]);
    expect(illegal(await agent.history())).toBeNull();
    await agent.close();
    const old = await agentIn(place, modelSaying(), { store, conversation: before });
    expect(await old.history()).toEqual(whole);
    await old.close();
  });

  it("keeps the mark that the model has read a stranger's text", async () => {
    const path = join(place.state, "marked.db");
    const first = await agentIn(place, modelSaying([says("first")], [says("second")]), { store: path });
    for (const text of ["one", "two"]) await all(first.send(text));
    await first.close();
    const store = openStore(path);
    await store.conversations.mark(first.conversation!, { untrusted: true });
    await store.close();
    const agent = await agentIn(place, modelSaying(), { store: path, conversation: "last" });
    const { conversation } = await agent.rewind("3");
    await agent.close();
    const again = openStore(path);
    expect((await again.conversations.get(conversation))!.seen).toMatchObject({ untrusted: true });
    await again.close();
  });

  it("keeps what was left out of a result readable", async () => {
    const store = join(place.state, "kept.db");
    const config = { tools: { permissions: { bash: [{ pattern: "*", action: "allow" }] } } };
    const model = modelSaying(
      [asks("bash", { command: "cat long.log" })],
      [says("read")],
      [says("two")],
      [asks("read_overflow", { id: "raw#1", lines: "1-1" })],
      [says("ok")],
    );
    const agent = await agentIn(place, model, { store, config });
    await all(agent.send("one"));
    await all(agent.send("two"));
    await agent.rewind((await agent.rewindPoints()).at(-1)!.id);
    const events = await all(agent.send("look"));
    const read = events.find((event) => event.type === "tool_end");
    expect(read).toMatchObject({ outcome: { ok: true, output: { text: expect.stringContaining("request 0") } } });
    await agent.close();
  });

  it("is refused for what is no message of the person's, and /rewind lists those that are", async () => {
    const agent = await agentIn(place, modelSaying([says("first")], [says("second")]));
    const command = agent.commands().find(({ name }) => name === "/rewind")!;
    await expect(command.run("", NEVER)).rejects.toThrow("There is no message to go back to.");
    await all(agent.send("one"));
    await all(agent.send("two"));
    for (const id of ["2", "0", "9", "x", ""]) await expect(agent.rewind(id)).rejects.toThrow("has no message");
    expect((await command.run("", NEVER)).text).toBe("   1  one\n   3  two\n/rewind n goes on from before message n.");
    expect(await command.complete!("")).toEqual(["3", "1"]);
    await expect(command.run("2", NEVER)).rejects.toThrow("There is no message 2.");
    const before = agent.conversation;
    expect((await command.run("3", NEVER)).text).toMatch(
      new RegExp(`^2 messages taken back; they stay stored in the conversation ${before}\\..*\\ntwo$`),
    );
    await agent.close();
  });
});
