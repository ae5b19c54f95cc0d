import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { calls, ends, says, scripted } from "./scripted.ts";
import { hasTerminal, terminal } from "./terminal.ts";
import { box } from "./zeph.ts";

const NO_OLLAMA = { OLLAMA_HOST: "127.0.0.1:1" };
const FULL = 'autonomy = "full"';
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

// Without `script` (util-linux) there is no pseudo-terminal to run it in.
describe.skipIf(!hasTerminal)("a chat", () => {
  it("draws markdown, a line for each call, and what it came to", async () => {
    const here = scripted(box(), [
      [
        says("# Plan\nI **read** `a.txt`"),
        says(".\u001b[31m\n\n```\nlet **x**\n"),
        says("```\n"),
        calls("read", { path: "a.txt" }),
        ends("calls"),
      ],
      [says("- done, see [this](http://a.b)"), ends("stop", 200)],
    ]);
    here.write("a.txt", "one\n");
    const tty = terminal(here, "");
    await tty.see("Zeph, with script/turns.json.");
    await tty.see("you> ");
    tty.type("Look at it\r");
    await tty.see(
      "\u001b[1mPlan\u001b[22m\r\nI \u001b[1mread\u001b[22m \u001b[36ma.txt\u001b[39m.\\u001b[31m\r\n\r\n    \u001b[2mlet **x**\u001b[22m\r\n",
    );
    await tty.see("\u001b[36mread\u001b[39m a.txt\u001b[2m:\u001b[22m \u001b[2mok, ");
    await tty.see("- done, see \u001b[4mthis\u001b[24m (http://a.b)\r\n");
    await tty.see("300 tokens in, 20 out, 2 requests, 1 call");
    await tty.see("you> ");
    tty.type("/status\r");
    await tty.see("script/turns.json, 1 of 1 calls had valid arguments");
    await tty.see("conversations");
    await tty.see("210 of ");
    await tty.see("300 in, 20 out");
    await tty.see("you> ");
    tty.type(CTRL_D);
    expect((await tty.end).code).toBe(0);
  });

  it("shows the whole command, why and what it touches, and takes the answer", async () => {
    const long = `write ${"x".repeat(150)}`;
    const write = calls("write", { path: "new.txt", content: `one\n${long}` });
    const here = scripted(box(), [
      [write],
      [says("Refused.")],
      [write, calls("write", { path: "b.txt", content: "b" })],
      [says("Written.")],
    ]);
    const tty = terminal(here, "--no-color");
    await tty.see("you> ");
    tty.type("go\r");
    await tty.see("Question: write needs a yes.");
    await tty.see("write changes files");
    await tty.see(`    | ${long}`);
    await tty.see("touches");
    await tty.see("Allow it?");
    tty.type("\r");
    await tty.see("write new.txt content=one write xxx");
    await tty.see("you said no");
    await tty.see("Refused.");
    await tty.see("you> ");
    tty.type("again\r");
    // One question at a time.
    await tty.see("new.txt");
    await tty.see("Allow it?");
    tty.type("o\r");
    await tty.see("b.txt");
    await tty.see("Allow it?");
    tty.type("s\r");
    await tty.see("Written.");
    await tty.see("you> ");
    expect(readFileSync(join(here.cwd, "new.txt"), "utf8")).toBe(`one\n${long}`);
    expect(existsSync(join(here.cwd, "b.txt"))).toBe(true);
    tty.type("/exit\r");
    expect((await tty.end).code).toBe(0);
  });

  it("stops the turn on Ctrl-C and goes on; at the prompt the second leaves", async () => {
    const slow = calls("bash", { command: "touch started; sleep 30" });
    const here = scripted(box(), [[slow], [says("Still here.")]], FULL);
    const tty = terminal(here, "--no-color");
    await tty.see("you> ");
    tty.type("go\r");
    while (!existsSync(join(here.cwd, "started"))) await sleep(20);
    tty.type(CTRL_C);
    await tty.see("cancelled, ");
    await tty.see("Stopped. What was said and done so far is kept.");
    await tty.see("you> ");
    tty.type("and now?\r");
    await tty.see("Still here.");
    await tty.see("you> ");
    tty.type(`half${CTRL_C}`);
    await tty.see("^C");
    tty.type(CTRL_C);
    await tty.see("Ctrl-C again");
    tty.type(CTRL_C);
    expect((await tty.end).code).toBe(0);
  });

  it("leaves when Ctrl-C is pressed twice", async () => {
    const here = scripted(box(), [[calls("bash", { command: "touch started; sleep 30; true" })]], FULL);
    const tty = terminal(here, "--no-color");
    await tty.see("you> ");
    tty.type("go\r");
    while (!existsSync(join(here.cwd, "started"))) await sleep(20);
    tty.type(CTRL_C + CTRL_C);
    expect([0, 130]).toContain((await tty.end).code);
    expect(tty.text()).not.toContain("Ctrl-C again");
  });

  it("begins anew with /clear, goes on with --continue, and knows its own commands", async () => {
    const here = scripted(box(), [[says("One.")], [says("Two.")]]);
    const tty = terminal(here, "--no-color");
    await tty.see("you> ");
    tty.type("first words\r");
    await tty.see("One.");
    await tty.see("you> ");
    tty.type("/clear\r");
    await tty.see("A new conversation begins");
    tty.type("/etc/hosts: what is it?\r");
    await tty.see("Two.");
    await tty.see("you> ");
    for (const [typed, shown] of [
      ["/hlep", 'Did you mean "/help"?'],
      ["/help", "Type what you want"],
      ["/tools read", "JSON Schema"],
      ["/judge read a.txt", "allow"],
      ["/judge read {", "not valid JSON"],
      ["/cache-stats", "hits"],
    ] as const) {
      tty.type(`${typed}\r`);
      await tty.see(shown);
      await tty.see("you> ");
    }
    tty.type("/exit\r");
    expect((await tty.end).code).toBe(0);
    const list = JSON.parse((await here.run(["sessions", "--json"])).stdout);
    expect(list.map(({ title }: { title: string }) => title)).toEqual(["/etc/hosts: what is it?", "first words"]);
    const again = terminal(here, `--no-color --continue ${list[1].id}`);
    await again.see("Continuing after: first words");
    await again.see("you> ");
    again.type("/status\r");
    await again.see(list[1].id);
    again.type(CTRL_D);
    expect((await again.end).code).toBe(0);
  });

  it("takes lines that were pasted as one message", async () => {
    const here = scripted(box(), [[says("Heard.")], [says("Heard again.")]]);
    const tty = terminal(here, "--no-color");
    await tty.see("you> ");
    tty.type("line one\rline two\rline three");
    await tty.see("line three");
    await sleep(200);
    expect(tty.text()).not.toContain("Heard.");
    tty.type("!\r");
    await tty.see("Heard.");
    await tty.see("you> ");
    tty.type(CTRL_D);
    await tty.end;
    // One message, one answer.
    expect(JSON.parse((await here.run(["sessions", "--json"])).stdout)).toMatchObject([{ messages: 2, title: "line one" }]);
  });

  it("shows what is waited for, and takes it away again", async () => {
    const here = scripted(box(), [[calls("bash", { command: "sleep 4" })], [says("Done.")]], FULL);
    const tty = terminal(here, "--no-color");
    await tty.see("you> ");
    tty.type("go\r");
    await tty.see(" bash ");
    await tty.see("\r\u001b[Kbash sleep 4: exit 0, ");
    await tty.see("Done.");
    tty.type(CTRL_D);
    expect((await tty.end).code).toBe(0);
  });

  it("tells of a model that failed, and goes on", async () => {
    const here = scripted(box(), [[ends("refused")], [says("Better.")]]);
    const tty = terminal(here, "--no-color");
    await tty.see("you> ");
    tty.type("go\r");
    await tty.see("content filter");
    await tty.see("you> ");
    tty.type("again\r");
    await tty.see("Better.");
    tty.type(CTRL_D);
    expect((await tty.end).code).toBe(0);
  });

  it("kills and names what runs in the background when it is left", async () => {
    const here = scripted(box(), [[calls("bash", { command: "sleep 60", background: true })], [says("Started.")]], FULL);
    const tty = terminal(here, "--no-color");
    await tty.see("you> ");
    tty.type("go\r");
    await tty.see("Started.");
    await tty.see("you> ");
    tty.type("/exit\r");
    await tty.see("Killed because the chat ends: sleep 60");
    expect((await tty.end).code).toBe(0);
  });

  it("lists and ends what runs in the background, and takes back what a turn wrote", async () => {
    const here = scripted(
      box(),
      [[calls("write", { path: "made.txt", content: "x" }), calls("bash", { command: "sleep 600", background: true })], [says("Started.")]],
      FULL,
    );
    const tty = terminal(here, "--no-color");
    await tty.see("you> ");
    tty.type("go\r");
    await tty.see("Started.");
    await tty.see("you> ");
    tty.type("/background\r");
    await tty.see("1  sleep 600  runs for");
    tty.type("/background kill 1\r");
    await tty.see("1  sleep 600  was ended, exit 130");
    tty.type("/undo\r");
    await tty.see("removed: made.txt");
    tty.type("/rewind\r");
    await tty.see("1  go");
    tty.type("/exit\r");
    expect((await tty.end).code).toBe(0);
  });

  it("fits 60 columns", async () => {
    const here = scripted(box(), [
      [says(`${"word ".repeat(40)}\n\n- ${"item ".repeat(30)}`), calls("bash", { command: `echo ${"long ".repeat(40)}` }), ends("calls")],
      [says("Done.")],
    ]);
    const tty = terminal(here, "", { columns: 60 });
    await tty.see("you> ");
    tty.type("go\r");
    await tty.see("Done.");
    await tty.see("2 requests");
    tty.type(CTRL_D);
    await tty.end;
    const lines = stripVTControlCharacters(tty.text()).split("\r\n");
    expect(Math.max(...lines.map((line) => line.replace(/^.*\r/, "").length))).toBeLessThanOrEqual(60);
    expect(lines.filter((line) => line.startsWith("bash "))).toHaveLength(1);
  });

  it.each([
    ["NO_COLOR", "", { NO_COLOR: "1" }],
    ["--no-color", "--no-color", {}],
    ["TERM=dumb", "", { TERM: "dumb" }],
  ])("prints the text as it is, and no colour: %s", async (name, args, env) => {
    const here = scripted(box(), [[says("**as it** "), says("is"), calls("read", { path: "a.txt" })], [says("Done.")]]);
    const tty = terminal(here, args, { env });
    await tty.see("you> ");
    tty.type("go\r");
    await tty.see("**as it** is\r\nread a.txt: failed");
    await tty.see("Done.\r\n");
    tty.type(CTRL_D);
    expect((await tty.end).code).toBe(0);
    // The line editor moves the cursor; a dumb terminal gets not even that.
    expect(tty.text()).not.toContain("\u001b[3");
    if (name === "TERM=dumb") expect(tty.text()).not.toContain("\u001b");
  });

  it("is the tool console where there is no model and somebody chose it, and says how to give one", async () => {
    const tty = terminal(box(), "--no-color", { env: NO_OLLAMA });
    await tty.see("Which one?");
    tty.type("console\r");
    await tty.see("Zeph tool console, without a model.");
    await tty.see("No model was found. Set ANTHROPIC_API_KEY");
    await tty.see("zeph> ");
    tty.type(CTRL_D);
    expect((await tty.end).code).toBe(0);
    const again = terminal(box(), "--no-color --continue", { env: NO_OLLAMA });
    await again.see("No model was found.");
    expect((await again.end).code).toBe(2);
    const named = terminal(box(), "--no-color --model gone", { env: NO_OLLAMA });
    await named.see('There is no provider "gone"');
    expect((await named.end).code).toBe(2);
  });

  it("ends when its terminal does", async () => {
    const here = scripted(box(), [[calls("bash", { command: "echo $PPID > started; sleep 30" })], [says("Never.")]], FULL);
    const tty = terminal(here, "--no-color");
    await tty.see("you> ");
    tty.type("go\r");
    while (!existsSync(join(here.cwd, "started"))) await sleep(20);
    tty.hangUp();
    await tty.end;
    for (;;) {
      const [{ messages }] = JSON.parse((await here.run(["sessions", "--json"])).stdout);
      // Said, asked for, and the answer to it: the transcript is whole.
      if (messages === 3) break;
      await sleep(100);
    }
  });
});

describe.skipIf(!hasTerminal)("a run at a terminal", () => {
  it("asks there, and Ctrl-C at the question is 130", async () => {
    const here = scripted(box(), [[calls("write", { path: "new.txt", content: "one" })], [says("**Done.**")]]);
    const allowed = terminal(here, "run go");
    await allowed.see("Allow it?");
    allowed.type("o\r");
    await allowed.see("\u001b[1mDone.\u001b[22m");
    await allowed.see("Go on with: zeph run --continue");
    expect((await allowed.end).code).toBe(0);
    expect(readFileSync(join(here.cwd, "new.txt"), "utf8")).toBe("one");
    const closed = terminal(here, "run go");
    await closed.see("Allow it?");
    closed.type(CTRL_D);
    await closed.see("not run: nobody answered");
    expect((await closed.end).code).toBe(4);
    const stopped = terminal(here, "run go");
    await stopped.see("Allow it?");
    stopped.type(CTRL_C);
    await stopped.see("Stopped.");
    expect((await stopped.end).code).toBe(130);
  });
});
