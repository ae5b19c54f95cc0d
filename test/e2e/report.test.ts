import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { calls, ends, says, scripted } from "./scripted.ts";
import { type Box, box } from "./zeph.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const HOSTILE = '<img src=x onerror="alert(1)">`|\u001b[31m\u202e';

/** A session that wrote, changed, removed, was refused, and said something hostile. */
async function worked(): Promise<{ here: Box; session: string; conversation: string; log: string }> {
  const here = scripted(
    box(),
    [
      [
        calls("write", { path: "note.txt", content: "one\ntwo\n" }),
        calls("read", { path: "/etc/shadow" }),
        calls("bash", { command: `echo '${HOSTILE}'` }),
        ends("calls"),
      ],
      [calls("edit", { path: "note.txt", old_string: "two", new_string: "2 AKIAIOSFODNN7EXAMPLQ" }), ends("calls")],
      [calls("write", { path: "gone.txt", content: "short lived\n" }), ends("calls")],
      [calls("delete_path", { path: "gone.txt" }), ends("calls")],
      [says("Done."), ends("stop")],
    ],
    'autonomy = "full"',
  );
  const { code } = await here.run(["run", `Clean up ${HOSTILE}`, "--yes"]);
  expect([0, 3]).toContain(code);
  const log = join(here.env.XDG_STATE_HOME!, "zeph", "audit.jsonl");
  const session = JSON.parse(readFileSync(log, "utf8").split("\n")[0]!).session_id;
  const [{ id: conversation }] = JSON.parse((await here.run(["sessions", "--json"])).stdout);
  return { here, session, conversation, log };
}

describe("zeph report", () => {
  it("tells what a session did, with the hash of every line as the log has it", async () => {
    const { here, session, log } = await worked();
    const { code, stdout } = await here.run(["report", session, "--json"]);
    expect(code).toBe(0);
    const { sha256: hash, data } = JSON.parse(stdout);
    expect(sha256(JSON.stringify(data))).toBe(hash);
    expect(data.about).toMatchObject({ sessions: [session], workspaces: [here.cwd] });
    const raw = readFileSync(log, "utf8").trimEnd().split("\n");
    expect(data.lines.length).toBe(raw.filter((line) => JSON.parse(line).session_id === session).length);
    for (const { line, hash: found } of data.lines) expect(found).toBe(sha256(raw[line - 1]!));
    expect(data.linesHash).toBe(sha256(data.lines.map((one: { hash: string }) => `${one.hash}\n`).join("")));
    expect(data.log).toMatchObject([{ file: log, intact: true, anchored: true, head: sha256(raw.at(-1)!) }]);
    const changed = data.changes.map(({ path, what }: { path: string; what: string }) => [path, what]);
    const note = join(here.cwd, "note.txt");
    const gone = join(here.cwd, "gone.txt");
    expect(changed).toEqual([
      [note, "made"],
      [note, "changed"],
      [gone, "made"],
      [gone, "removed"],
    ]);
    expect(data.changes[0].diff).toContain("+one\n+two\n");
    expect(data.changes[1].diff).toContain("-two\n+2 [redacted");
    expect(data.changes[3].diff).toContain("-short lived\n");
    expect(stdout).not.toContain("AKIAIOSFODNN7EXAMPLQ");
  });

  it("makes a page that needs nothing besides and holds no markup of others, and a text that a terminal can show", async () => {
    const { here, conversation } = await worked();
    const page = await here.run(["report", conversation.slice(0, 8), "--html"]);
    expect(page.code).toBe(0);
    expect(page.stdout).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;");
    for (const piece of ["<img", "<script", "<link", "://", "\u001b", "\u202e"]) expect(page.stdout).not.toContain(piece);
    const text = await here.run(["report", conversation]);
    expect(text.code).toBe(0);
    expect(text.stdout).toMatch(/^# Report: `+ ?Clean up <img/);
    for (const piece of ["\u001b", "\u202e"]) expect(text.stdout).not.toContain(piece);
    expect(text.stdout).toContain("## What is not here");
  });

  it("says that the log was changed, and makes the report all the same", async () => {
    const { here, session, log } = await worked();
    writeFileSync(log, readFileSync(log, "utf8").replace("note.txt", "nole.txt"));
    const { code, stdout, stderr } = await here.run(["report", session]);
    expect(code).toBe(5);
    expect(stdout).toContain("NOT INTACT");
    expect(stderr).toContain("zeph audit verify");
  });

  it("is made of a log that holds the oddest values in place of texts, in every form", async () => {
    const { here, session, log } = await worked();
    const odd = {
      kind: "call",
      ts: 5,
      session_id: session,
      call_id: {},
      tool: ["x"],
      args: 7,
      outcome: { a: 1 },
      gate: 3,
      error: [],
      exit_code: "z",
      approved_by: {},
    };
    appendFileSync(log, `${JSON.stringify(odd)}\n`);
    for (const form of ["--html", "--md", "--json"]) expect((await here.run(["report", session, form])).code).toBe(5);
  });

  it("tells what is not known of a file that was changed since, and of one whose state is not kept", async () => {
    const { here, session } = await worked();
    appendFileSync(join(here.cwd, "note.txt"), "by somebody else\n");
    const { data } = JSON.parse((await here.run(["report", session, "--json"])).stdout);
    expect(data.changes[1]).toMatchObject({ what: "changed", without: expect.stringContaining("is another one now") });
    expect(data.changes[1].diff).toBeUndefined();
  });

  it("writes a private file, and never over another", async () => {
    const { here, session } = await worked();
    const file = join(here.cwd, "report.html");
    expect(await here.runProcess(["report", session, "--html", "--out", "report.html"])).toMatchObject({ code: 0, stdout: "" });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const before = readFileSync(file, "utf8");
    expect(await here.run(["report", session, "--out", "report.html"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is there already"),
    });
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(existsSync(file)).toBe(true);
  });

  it.each([
    [["report"], "Say of which session"],
    [["report", "a", "b"], "one word too many"],
    [["report", "a", "--html", "--json"], "Give one of"],
    [["report", "nope"], "There is no audit log yet"],
  ])("exits 2 for wrong usage: %j", async (args, message) => {
    const { code, stdout, stderr } = await box().run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });
});
