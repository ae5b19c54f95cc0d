import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer as createHttpServer, type ServerResponse } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { calls, ends, says, scripted, thinks } from "./scripted.ts";
import { hasTerminal, terminal } from "./terminal.ts";
import { BIN, type Box, box, ended, endWithTest, jsonLines, printed } from "./zeph.ts";

const WRITE = calls("write", { path: "new.txt", content: "hello\n" });
const types = (stdout: string) => jsonLines(stdout).map(({ type }) => type);
/** No server of this machine may answer in place of one that is not there. */
const NO_OLLAMA = { OLLAMA_HOST: "127.0.0.1:1" };

describe("in text", () => {
  it("puts the model's words on stdout, and everything else on stderr", async () => {
    const here = scripted(box(), [
      [
        thinks("secretly"),
        says("I **look**"),
        says(" at it.\u001b[31m"),
        calls("read", { path: "a.txt", limit: 1 }),
        ends("calls", 12_000, 40, 9800),
      ],
      [says("It says\none.\n"), ends("stop", 12_340, 20)],
    ]);
    here.write("a.txt", "one\ntwo\n");
    const { code, stdout, stderr } = await here.runProcess(["run", "What", "does", "a.txt", "say?"], { env: { FORCE_COLOR: "1" } });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "I **look** at it.\\u001b[31m\nIt says\none.\n" });
    expect(stderr).toMatch(
      /^read a\.txt limit=1: ok, [\d.]+ m?s\n24,340 tokens in \(9,800 cached\), 60 out, 2 requests, 1 call, conversation ([\w-]{8})[\w-]{28}\nGo on with: zeph run --continue \1 "…"\n$/,
    );
  });

  it("says how each call ended, in one line of the width", async () => {
    const here = scripted(box(), [
      [
        calls("bash", { command: `for i in $(seq 1 40); do echo "Downloading package $i"; done; exit 3; ${"#".repeat(200)}` }),
        calls("read", { path: "gone.txt" }),
        calls("read", { path: "/etc/shadow" }),
        calls("raed", { path: "a\nb" }),
      ],
      [calls("read", { path: "a.txt" })],
      [calls("read", { path: "a.txt" })],
      [says("Done.")],
    ]);
    here.write("a.txt", "one\n");
    const { code, stderr } = await here.run(["run", "go"]);
    expect(code).toBe(3);
    const lines = stderr.split("\n");
    expect(lines.find((line) => line.startsWith("bash"))).toMatch(/^bash for i in .*…: exit 3, [\d.]+ m?s$/);
    expect(stderr).toMatch(/^read gone\.txt: failed: \w+, [\d.]+ m?s$/m);
    expect(stderr).toMatch(/^read \/etc\/shadow: denied by files, rule ".*", [\d.]+ m?s$/m);
    expect(stderr).toMatch(/^raed a b: failed: tool_not_found, [\d.]+ m?s$/m);
    expect(stderr).toMatch(/^read a\.txt: ok, [\d.]+ m?s, cached$/m);
    for (const line of lines.filter((line) => /^(bash|read|raed)/.test(line))) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("tells what a filter saved", async () => {
    const turns = [[calls("bash", { command: "git init -q ." })], [calls("bash", { command: "git status" })], [says("ok")]];
    const here = scripted(box(), turns, 'autonomy = "full"');
    for (let n = 0; n < 60; n++) here.write(`file-${n}.txt`, "");
    expect((await here.run(["run", "go"])).stderr).toMatch(/^bash git status: exit 0, [\d.]+ m?s, \d+ -> \d+ lines\n/m);
  });

  it.each([[[]], [["--json"]]])("refuses a limit in dollars for a model without a price, before anything is sent (%j)", async (form) => {
    const here = scripted(box(), [[says("Heard.")]]);
    const { code, stdout, stderr } = await here.run(["run", "--max-usd", "1", "go", ...form]);
    expect(code).toBe(2);
    expect((stdout + stderr).replace(/\s+/g, " ")).toMatch(/--max-usd needs the price of the model.*Set `price`.*docs\/models\.md/);
    expect(stdout).not.toContain("Heard.");
  });

  it("takes the task from stdin", async () => {
    const here = scripted(box(), [[says("Heard.")]]);
    expect(await here.run(["run", "-"], { input: "Line one\nline two\n" })).toMatchObject({ code: 0, stdout: "Heard.\n" });
    const [{ title }] = JSON.parse((await here.run(["sessions", "--json"])).stdout);
    expect(title).toBe("Line one");
  });

  it("says that the model said nothing", async () => {
    const { code, stdout, stderr } = await scripted(box(), [[]]).run(["run", "go"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toMatch(/^The model's answer was empty\.\n/);
  });

  it("prints nothing of an answer that was void", async () => {
    const here = box();
    here.config(
      `[tools.retry]\nbase_ms = 1\n[[llm.providers]]\nname = "cut"\ntype = "compatible"\nmodel = "m"\nbase_url = "${await cutOnce()}"\n`,
    );
    const { code, stdout, stderr } = await here.run(["run", "go"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "The end.\n" });
    expect(stderr).toContain("Trying again");
  });

  it.skipIf(!existsSync("/dev/full"))("says in a sentence that stdout cannot be written", async () => {
    const here = scripted(box(), [[says("Hello."), calls("bash", { command: "touch made" })], [says("Done.")]]);
    const command = `'${process.execPath}' '${BIN}' run go > /dev/full`;
    const child = spawn("/bin/sh", ["-c", command], { cwd: here.cwd, env: here.env });
    child.stdin.end();
    endWithTest(child);
    const { code, stderr } = await ended(child);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The output cannot be written: .*no space left on device/m);
    expect(stderr).not.toContain("a mistake in Zeph itself");
  });

  it("shows a question nobody is there for, and what to do", async () => {
    const here = scripted(box(), [[WRITE], [says("Not done.")]]);
    const { code, stderr } = await here.run(["run", "go"]);
    expect(code).toBe(4);
    expect(stderr).toContain("Question: write needs a yes.");
    expect(stderr).toContain("Add --yes to say yes");
    expect(stderr).toContain("not run: nobody answered permissions");
    expect(existsSync(join(here.cwd, "new.txt"))).toBe(false);
  });
});

describe("exit codes", () => {
  const DENIED = calls("read", { path: "/etc/shadow" });
  const MANY = Array.from({ length: 12 }, (_, n) => [calls("read", { path: `${n}.txt` })]);
  it.each<[string, number, Record<string, unknown>[][], string[]]>([
    ["finished", 0, [[says("Done.")]], []],
    ["finished with a red command", 0, [[calls("bash", { command: "exit 1" })], [says("Done.")]], []],
    ["something was denied", 3, [[DENIED], [says("Done.")]], []],
    ["a question stayed open", 4, [[WRITE], [says("Done.")]], []],
    ["denied comes before open", 3, [[WRITE, DENIED], [says("Done.")]], []],
    ["--yes answers", 0, [[WRITE], [says("Done.")]], ["--yes"]],
    ["--yes lifts no denial", 3, [[DENIED], [says("Done.")]], ["--yes"]],
    ["too many rounds", 6, MANY, ["--max-turns", "2"]],
    ["a limit comes before a denial", 6, [[DENIED], [DENIED]], ["--max-turns", "1"]],
    [
      "the same thing three times",
      6,
      [[calls("read", { path: "x" })], [calls("read", { path: "x" })], [calls("read", { path: "x" })], []],
      [],
    ],
    ["the answer was cut", 6, [[says("And then"), ends("length")]], []],
    ["the model failed", 7, [[ends("refused")]], []],
    ["a failure comes before a denial", 7, [[DENIED], [ends("refused")]], []],
  ])("%s: %i", async (_, code, turns, args) => {
    const here = scripted(box(), turns);
    expect((await here.run(["run", "go", ...args])).code).toBe(code);
  });

  it("are those of the process itself", async () => {
    expect((await scripted(box(), [[ends("refused")]]).runProcess(["run", "go"])).code).toBe(7);
  });

  it("a server that is not there: 7, in words", async () => {
    const here = box();
    const gone = await closedPort();
    here.config(
      `[tools.retry]\nmax_attempts = 0\n[[llm.providers]]\nname = "gone"\ntype = "compatible"\nmodel = "m"\nbase_url = "http://127.0.0.1:${gone}/v1"\n`,
    );
    const { code, stdout, stderr } = await here.run(["run", "go"]);
    expect({ code, stdout }).toEqual({ code: 7, stdout: "" });
    expect(stderr).toContain(`127.0.0.1:${gone}`);
    expect(stderr).not.toContain("    at ");
  });

  it.each<[string, string[], string]>([
    ["no task", ["run"], "Say what to do"],
    ["an empty task", ["run", " "], "Say what to do"],
    ["no turns", ["run", "go", "--max-turns", "0"], "from 1 to 100"],
    ["too many turns", ["run", "go", "--max-turns", "101"], "from 1 to 100"],
    ["no number", ["run", "go", "--max-turns", "1e1"], "from 1 to 100"],
    ["stdin twice", ["run", "-", "--json"], "stdin is for answers"],
    ["an unknown provider", ["run", "go", "--model", "scrpt"], 'Did you mean "script"?'],
    ["nothing to continue", ["run", "--continue", "go"], "There is no conversation in this folder"],
    ["an unknown conversation", ["run", "--continue=nope", "go"], "There is no conversation nope"],
    ["an unknown option", ["run", "go", "--jsn"], "Did you mean --json?"],
    ["options of the chat elsewhere", ["tools", "--model", "script"], "--model is for run, submit, acp and the chat"],
    ["a conversation elsewhere", ["tools", "--continue"], "--continue is for run and the chat"],
    ["a chat without a terminal", ["--continue"], "A chat needs a terminal"],
  ])("%s: 2", async (_, args, message) => {
    const { code, stdout, stderr } = await scripted(box(), [[says("Done.")]]).run(args);
    expect(code).toBe(2);
    expect(stdout + stderr).toContain(message);
    expect(stdout === "").toBe(!args.includes("--json"));
  });

  it("no model at all: 2, and the ways to give it one", async () => {
    const { code, stdout, stderr } = await box().run(["run", "go"], { env: NO_OLLAMA });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    for (const way of ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "Ollama", "[[llm.providers]]"]) expect(stderr).toContain(way);
    const json = await box().run(["run", "go", "--json"], { env: NO_OLLAMA });
    expect(json).toMatchObject({ code: 2, stderr: "" });
    expect(jsonLines(json.stdout)).toEqual([{ type: "error", message: stderr.trim() }]);
  });
});

describe("--json", () => {
  it("prints the events of a turn, one on each line, and nothing else", async () => {
    const here = scripted(box(), [
      [thinks("hm"), says("Look:"), calls("read", { path: "a.txt" }), ends("calls")],
      [says("\u001b[31mDone."), ends("stop")],
    ]);
    here.write("a.txt", "one\n");
    const { code, stdout, stderr } = await here.runProcess(["run", "--json", "go"], { env: { ZEPH_AUTONOMI: "x" } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(types(stdout)).toEqual([
      "warning",
      "turn_start",
      "thinking",
      "text",
      "usage",
      "tool_start",
      "tool_end",
      "text",
      "usage",
      "done",
    ]);
    const events = jsonLines(stdout);
    expect(events[1]).toEqual({
      type: "turn_start",
      turn_id: expect.any(String),
      conversation: expect.any(String),
      model: "script/turns.json",
    });
    expect(events[6]).toMatchObject({ tool: "read", ok: true, text: "1\tone", call_id: events[5].call_id });
    expect(events[9]).toMatchObject({ why: "answered", requests: 2, calls: 1, denied: 0, unanswered: 0, usage: { input_tokens: 200 } });
    expect(stdout).not.toContain("\u001b");
  });

  it("waits for an answer on stdin, warns of what is none, goes on, and ends although stdin stays open", async () => {
    const here = scripted(box(), [[WRITE], [says("Done.")]]);
    const { child, end, question } = await asked(here);
    expect(question).toMatchObject({ tool: "write", args: { path: "new.txt" }, why: [expect.any(String)], touches: [{ kind: "path" }] });
    child.stdin.write('{"call_id":\n\n{"call_id":"nobody","answer":"once"}\n{"answer":"once"}\n');
    child.stdin.write(`${JSON.stringify({ call_id: question.call_id, answer: "yes" })}\n`);
    child.stdin.write(`${JSON.stringify({ call_id: question.call_id, answer: "once" })}\n`);
    const { code, stdout } = await end;
    expect(code).toBe(0);
    const warnings = jsonLines(stdout).filter(({ type }) => type === "warning");
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining("not valid JSON"),
      expect.stringContaining('no open question about the call "nobody"'),
      expect.stringContaining('"call_id" is missing'),
      expect.stringContaining('"yes" is not an answer'),
    ]);
    expect(readFileSync(join(here.cwd, "new.txt"), "utf8")).toBe("hello\n");
  });

  it("takes no for an answer, and a closed stdin for none", async () => {
    const no = await asked(scripted(box(), [[WRITE], [says("Done.")]]));
    no.child.stdin.end(JSON.stringify({ call_id: no.question.call_id, answer: "no" }));
    const refused = await no.end;
    expect(refused.code).toBe(3);
    expect(jsonLines(refused.stdout).at(-1)).toMatchObject({ why: "answered", denied: 1, unanswered: 0 });
    const open = await scripted(box(), [[WRITE], [says("Done.")]]).run(["run", "go", "--json"]);
    expect(open.code).toBe(4);
    expect(jsonLines(open.stdout).at(-1)).toMatchObject({ why: "answered", denied: 0, unanswered: 1 });
    expect(types(open.stdout)).not.toContain("warning");
  });

  it("takes answers in any order, and a grant for the session", async () => {
    const read = (path: string) => calls("read", { path });
    const asked = '[[tools.permissions.read]]\npattern = "*"\naction = "ask"';
    const here = scripted(box(), [[read("a.txt"), read("b.txt")], [read("a.txt")], [says("Done.")]], asked);
    const child = here.start(["run", "go", "--json"]);
    const end = ended(child);
    const first = await questions(child, 2);
    const byPath = (path: string) => first.find(({ args }) => args.path === path)!.call_id;
    child.stdin.write(`${JSON.stringify({ call_id: byPath("b.txt"), answer: "no" })}\n`);
    child.stdin.write(`${JSON.stringify({ call_id: byPath("a.txt"), answer: "session" })}\n`);
    const { code, stdout } = await end;
    expect(code).toBe(3);
    expect(jsonLines(stdout).filter(({ type }) => type === "question")).toHaveLength(2);
  });

  it("asks about a second change when the first one is answered: changes of one message come in its order", async () => {
    const write = (path: string) => calls("write", { path, content: path });
    const here = scripted(box(), [[write("a.txt"), write("b.txt")], [says("Done.")]]);
    const child = here.start(["run", "go", "--json"]);
    const end = ended(child);
    const [first] = await questions(child, 1);
    expect(first!.args.path).toBe("a.txt");
    child.stdin.write(`${JSON.stringify({ call_id: first!.call_id, answer: "once" })}\n`);
    const [second] = (await questions(child, 1)).slice(-1);
    expect(second!.args.path).toBe("b.txt");
    child.stdin.write(`${JSON.stringify({ call_id: second!.call_id, answer: "no" })}\n`);
    expect((await end).code).toBe(3);
    expect(existsSync(join(here.cwd, "a.txt")) && !existsSync(join(here.cwd, "b.txt"))).toBe(true);
  });
});

it("every event is documented, and nothing else is", () => {
  const source = readFileSync("src/core/event.ts", "utf8").split("export type ZephEvent =")[1]!;
  const known = [...source.matchAll(/type: "(\w+)"/g)].map(([, name]) => name!);
  const table = readFileSync("docs/agent.md", "utf8").split("| `type` |")[1]!.split("\n\n")[0]!;
  const rows = table.split("\n").filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((row) => [...row.split("|")[1]!.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
  expect(named.sort()).toEqual([...known, "error"].sort());
});

describe("commands in the background", () => {
  const START = calls("bash", { command: "sleep 1.5; echo slept", background: true });
  it("are waited for, and the model hears of them", async () => {
    const here = scripted(box(), [[START], [says("Started.")], [says("It has slept.")]], 'autonomy = "full"');
    const { code, stdout } = await here.run(["run", "go", "--json"]);
    expect(code).toBe(0);
    expect(types(stdout).filter((type) => ["turn_start", "background", "done"].includes(type))).toEqual([
      "turn_start",
      "done",
      "turn_start",
      "background",
      "done",
    ]);
    expect(jsonLines(stdout).find(({ type }) => type === "background")).toMatchObject({ command: "sleep 1.5; echo slept", exit_code: 0 });
  });

  it("are killed and named with --no-wait", async () => {
    const long = calls("bash", { command: "sleep 60", background: true });
    const here = scripted(box(), [[long], [says("Started.")]], 'autonomy = "full"');
    const { code, stdout, stderr } = await here.run(["run", "go", "--no-wait"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Started.\n" });
    expect(stderr).toMatch(/\nKilled because the run ends: sleep 60 \(bg\d+\)\n/);
    const json = await here.run(["run", "go", "--no-wait", "--json"]);
    expect(jsonLines(json.stdout).at(-1)).toMatchObject({ type: "warning", message: expect.stringContaining("sleep 60") });
  });

  it("are not said to be killed when they had ended", async () => {
    const turns = [
      [calls("bash", { command: "sleep 1.3; exit 3", background: true }), calls("bash", { command: "sleep 2" })],
      [says("Started.")],
    ];
    const { stderr } = await scripted(box(), turns, 'autonomy = "full"').run(["run", "go", "--no-wait"]);
    expect(stderr).toContain("The background command sleep 1.3; exit 3 ended: exit 3\n");
    expect(stderr).not.toContain("Killed");
  });

  const quick = (n: number) => calls("bash", { command: `sleep 1.${n}`, background: true });
  it("are bounded by --max-turns, all turns together", async () => {
    const turns = [[quick(1)], [says("One.")], [quick(2)], [says("Two.")], [says("Never.")]];
    const here = scripted(box(), turns, 'autonomy = "full"');
    const { code, stdout, stderr } = await here.run(["run", "go", "--max-turns", "4"]);
    expect({ code, stdout }).toEqual({ code: 6, stdout: "One.\nTwo.\n" });
    expect(stderr).toContain("The run has used its 4 rounds (--max-turns)");
    expect(stderr).toContain("Killed because the run ends: sleep 1.2");
    expect(stderr).toContain("4 requests");
    // Within a turn, too.
    const json = await here.run(["run", "go", "--max-turns", "3", "--json"]);
    expect(json.code).toBe(6);
    expect(
      jsonLines(json.stdout)
        .filter(({ type }) => type === "done")
        .map(({ requests }) => requests),
    ).toEqual([2, 1]);
  });

  it("are bounded without it", async () => {
    const turns = Array.from({ length: 60 }, (_, n) => [n % 2 === 0 ? quick(1) : says("On.")]);
    const { code, stdout } = await scripted(box(), turns, 'autonomy = "full"').run(["run", "go", "--json"]);
    expect(code).toBe(6);
    expect(types(stdout).filter((type) => type === "done")).toHaveLength(21);
    const [limit, killed] = jsonLines(stdout).slice(-2);
    expect(limit).toMatchObject({ type: "warning", message: expect.stringContaining("20 times") });
    expect(killed).toMatchObject({ type: "warning", message: expect.stringContaining("Killed") });
  });

  it("do not keep Ctrl-C from ending it", async () => {
    const long = calls("bash", { command: "sleep 60", background: true });
    const here = scripted(box(), [[long], [says("Started.")]], 'autonomy = "full"');
    const child = startAlone(here, ["run", "go"]);
    const end = ended(child);
    await printed(child, "Started.");
    // Until it waits for the command.
    await sleep(2000);
    child.kill("SIGINT");
    const { code, stderr } = await end;
    expect(code).toBe(130);
    expect(stderr).toContain("Killed because the run ends: sleep 60");
  });
});

describe("stopped half way", () => {
  const slow = (log: string) => calls("bash", { command: `echo once >> ${log}; sleep 30` });
  const appended = async (file: string) => {
    while (!existsSync(file) || readFileSync(file, "utf8") === "") await sleep(20);
  };

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "%s ends the turn: 130, a summary, and a conversation to go on with",
    async (signal) => {
      const here = scripted(box(), [[says("Wait."), slow("log"), ends("calls")], [says("Never.")]], 'autonomy = "full"');
      const child = startAlone(here, ["run", "go"]);
      const end = ended(child);
      await appended(join(here.cwd, "log"));
      child.kill(signal);
      const { code, stdout, stderr } = await end;
      expect({ code, stdout }).toEqual({ code: 130, stdout: "Wait.\n" });
      expect(stderr).toMatch(/bash echo once.*: cancelled, .*\nStopped\. .*\n100 tokens in, 10 out, 1 request, 1 call, conversation /);
      if (signal !== "SIGINT") return;
      scripted(here, [[says("Gone on.")]]);
      expect(await here.run(["run", "--continue"])).toMatchObject({ code: 0, stdout: "Gone on.\n" });
      expect(readFileSync(join(here.cwd, "log"), "utf8")).toBe("once\n");
    },
  );

  it("in the middle of a sentence: what was said is out, and kept", async () => {
    const here = box();
    const { url, begun, gone } = await halfASentence();
    here.config(`[[llm.providers]]\nname = "slow"\ntype = "compatible"\nmodel = "m"\nbase_url = "${url}"\n`);
    const child = startAlone(here, ["run", "go"]);
    const end = ended(child);
    await begun;
    // Until the words have arrived.
    await sleep(3000);
    child.kill("SIGINT");
    expect(await end).toMatchObject({ code: 130, stdout: "Once upon a\n", stderr: expect.stringMatching(/^Stopped\./m) });
    await gone;
    expect(JSON.parse((await here.run(["sessions", "--json"])).stdout)).toMatchObject([{ messages: 2 }]);
  });

  it.skipIf(!hasTerminal)("at a terminal the words come before the sentence has an end", async () => {
    const here = box();
    const { url, gone } = await halfASentence();
    here.config(`[[llm.providers]]\nname = "slow"\ntype = "compatible"\nmodel = "m"\nbase_url = "${url}"\n`);
    const tty = terminal(here, "run go");
    await tty.see("Once upon");
    tty.type("\u0003");
    await tty.see(" a\r\n");
    await tty.see("Stopped.");
    expect((await tty.end).code).toBe(130);
    await gone;
  });

  it.each([
    ["once it waits for its hooks", false],
    ["again and again it does not wait for the end", true],
  ])("stopped %s", async (_words, isImpatient) => {
    const hook = `[[hooks.turn_complete]]\ncommand = "sleep 5; touch hooked"\ntimeout_ms = 60000\n`;
    const here = scripted(box(), [[calls("bash", { command: "echo once > log; sleep 30; true" })]], `autonomy = "full"\n${hook}`);
    const child = startAlone(here, ["run", "go"]);
    const end = ended(child);
    await appended(join(here.cwd, "log"));
    child.kill("SIGINT");
    const again = setInterval(() => isImpatient && child.kill("SIGINT"), 200);
    await end;
    clearInterval(again);
    expect(existsSync(join(here.cwd, "hooked"))).toBe(!isImpatient);
  });

  it("killed: the conversation goes on, and the call is not made again", async () => {
    const here = scripted(box(), [[slow("log")]], 'autonomy = "full"');
    const child = here.start(["run", "go", "--json"]);
    const end = ended(child);
    await appended(join(here.cwd, "log"));
    child.kill("SIGKILL");
    await end;
    scripted(here, [[says("Gone on.")]], 'autonomy = "full"');
    expect(await here.run(["run", "--continue", "go", "on"])).toMatchObject({ code: 0, stdout: "Gone on.\n" });
    expect(readFileSync(join(here.cwd, "log"), "utf8")).toBe("once\n");
    // Said, asked for, answered as lost, said, told that nobody answers any more, answered.
    expect(JSON.parse((await here.run(["sessions", "--json"])).stdout)).toMatchObject([{ title: "go", messages: 6 }]);
  });

  it("ends quietly when nobody reads", async () => {
    const here = scripted(box(), [[says("x".repeat(200_000))], []]);
    const child = here.start(["run", "go", "--json"]);
    child.stdout.destroy();
    const { signal, stderr } = await ended(child);
    expect({ signal, stderr }).toEqual({ signal: null, stderr: "" });
  });
});

describe("--continue", () => {
  it("goes on with the last conversation of this folder, or with one by its id", async () => {
    const here = scripted(box(), [[says("Yes.")]]);
    const id = async (...args: string[]) => jsonLines((await here.run(["run", "--json", ...args])).stdout)[0].conversation;
    const first = await id("one");
    const second = await id("two");
    expect(second).not.toBe(first);
    expect(await id("--continue", "three")).toBe(second);
    expect(await id("--continue", first, "four")).toBe(first);
    expect(await id("five", "--continue")).toBe(first);
    expect(await id("--continue", second.slice(0, 8).toUpperCase(), "six")).toBe(second);
    expect(await id("--continue", first.slice(0, 13), "seven")).toBe(first);
    const none = await here.run(["run", "--continue", "facade"]);
    expect(none).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("There is no conversation in this folder whose id begins with facade"),
    });
    const list = JSON.parse((await here.run(["sessions", "--json"])).stdout);
    expect(list.map(({ id, messages, title }: any) => ({ id, messages, title }))).toEqual([
      { id: first, messages: 8, title: "one" },
      { id: second, messages: 6, title: "two" },
    ]);
    here.write("other/turns.json", JSON.stringify([[says("Yes.")]]));
    const elsewhere = await here.run(["--cwd", "other", "run", "--continue", first, "six"]);
    expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining(`belongs to ${here.cwd}`) });
  });

  it("of two processes in one conversation the second wins, and the first says so", async () => {
    const here = scripted(
      box(),
      [[calls("bash", { command: "touch started; while [ ! -e go ]; do sleep 0.05; done" })], [says("First.")]],
      'autonomy = "full"',
    );
    const child = startAlone(here, ["run", "one"]);
    const end = ended(child);
    while (!existsSync(join(here.cwd, "started"))) await sleep(20);
    scripted(here, [[says("Second.")]], 'autonomy = "full"');
    expect(await here.run(["run", "--continue", "two"])).toMatchObject({ code: 0, stdout: "Second.\n" });
    here.write("go", "");
    const { code, stdout, stderr } = await end;
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("Another process has gone on with the conversation");
    expect(stderr).not.toContain("a mistake in Zeph itself");
    expect(await here.run(["run", "--continue", "three"])).toMatchObject({ code: 0, stdout: "Second.\n" });
  });

  it("warns that another model hears what was said, and says how to go on with it", async () => {
    const here = scripted(box(), [[says("Yes.")]]);
    const two = (name: string) => `[[llm.providers]]\nname = "${name}"\ntype = "script"\nmodel = "turns.json"\n`;
    here.config(`${two("one")}${two("two")}`);
    expect((await here.run(["run", "go", "--model", "one"])).stderr).toMatch(/\nGo on with: zeph run --continue \w{8} --model one "…"\n$/);
    const told = "This conversation was held with one/turns.json. It continues with two/turns.json.";
    expect((await here.run(["run", "--continue", "on", "--model", "two"])).stderr).toContain(`warning: ${told}\n`);
    expect((await here.run(["run", "--continue", "on", "--model", "two"])).stderr).not.toContain("was held with");
    const json = await here.run(["run", "--continue", "--model", "one", "--json"]);
    expect(jsonLines(json.stdout)[0]).toEqual({ type: "warning", message: expect.stringContaining("was held with two/turns.json") });
  });
});

/** A server that begins to answer and does not end. `gone` resolves when the client has left. */
async function halfASentence(): Promise<{ url: string; begun: Promise<void>; gone: Promise<void> }> {
  let left = () => {};
  const gone = new Promise<void>((resolve) => {
    left = resolve;
  });
  let began = () => {};
  const begun = new Promise<void>((resolve) => {
    began = resolve;
  });
  const url = await answering((response) => {
    response.write(piece("Once upon a", null));
    response.on("close", left);
    began();
  });
  return { url, begun, gone };
}

/** A server whose first answer breaks off. */
function cutOnce(): Promise<string> {
  let n = 0;
  return answering((response) => {
    if (n++ > 0) return void response.end(`${piece("The end.", "stop")}data: [DONE]\n\n`);
    response.write(piece("Half a sent", null), () => setTimeout(() => response.destroy(), 200));
  });
}

function piece(content: string, finish_reason: string | null): string {
  const choices = [{ index: 0, delta: { role: "assistant", content }, finish_reason }];
  return `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`;
}

async function answering(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createHttpServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    answer(response);
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

function closedPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** Starts it with nothing on stdin, for which it would wait a while. */
function startAlone(here: Box, args: readonly string[]) {
  const child = here.start(args);
  child.stdin.end();
  return child;
}

/** Runs until the first question. */
async function asked(here: Box) {
  const child = here.start(["run", "go", "--json"]);
  const end = ended(child);
  const [question] = await questions(child, 1);
  return { child, end, question: question! };
}

function questions(child: ReturnType<Box["start"]>, wanted: number): Promise<any[]> {
  let text = "";
  return new Promise((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      text += String(chunk);
      const found = jsonLines(text.slice(0, text.lastIndexOf("\n") + 1)).filter(({ type }) => type === "question");
      if (found.length >= wanted) resolve(found);
    });
    child.on("close", () => reject(new Error(`It ended without ${wanted} questions: ${text}`)));
  });
}
