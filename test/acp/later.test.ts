import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { calls, says, scripted } from "../e2e/scripted.ts";
import { type Box, box } from "../e2e/zeph.ts";
import { contentText, type EditorOptions, editorOn, until } from "./editor.ts";

const WRITE = calls("write", { path: "new.txt", content: "hello\n" });
const next = (here: Box, ...turns: Parameters<typeof scripted>[1]) => here.write("turns.json", JSON.stringify(turns));
const open = async (here: Box) => JSON.parse((await here.run(["answer", "--json"])).stdout) as { call_id: string }[];
const isWritten = (here: Box) => existsSync(join(here.cwd, "new.txt"));

/** An editor with a `zeph acp` that is a process of its own. */
async function editing(here: Box, flags: readonly string[] = [], options: EditorOptions = {}) {
  const child = here.start(["acp", ...flags]);
  const output = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  const editor = editorOn(ndJsonStream(Writable.toWeb(child.stdin) as WritableStream<Uint8Array>, output), options);
  await editor.initialize();
  const load = (sessionId: string) => editor.agent.request(methods.agent.session.load, { sessionId, cwd: here.cwd, mcpServers: [] });
  return { child, editor, load };
}

/** An editor that was asked, whose answer never comes. */
async function waiting(here: Box) {
  const { child, editor } = await editing(here, [], { permit: () => new Promise(() => {}) });
  const sessionId = await editor.begin(here.cwd);
  void editor.prompt(sessionId, "write it").catch(() => {});
  await until("it is asked", () => editor.asked.length === 1);
  return { child, editor };
}

describe("zeph acp --later", () => {
  test("ends the turn, and zeph answer goes on with the conversation, which the editor is shown and goes on with", async () => {
    const here = scripted(box(), [[WRITE]]);
    const { editor, load } = await editing(here, ["--later"]);
    const sessionId = await editor.begin(here.cwd);
    expect(await editor.prompt(sessionId, "write it")).toBe("end_turn");
    expect([editor.asked, isWritten(here)]).toEqual([[], false]);
    expect(editor.of("tool_call_update").at(-1)).toMatchObject({ status: "pending" });
    const id = /zeph answer ([0-9a-f]{8}) once/.exec(editor.text())?.[1] ?? "";
    await load(sessionId);
    expect(contentText(editor.of("tool_call_update").at(-1)!.content)).toContain(`zeph answer ${id}`);
    next(here, [says("It is written.")]);
    const { code, stdout } = await here.runProcess(["answer", id, "once"]);
    expect([code, stdout, readFileSync(join(here.cwd, "new.txt"), "utf8")]).toEqual([0, "It is written.\n", "hello\n"]);
    const before = editor.told.length;
    await load(sessionId);
    const shown = editor.told.slice(before).map(({ update }) => update);
    expect(shown).toContainEqual(expect.objectContaining({ sessionUpdate: "tool_call_update", status: "completed" }));
    expect(JSON.stringify(shown)).toContain("It is written.");
    expect(await editor.prompt(sessionId, "and now?")).toBe("end_turn");
    expect(editor.text()).not.toContain("did not work");
  });
});

describe("a question that an editor has open", () => {
  test.each([
    ["its editor leaves", (child: ReturnType<Box["start"]>) => void child.stdin.end()],
    ["its process is asked to end", (child: ReturnType<Box["start"]>) => void child.kill("SIGTERM")],
    ["its process is killed", (child: ReturnType<Box["start"]>) => void child.kill("SIGKILL")],
  ])("is kept when %s, and zeph answer makes the call", async (_name, end) => {
    const here = scripted(box(), [[WRITE]]);
    const { child } = await waiting(here);
    end(child);
    await once(child, "exit");
    const [{ call_id: id } = { call_id: "" }] = await open(here);
    next(here, [says("Done.")]);
    expect(await here.run(["answer", id, "once"])).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect([readFileSync(join(here.cwd, "new.txt"), "utf8"), await open(here)]).toEqual(["hello\n", []]);
  });

  test("is answered by zeph answer as well: the editor is told, and the same process makes the call", async () => {
    const here = scripted(box(), [[WRITE], [says("Done.")]]);
    const { editor } = await waiting(here);
    const [{ call_id: id } = { call_id: "" }] = await open(here);
    expect(await here.runProcess(["answer", id, "once", "--by", "maria"])).toMatchObject({ code: 0, stderr: "" });
    await until("it is written", () => isWritten(here));
    expect(JSON.stringify(editor.told)).toContain("answered in zeph answer by maria: once");
    expect(await open(here)).toEqual([]);
  });

  test("is answered only there where its process cannot be reached", async () => {
    const here = scripted(box(), [[WRITE]]);
    const { child } = await waiting(here);
    const [{ call_id: id } = { call_id: "" }] = await open(here);
    rmSync(join(here.env.XDG_STATE_HOME!, "zeph", "live", `${child.pid}.sock`));
    const { code, stderr } = await here.runProcess(["answer", id, "once"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("Answer it there")]);
    expect([isWritten(here), (await open(here)).length]).toEqual([false, 1]);
  });

  test.each([
    ["a question that was open is told as not run", WRITE, "pending", "was not run"],
    ["a call that ran is told as not known", calls("bash", { command: "touch began; sleep 60" }), "failed", "not known"],
  ])("after a kill: %s", async (_name, call, shown, told) => {
    const here = scripted(box(), [[call]], '[[tools.permissions.bash]]\npattern = "*"\naction = "allow"');
    const { child, editor: first } = await editing(here, [], { permit: () => new Promise(() => {}) });
    const sessionId = await first.begin(here.cwd);
    void first.prompt(sessionId, "go").catch(() => {});
    await until("it is asked, or runs", () => first.asked.length === 1 || existsSync(join(here.cwd, "began")));
    child.kill("SIGKILL");
    await once(child, "exit");
    next(here, [says("I see.")]);
    const { editor, load } = await editing(here);
    await load(sessionId);
    expect(editor.of("tool_call_update")).toMatchObject([{ status: shown }]);
    expect(await editor.prompt(sessionId, "never mind")).toBe("end_turn");
    await load(sessionId);
    expect(contentText(editor.of("tool_call_update").at(-1)!.content)).toContain(told);
    expect([isWritten(here), await open(here)]).toEqual([false, []]);
  });

  test("that the editor cannot put is kept, and the turn ends", async () => {
    const here = scripted(box(), [[WRITE]]);
    const permit = () => {
      throw new Error("no dialog here");
    };
    const { editor } = await editing(here, [], { permit });
    expect(await editor.prompt(await editor.begin(here.cwd), "write it")).toBe("end_turn");
    expect(editor.text()).toMatch(/zeph answer [0-9a-f]{8} once/);
    expect([isWritten(here), (await open(here)).length]).toEqual([false, 1]);
  });
});
