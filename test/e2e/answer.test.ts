import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { calls, says, scripted } from "./scripted.ts";
import { BIN, type Box, box, ended, jsonLines, printed } from "./zeph.ts";

const WRITE = calls("write", { path: "new.txt", content: "hello\n" });
const open = async (here: Box) =>
  JSON.parse((await here.run(["answer", "--json"])).stdout) as { call_id: string; question: { tool: string } }[];

/** A run that left a question about a write. */
async function waiting(): Promise<{ here: Box; id: string }> {
  const here = scripted(box(), [[WRITE]]);
  expect((await here.run(["run", "--later", "write it"])).code).toBe(4);
  const [{ call_id: id } = { call_id: "" }] = await open(here);
  return { here, id };
}
const next = (here: Box, ...turns: Parameters<typeof scripted>[1]) => here.write("turns.json", JSON.stringify(turns));

describe("zeph answer", () => {
  it("makes the call of a run that was left, and the conversation goes on in a process of its own", async () => {
    const here = scripted(box(), [[WRITE]]);
    const left = await here.runProcess(["run", "--later", "write it"]);
    const id = /zeph answer ([0-9a-f]{8}) once/.exec(left.stderr)?.[1] ?? "";
    expect([left.code, existsSync(join(here.cwd, "new.txt"))]).toEqual([4, false]);
    next(here, [says("It is written.")]);
    const { code, stdout, stderr } = await here.runProcess(["answer", id, "once", "--reason", "fine", "--by", "ada"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "It is written.\n" });
    expect(stderr).toMatch(/^write new\.txt.*: ok/m);
    expect(readFileSync(join(here.cwd, "new.txt"), "utf8")).toBe("hello\n");
    const log = jsonLines((await here.run(["audit", "tail", "--json"])).stdout);
    expect(log.findLast(({ kind }) => kind === "call")).toMatchObject({
      outcome: "ok",
      approved_by: "ada",
      reason: "fine",
      call_id: expect.stringContaining(id),
    });
    expect(await open(here)).toEqual([]);
  });

  it("ends a run with what to type for each kept question, and says what an answer does before it does it", async () => {
    const here = scripted(box(), [[WRITE]]);
    const left = await here.run(["run", "--later", "write it"]);
    expect(left.stderr).toMatch(/\nAnswer with: zeph answer [0-9a-f]{8} once\|session\|always\|no\n$/);
    expect(left.stderr).not.toContain("--continue");
    const [{ call_id: id } = { call_id: "" }] = await open(here);
    next(here, [says("Then not.")]);
    const { stderr } = await here.run(["answer", id, "no", "--by", "ada"]);
    expect(stderr).toMatch(/^The call of write is not made\. The model is told, and the conversation goes on here\.\n/);
    expect(stderr).toMatch(/^write new\.txt.*: ada said no/m);
    expect(stderr).toContain("Go on with: zeph run --continue");
  });

  it("says that a file changed since the question was asked", async () => {
    const { here, id } = await waiting();
    here.write("new.txt", "theirs\n");
    next(here, [says("I see.")]);
    const { stderr } = await here.run(["answer", id, "once"]);
    expect(stderr).toMatch(/^write new\.txt.*: not run: what it would touch has changed/m);
    expect(readFileSync(join(here.cwd, "new.txt"), "utf8")).toBe("theirs\n");
  });

  it("is needed only for what --yes does not answer", async () => {
    const here = scripted(box(), [[WRITE], [says("Done.")]]);
    expect((await here.run(["run", "--later", "--yes", "write it"])).code).toBe(0);
    expect([existsSync(join(here.cwd, "new.txt")), await open(here)]).toEqual([true, []]);
  });

  it("says no with a reason that the model reads", async () => {
    const { here, id } = await waiting();
    next(here, [says("Then not.")]);
    const { code, stdout } = await here.run(["answer", id, "no", "--reason", "use staging", "--json"]);
    expect(code).toBe(3);
    const told = jsonLines(stdout).find(({ type }) => type === "tool_end");
    expect(told).toMatchObject({ ok: false, error: { message: "The user said no: use staging" } });
    expect(existsSync(join(here.cwd, "new.txt"))).toBe(false);
  });

  it("lists what is open, shows one whole, and leaves it open", async () => {
    const { here, id } = await waiting();
    expect((await here.run(["answer"])).stdout).toContain(`${id.slice(0, 8)}  `);
    const shown = await here.run(["answer", id.slice(0, 8)]);
    expect(shown.stdout).toContain("new.txt");
    expect(shown.stdout).toContain(`zeph answer ${id.slice(0, 8)} once|session|always|no`);
    expect(await open(here)).toHaveLength(1);
  });

  it("shows what a kept question about a change showed, without colours in a pipe", async () => {
    const here = box();
    here.write("one.txt", "1\nsame\n");
    await here.run(["call", "edit", '{"path":"one.txt","old_string":"1","new_string":"2"}', "--later"]);
    const [{ call_id: id } = { call_id: "" }] = await open(here);
    const shown = (await here.run(["answer", id])).stdout;
    expect(shown).toContain("    | -1\n    | +2\n    |  same\n");
    expect(shown).not.toContain("old_string");
    expect(shown).not.toContain("\u001b");
  });

  it("answers a single call, too, and prints its result", async () => {
    const here = box();
    const left = await here.run(["call", "write", '{"path":"one.txt","content":"1"}', "--later", "--json"]);
    expect([left.code, JSON.parse(left.stdout).error.category]).toEqual([4, "confirmation_required"]);
    const [{ call_id: id } = { call_id: "" }] = await open(here);
    expect(await here.run(["answer", id, "once"])).toMatchObject({ code: 0, stdout: expect.stringContaining("one.txt") });
    expect(readFileSync(join(here.cwd, "one.txt"), "utf8")).toBe("1");
  });

  it.each([
    [["answer", "ffffffff", "once"], "No question ffffffff is open"],
    [["answer", "ff", "once"], "No question ff is open"],
    [["answer", "ffffffff", "once", "please"], "one word too many"],
  ])("refuses %j with words", async (args, words) => {
    const { code, stderr } = await box().run(args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });

  it("refuses a word that is no answer, and the question stays open", async () => {
    const { here, id } = await waiting();
    const { code, stderr } = await here.run(["answer", id, "maybe"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('"maybe" is no answer')]);
    expect(await open(here)).toHaveLength(1);
  });

  it("goes on after the agent was killed: what waited is run, what ran is not known, and nothing twice", async () => {
    const here = scripted(
      box(),
      [[WRITE, calls("bash", { command: "echo started; sleep 60" })]],
      '[[tools.permissions.bash]]\npattern = "*"\naction = "allow"',
    );
    const child = here.start(["run", "--later", "--json", "go"]);
    child.stdin.end();
    await printed(child, '"type":"tool_end"');
    child.kill("SIGKILL");
    await ended(child).catch(() => {});
    const [{ call_id: id } = { call_id: "" }] = await open(here);
    next(here, [says("Done.")]);
    expect((await here.run(["answer", id, "once"])).code).toBe(0);
    expect(readFileSync(join(here.cwd, "new.txt"), "utf8")).toBe("hello\n");
  });
});

/** A command as an agent with every right runs it. */
async function withoutWalls(here: Box, command: string): Promise<string> {
  const settings = ["--set", "autonomy=full", "--set", "tools.sandbox.enabled=false"];
  const flags = ["--json", "--yes", "--without-walls"];
  return (await here.runProcess([...settings, "call", "bash", JSON.stringify({ command }), ...flags])).stdout;
}

describe("a command that an agent runs", () => {
  const WAYS: Readonly<Record<string, (line: string) => string>> = {
    "as it is": (line) => `env ${line}`,
    "with no variables": (line) => `env -i ${line}`,
    "in a session of its own": (line) => `setsid -w env ${line}`,
    "after its parents are gone": (line) =>
      `(setsid sh -c 'sleep 1; env ${line} > late.txt 2>&1' &) ; while [ ! -s late.txt ]; do sleep 0.1; done; cat late.txt`,
  };
  it.each(Object.keys(WAYS))("cannot answer, also without walls: %s", async (way) => {
    const { here, id } = await waiting();
    const folders = Object.entries(here.env).map(([name, value]) => `${name}=${value}`);
    const line = [...folders, process.execPath, BIN, "answer", id, "once"].join(" ");
    here.write("turns.json", "[]");
    const stdout = await withoutWalls(here, WAYS[way]!(line));
    expect(JSON.parse(stdout).text).toContain("was started by an agent");
    expect(await open(here)).toHaveLength(1);
    expect(existsSync(join(here.cwd, "new.txt"))).toBe(false);
  });

  it("cannot vouch for a project, also without walls", async () => {
    const here = box();
    here.write(".zeph/config.toml", 'autonomy = "full"\n');
    const stdout = await withoutWalls(here, `XDG_STATE_HOME=${here.env.XDG_STATE_HOME} ${process.execPath} ${BIN} trust`);
    expect(JSON.parse(stdout).text).toContain("was started by an agent");
    expect((await here.run(["trust", "--list", "--json"])).stdout).not.toContain(here.cwd);
  });
});
