import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { available } from "../sandbox/support.ts";
import { calls, ends, says, scripted } from "./scripted.ts";
import { hasTmux } from "./tmux.ts";
import { tmuxWindow } from "./tmux-window.ts";
import { BIN, type Box, box, ended, jsonLines, printed } from "./zeph.ts";

const WRITE = calls("write", { path: "new.txt", content: "hello\n" });
const isWritten = (here: Box) => existsSync(join(here.cwd, "new.txt"));
const sockets = (here: Box) => readdirSync(join(here.env.XDG_STATE_HOME!, "zeph", "live"));
const lastCall = async (here: Box) =>
  jsonLines((await here.run(["audit", "tail", "--json"])).stdout).findLast(({ kind }) => kind === "call");

/** The id of the question that a process asks now. */
async function asked(here: Box): Promise<string> {
  const running = async () =>
    (JSON.parse((await here.runProcess(["answer", "--json"])).stdout) as { call_id: string; pid?: number }[]).find(({ pid }) => pid)
      ?.call_id;
  await expect.poll(running, { interval: 200 }).toBeDefined();
  return (await running())!;
}

/** A run that waits for an answer from elsewhere. */
function waitingRun(more = "", first = WRITE, args: readonly string[] = []) {
  const here = scripted(box(), [[first], [says("Done.")]], more);
  const child = here.start(["run", "--wait-for-answer", ...args, "go"]);
  child.stdin.end();
  return { here, child, end: ended(child) };
}

describe.skipIf(process.platform !== "linux")("a run that waits for an answer from elsewhere", () => {
  it("goes on with it, says who gave it, and the log names them", async () => {
    const { here, end } = waitingRun();
    const id = await asked(here);
    const once = await here.runProcess(["watch", "--plain", "--once"]);
    expect(once.stdout).toMatch(/^\d+ {2}run in .*\n[\d:]+ {2}\d+ {2}write needs a yes: new\.txt\n/);
    const told = await here.runProcess(["answer", id, "once", "--by", "maria", "--reason", "fine"]);
    expect(told).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Answered: once\. The process \d+ goes on\.\n$/) });
    const { code, stdout, stderr } = await end;
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
    expect(stderr).toContain("answered in zeph answer by maria: once");
    expect(isWritten(here)).toBe(true);
    expect(await lastCall(here)).toMatchObject({ outcome: "ok", approved_by: "maria", reason: "fine" });
    expect(sockets(here)).toEqual([]);
  });

  it("writes the same rule for always as the terminal would", async () => {
    const { here, end } = waitingRun();
    await here.runProcess(["answer", await asked(here), "always", "--by", "maria"]);
    expect((await end).code).toBe(0);
    expect(readFileSync(join(here.env.XDG_CONFIG_HOME!, "zeph", "config.toml"), "utf8")).toContain("new.txt");
  });

  it("takes an answer that names another person where four eyes are wanted", async () => {
    const { here, end } = waitingRun("[tools]\nfour_eyes = true\n");
    const id = await asked(here);
    expect((await here.runProcess(["answer", id, "once", "--by", "maria"])).code).toBe(0);
    expect((await end).code).toBe(0);
  });

  it("ends at once where it was not told to wait", async () => {
    const here = scripted(box(), [[WRITE], [says("Then not.")]]);
    expect((await here.runProcess(["run", "go"])).code).toBe(4);
  });

  it("removes its socket when it is killed", async () => {
    const { here, child, end } = waitingRun();
    await asked(here);
    expect(sockets(here)).toEqual([`${child.pid}.sock`]);
    child.kill("SIGTERM");
    await end;
    expect(sockets(here)).toEqual([]);
  });

  it("prints who answered among its events", async () => {
    const { here, end } = waitingRun("", WRITE, ["--json"]);
    await here.runProcess(["answer", await asked(here), "no", "--by", "maria"]);
    expect(jsonLines((await end).stdout).find(({ type }) => type === "answered")).toMatchObject({
      answer: "no",
      by: "maria",
      where: "zeph answer",
    });
  });
});

describe.skipIf(process.platform !== "linux")("zeph watch --plain", () => {
  it("says that nothing runs, tells what starts, asks and ends, and ends with Ctrl-C", async () => {
    const here = scripted(box(), [[WRITE], [says("Done.")]]);
    const tail = here.start(["watch", "--plain", "--json"]);
    const told = ended(tail);
    const reader = here.start(["watch", "--plain"]);
    const read = ended(reader);
    await new Promise<void>((done) => reader.stderr.on("data", (chunk) => String(chunk).includes("Nothing runs now.") && done()));
    const shown = printed(reader, "write needs a yes: ");
    const gone = Promise.all([printed(tail, '"type":"gone"'), printed(reader, "  ended\n")]);
    const run = here.start(["run", "--wait-for-answer", "go"]);
    run.stdin.end();
    const id = await asked(here);
    await shown;
    const open = jsonLines((await here.runProcess(["watch", "--plain", "--once", "--json"])).stdout);
    expect(open).toMatchObject([
      { type: "run", pid: run.pid },
      { type: "question", call_id: id },
    ]);
    await here.runProcess(["answer", id, "once", "--by", "maria"]);
    await gone;
    for (const child of [tail, reader]) child.kill("SIGINT");
    const [{ code, stdout }, forPeople] = await Promise.all([told, read]);
    expect([code, forPeople.code]).toEqual([0, 0]);
    expect(forPeople.stdout).toContain(`${run.pid}  write needs a yes: `);
    expect(forPeople.stdout).toContain(`zeph answer ${id.slice(0, 8)} once`);
    expect(forPeople.stdout).toMatch(/the question about write: .*maria/);
    expect(forPeople.stdout).toContain(`${run.pid}  write: ok`);
    expect(forPeople.stdout).toContain("the turn ended: ");
    const lines = jsonLines(stdout);
    expect(lines.every(({ pid }) => pid === run.pid)).toBe(true);
    expect(lines.find(({ type }) => type === "question_end").answered).toEqual({ answer: "once", by: "maria", where: "zeph answer" });
    expect(lines.find(({ event }) => event?.type === "tool_end").event).toMatchObject({ tool: "write", ok: true });
  });

  it("says so in one line where nothing runs and --once is given", async () => {
    const here = box();
    expect(await here.runProcess(["watch", "--plain", "--once"])).toMatchObject({
      code: 0,
      stdout: "Nothing runs now, and no question is open.\n",
    });
  });
});

describe.skipIf(process.platform !== "linux")("a command that an agent runs", () => {
  const WAYS: Readonly<Record<string, (line: string) => string>> = {
    "as it is": (line) => line,
    "in a session of its own": (line) => `setsid -w ${line}`,
    "after its parents are gone": (line) =>
      `(setsid sh -c 'sleep 1; ${line} > late.txt 2>&1' &) ; while ! grep -q closed late.txt; do sleep 0.2; done; cat late.txt`,
  };
  const client = (here: Box) => {
    const folder = join(here.env.XDG_STATE_HOME!, "zeph", "live");
    // It keeps its stdin open, and speaks to each socket there is.
    return `sh -c "for s in ${folder}/*.sock; do tail -f /dev/null | timeout 20 ${process.execPath} ${join(BIN, "../../test/live/client.mjs")} \\$s ${folder}; done"`;
  };
  it.each(Object.keys(WAYS))("is refused by the socket of its agent, also without walls: %s", async (way) => {
    const here = box();
    const command = WAYS[way]!(client(here));
    scripted(here, [[calls("bash", { command })], [says("Done.")]], 'autonomy = "full"\n[tools.sandbox]\nenabled = false\n');
    const { stdout } = await here.runProcess(["run", "--json", "--yes", "--without-walls", "go"]);
    const text: string = jsonLines(stdout).find(({ type }) => type === "tool_end").text;
    expect(text).toContain("was started by an agent");
    expect(text).not.toContain('"hello"');
  });

  it("may not start zeph watch or zeph answer, whatever log and folder it names", async () => {
    const here = box();
    const state = here.env.XDG_STATE_HOME!;
    const start = (words: string, own = state) => `XDG_STATE_HOME=${own} timeout 20 ${process.execPath} ${BIN} ${words} 2>&1`;
    const command = [
      start("watch --no-open --json --answer"),
      start("watch --plain --once"),
      start(`watch --no-open --json --set audit.path=${here.cwd}/other.jsonl`),
      start(`watch --no-open --json --set store.path=${state}/zeph/zeph.db`, join(here.cwd, "elsewhere")),
      start(`answer x once --set store.path=${state}/zeph/zeph.db`, join(here.cwd, "elsewhere")),
      "true",
    ].join("; ");
    scripted(here, [[calls("bash", { command })], [says("Done.")]], 'autonomy = "full"\n[tools.sandbox]\nenabled = false\n');
    const { stdout } = await here.runProcess(["run", "--json", "--yes", "--without-walls", "go"]);
    const text: string = jsonLines(stdout).find(({ type }) => type === "tool_end").text;
    expect(text.match(/zeph (?:watch|answer) was started by an agent, and only a person may do that\./g)).toHaveLength(5);
    expect(text).not.toContain("http://127.");
  });

  it.runIf(available)("does not reach the socket of its agent from behind the walls", async () => {
    const here = box();
    const command = `${client(here)}; ls -d ${here.env.XDG_STATE_HOME}/zeph/live/*.sock`;
    scripted(here, [[calls("bash", { command })], [says("Done.")]], 'autonomy = "full"\n');
    const { stdout } = await here.runProcess(["run", "--json", "--yes", "go"]);
    const end = jsonLines(stdout).find(({ type }) => type === "tool_end");
    expect(JSON.stringify(end)).toContain("bubblewrap");
    expect(end.text).not.toMatch(/"prove"|"refused"|"hello"/);
  });
});

describe.skipIf(process.platform !== "linux")("a question that zeph mcp has put to its client", () => {
  it("is answered from elsewhere, and the client is told that nobody waits for it any more", async () => {
    const here = box();
    const child = here.start(["mcp"]);
    const end = ended(child);
    const came: any[] = [];
    createInterface({ input: child.stdout }).on("line", (line) => came.push(JSON.parse(line)));
    const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const heard = async (isIt: (message: any) => boolean) => {
      await expect.poll(() => came.some(isIt)).toBe(true);
      return came.find(isIt);
    };
    const clientInfo = { name: "raw", version: "1" };
    say({
      id: 0,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: { elicitation: { form: {} } }, clientInfo },
    });
    await heard(({ id }) => id === 0);
    say({ method: "notifications/initialized" });
    say({ id: 1, method: "tools/call", params: { name: "write", arguments: { path: "new.txt", content: "hello\n" } } });
    const question = await heard(({ method }) => method === "elicitation/create");
    expect(isWritten(here)).toBe(false);
    const told = await here.runProcess(["answer", await asked(here), "once", "--by", "maria"]);
    expect(told.code).toBe(0);
    const { result } = await heard(({ id, method }) => id === 1 && method === undefined);
    expect(result.isError).toBeUndefined();
    expect(isWritten(here)).toBe(true);
    expect((await heard(({ method }) => method === "notifications/cancelled")).params.requestId).toBe(question.id);
    child.stdin.end();
    await end;
    expect(await lastCall(here)).toMatchObject({ outcome: "ok", approved_by: "maria" });
  });
});

describe.skipIf(!hasTmux || process.platform !== "linux")("a chat whose question is answered elsewhere", () => {
  it.each([
    ["on the screen", "", "write needs a yes."],
    ["line by line", '[ui]\nscreen = "plain"\n', "Allow it?"],
  ])("closes it and says who answered, %s", async (_, settings, question) => {
    const here = scripted(
      box(),
      [
        [WRITE, ends("calls")],
        [says("Done."), ends("stop")],
      ],
      settings,
    );
    const window = tmuxWindow(here);
    await window.see(settings === "" ? "what shall be done?" : "you>");
    window.type("go");
    window.key("Enter");
    await window.see(question);
    await here.runProcess(["answer", await asked(here), "once", "--by", "maria"]);
    await window.see("answered in zeph answer by maria: once");
    await window.see("Done.");
    expect(isWritten(here)).toBe(true);
    expect(window.screen()).not.toContain("[y] once");
  });
});
