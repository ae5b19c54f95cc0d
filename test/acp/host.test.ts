import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RequestError } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { asks, modelSaying, says } from "../talking.ts";
import { contentText, room, until } from "./editor.ts";

const FULL = { autonomy: "full" };
const FILES = { fs: { readTextFile: true, writeTextFile: true } };

describe("files", () => {
  test("are read as the editor has them, and written through it", async () => {
    const { editor, place } = await room({
      model: modelSaying([asks("read", { path: "a.txt" }), asks("write", { path: "b.txt", content: "new\n" })], [says("ok")]),
      config: FULL,
      can: FILES,
      read: () => "unsaved\n",
    });
    writeFileSync(join(place.work, "a.txt"), "saved\n");
    await editor.prompt(await editor.begin(place.work), "go");
    expect(editor.order).toContain(`read ${join(place.work, "a.txt")}`);
    expect(contentText(editor.of("tool_call_update")[0]!.content)).toContain("unsaved");
    expect(editor.order).toContain(`write ${join(place.work, "b.txt")}`);
    expect(readFileSync(join(place.work, "b.txt"), "utf8")).toBe("new\n");
  });

  test.each([
    ["lacks the method", -32601],
    ["does not know the file", -32002],
  ])("an editor that %s is not needed", async (_what, code) => {
    const { editor, place } = await room({
      model: modelSaying([asks("read", { path: "a.txt" })], [says("ok")]),
      can: FILES,
      read() {
        throw new RequestError(code, "no");
      },
    });
    writeFileSync(join(place.work, "a.txt"), "saved\n");
    await editor.prompt(await editor.begin(place.work), "go");
    expect(editor.of("tool_call_update")[0]).toMatchObject({ status: "completed" });
    expect(contentText(editor.of("tool_call_update")[0]!.content)).toContain("saved");
  });

  test("what an editor refuses to read is not read", async () => {
    const { editor, place } = await room({
      model: modelSaying([asks("read", { path: "a.txt" })], [says("ok")]),
      can: FILES,
      read() {
        throw new RequestError(-32000, "denied");
      },
    });
    writeFileSync(join(place.work, "a.txt"), "saved\n");
    await editor.prompt(await editor.begin(place.work), "go");
    expect(editor.of("tool_call_update")[0]).toMatchObject({ status: "failed" });
    const text = contentText(editor.of("tool_call_update")[0]!.content);
    expect(text).toContain("The editor refused to read");
    expect(text).not.toContain("saved");
  });

  test("a file that a rule denies is not asked of the editor either", async () => {
    const { editor, place } = await room({ model: modelSaying([asks("read", { path: "/etc/shadow" })], [says("ok")]), can: FILES });
    await editor.prompt(await editor.begin(place.work), "go");
    expect(editor.order.filter((one) => one.startsWith("read "))).toEqual([]);
  });
});

describe("commands", () => {
  test("run in the editor's terminal, behind the walls, and it is released", async () => {
    const { editor, place } = await room({
      model: modelSaying([asks("bash", { command: "echo from here; touch made; exit 3" })], [says("ok")]),
      config: FULL,
      can: { terminal: true },
    });
    await editor.prompt(await editor.begin(place.work), "go");
    expect(editor.terminals.size).toBe(1);
    const terminal = editor.terminals.get("t0")!;
    expect(terminal.argv.join(" ")).toMatch(/bwrap|landlock|echo from here/);
    const updates = editor.of("tool_call_update");
    expect(updates[0]).toMatchObject({ content: [{ type: "terminal", terminalId: "t0" }] });
    expect(updates.at(-1)!.content![0]).toEqual({ type: "terminal", terminalId: "t0" });
    expect(contentText(updates.at(-1)!.content)).toContain("from here");
    expect(updates.at(-1)).toMatchObject({ rawOutput: { exit_code: 3 } });
    expect(existsSync(join(place.work, "made"))).toBe(true);
    await until("it is released", () => terminal.released);
  });

  test.each([
    ["run here where the editor has no terminal after all", -32601, "completed", "from here"],
    [
      "are refused where the editor refuses a terminal",
      -32603,
      "failed",
      "The editor refused to open a terminal for this command (not today)",
    ],
  ])("%s", async (_what, code, status, words) => {
    const { editor, place } = await room({
      model: modelSaying([asks("bash", { command: "echo from here; touch made" })], [says("ok")]),
      config: FULL,
      can: { terminal: true },
      opening() {
        throw new RequestError(code, "not today");
      },
    });
    await editor.prompt(await editor.begin(place.work), "go");
    const last = editor.of("tool_call_update").at(-1)!;
    expect(last.status).toBe(status);
    expect(contentText(last.content)).toContain(words);
    expect(existsSync(join(place.work, "made"))).toBe(status === "completed");
  });

  test("are killed when they are cancelled", async () => {
    const { editor, place } = await room({
      model: modelSaying([asks("bash", { command: "echo begun; sleep 60" })], [says("ok")]),
      config: FULL,
      can: { terminal: true },
    });
    const sessionId = await editor.begin(place.work);
    const turn = editor.prompt(sessionId, "go");
    await until("it runs", () => editor.terminals.get("t0")?.output.includes("begun") === true);
    await editor.agent.notify("session/cancel", { sessionId });
    expect(await turn).toBe("cancelled");
    const terminal = editor.terminals.get("t0")!;
    await until("it is killed and released", () => terminal.killed && terminal.released);
    await terminal.ended;
  });

  test("end with the time limit, and what they printed is kept", async () => {
    const { editor, place } = await room({
      model: modelSaying([asks("bash", { command: "echo begun; sleep 60" })], [says("ok")]),
      config: { ...FULL, tools: { shell: { timeout: 5 } } },
      can: { terminal: true },
    });
    expect(await editor.prompt(await editor.begin(place.work), "go")).toBe("end_turn");
    const last = editor.of("tool_call_update").at(-1)!;
    expect(last).toMatchObject({ status: "failed", rawOutput: { exit_code: 124, error: { category: "timeout" } } });
    expect(contentText(last.content)).toContain("begun");
    expect(editor.terminals.get("t0")!.killed).toBe(true);
  });

  test.each([
    ["exit 7", { exit_code: 7 }],
    ["kill -SEGV $$", { exit_code: 139 }],
    ["kill -TERM $$", { exit_code: 143 }],
    ["cat nowhere.txt", { exit_code: 1, error: { category: "permanent_failure" } }],
    ["echo 'a note: no such file or directory was found'; exit 0", { exit_code: 0 }],
    ["no-such-program-here", { exit_code: 127, error: { category: "permanent_failure" } }],
    ["touch x; ./x", { exit_code: 126, error: { category: "policy_blocked" } }],
  ])("end as they would here: %s", async (command, facts) => {
    const turns = () => modelSaying([asks("bash", { command })], [says("ok")]);
    const ends = async (terminal: boolean) => {
      const { editor, place } = await room({ model: turns(), config: FULL, can: { terminal } });
      await editor.prompt(await editor.begin(place.work), "go");
      expect(editor.terminals.size).toBe(terminal ? 1 : 0);
      return editor.of("tool_call_update").at(-1)!.rawOutput as { exit_code: number; error?: { category: string } };
    };
    const [there, here] = [await ends(true), await ends(false)];
    expect(there).toMatchObject(facts);
    expect([there.exit_code, there.error?.category]).toEqual([here.exit_code, here.error?.category]);
  });

  test("may take as long as they may here", async () => {
    const { editor, place } = await room({
      model: modelSaying([asks("bash", { command: "sleep 1; echo ok" })], [says("ok")]),
      config: { ...FULL, tools: { shell: { timeout: 600 } } },
      can: { terminal: true },
    });
    await editor.prompt(await editor.begin(place.work), "go");
    expect(editor.of("tool_call_update").at(-1)).toMatchObject({ status: "completed" });
  });
});
