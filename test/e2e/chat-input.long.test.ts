import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { displayed } from "./display.ts";
import { calls, says, scripted, thinks } from "./scripted.ts";
import { hasTerminal, terminal } from "./terminal.ts";
import { type Box, box } from "./zeph.ts";

const FULL = 'autonomy = "full"';
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const CTRL_R = "\u0012";
const UP = "\u001b[A";
/** Until the test says that it may end. */
const WAITING = "while [ ! -e on ]; do sleep 1; done";
const TOOK = /[\d.]+ m?s(?= \[)/;
const pasted = (text: string) => `\u001b[200~${text}\u001b[201~`;
const lines = (n: number) => Array.from({ length: n }, (_, i) => `line ${i + 1}`);

/** A chat whose model hears everything and says so. */
async function chat(here: Box, columns = 60, env: Record<string, string> = {}) {
  const tty = terminal(here, "--no-color", { columns, env });
  await tty.see("Zeph, with script/turns.json.");
  await tty.see("you> ");
  return {
    ...tty,
    shown: () => displayed(tty.text(), columns),
    /** One message, up to the next prompt. */
    async say(keys: string) {
      tty.type(keys);
      await tty.see("Heard.");
      await tty.see("you> ");
    },
    async leave() {
      tty.type(CTRL_D);
      expect((await tty.end).code).toBe(0);
    },
  };
}
const hearing = (more = "") => scripted(box(), Array(9).fill([says("Heard.")]), more);
const historyOf = ({ env }: Box) => join(env.XDG_STATE_HOME!, "zeph", "history");
const kept = (here: Box): string[] =>
  readFileSync(historyOf(here), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

describe.skipIf(!hasTerminal)("what is typed", () => {
  it("is called back in the next run, without secrets, answers and what begins with a space", async () => {
    const here = scripted(box(), [
      [says("Heard.")],
      [says("Heard.")],
      [says("Heard.")],
      [calls("write", { path: "a.txt", content: "a" })],
      [says("Heard.")],
    ]);
    const first = await chat(here);
    await first.say("first message\r");
    await first.say(" not this one\r");
    await first.say(`my key is sk-ant-api03-${"A1b2C3d4".repeat(11)}AA\r`);
    first.type("write it\r");
    await first.see("Allow it?");
    first.type("o\r");
    await first.see("Heard.");
    await first.leave();
    expect(kept(here)).toEqual(["first message", "write it"]);
    expect(statSync(historyOf(here)).mode & 0o777).toBe(0o600);

    const second = await chat(hearingAgain(here));
    second.type(UP);
    await second.see("write it");
    second.type(UP);
    await second.see("first message");
    await second.say("\r");
    await second.leave();
    expect(kept(here)).toEqual(["first message", "write it", "first message"]);
  });

  it("is found again with Ctrl-R", async () => {
    const here = hearing();
    const tty = await chat(here);
    await tty.say("look at the parser\r");
    await tty.say("run the tests\r");
    tty.type(CTRL_R);
    await tty.see("(search: ) ");
    tty.type("pars");
    await tty.see("(search: pars) look at the parser");
    tty.type(CTRL_C);
    await tty.see("you> ");
    tty.type(`${CTRL_R}the`);
    await tty.see("(search: the) run the tests");
    tty.type(CTRL_R);
    await tty.see("(search: the) look at the parser");
    await tty.say("\r");
    await tty.leave();
    expect(kept(here)).toEqual(["look at the parser", "run the tests", "look at the parser"]);
  });

  it("is one message when it was pasted: short as it is, long as a word", async () => {
    const here = hearing();
    const tty = await chat(here);
    tty.type(`see ${pasted(lines(120).join("\r\n"))}`);
    await tty.see("see [pasted 120 lines #1]");
    await tty.say(" please\r");
    tty.type(pasted("one\rtwo\r"));
    await tty.see("one\r\ntwo");
    await sleep(100);
    expect(tty.text().match(/Heard\./g)).toHaveLength(1);
    await tty.say("\r");
    await tty.leave();
    expect(kept(here)).toEqual([`see ${lines(120).join("\n")} please`, "one\ntwo"]);
    const again = await chat(here);
    again.type(`${UP}${UP}`);
    await again.see("[pasted 120 lines #1]");
    await again.say("\r");
    await again.leave();
    expect(kept(here).at(-1)).toBe(`see ${lines(120).join("\n")} please`);
  });

  it("goes on after a backslash and with Alt-Enter", async () => {
    const here = hearing();
    const tty = await chat(here);
    tty.type("first\\\r");
    await tty.see("...> ");
    await tty.say("second\r");
    await tty.say("a\u001b\rb\u001b\rc\r");
    await tty.say("C:\\\\\r");
    tty.type("begun\\\r");
    await tty.see("...> ");
    tty.type(CTRL_C);
    await tty.see("^C");
    await tty.see("you> ");
    await tty.leave();
    expect(kept(here)).toEqual(["first\nsecond", "a\nb\nc", "C:\\\\"]);
  });

  it("completes commands and paths", async () => {
    const here = hearing();
    here.write("some-folder/inner.txt", "found it\n");
    const tty = await chat(here);
    for (const [keys, completed] of [
      ["/st", "atus"],
      ["\u0015/tools create", "_directory "],
      ["\u0015look at ./so", "me-folder/"],
      ["in", "ner.txt"],
      [" and @some", "-folder/"],
    ] as const) {
      tty.type(keys);
      await tty.see(keys.slice(-2));
      // Alone: a tab in the middle of what is pasted completes nothing.
      tty.type("\t");
      await tty.see(completed);
    }
    expect(tty.shown().at(-1)).toBe("you> look at ./some-folder/inner.txt and @some-folder/");
    tty.type("\u0015some");
    await tty.see("some");
    tty.type("\t\t");
    await sleep(150);
    expect(tty.shown().at(-1)).toBe("you> some");
    tty.type("\u0015");
    await tty.leave();
  });

  it("is not lost and disturbs nothing while the model works", async () => {
    const here = scripted(box(), [[calls("bash", { command: WAITING })], [says("Heard.")], [says("Also heard.")]], FULL);
    const tty = await chat(here);
    tty.type("go\r");
    await tty.see(" bash ");
    tty.type("next 長長 mess");
    await tty.see("s  > next 長長 mess");
    here.write("on", "");
    await tty.see("Heard.");
    await tty.see("you> next 長長 mess");
    tty.type("age\r");
    await tty.see("Also heard.");
    await tty.see("you> ");
    expect(tty.shown().map((line) => line.replace(TOOK, "2 s"))).toEqual([
      "Zeph, with script/turns.json. /help  /exit",
      "you> go",
      `bash ${WAITING}: exit 0, 2 s [1]`,
      "Heard.",
      "0 tokens in, 0 out, 2 requests, 1 call",
      "you> next 長長 message",
      "Also heard.",
      "0 tokens in, 0 out, 1 request, 0 calls",
      "you>",
    ]);
    await tty.leave();
  });

  it("may be a whole message while the model works, and is shown before its answer", async () => {
    const here = scripted(box(), [[calls("bash", { command: WAITING })], [says("Heard.")], [says("Also heard.")]], FULL);
    const tty = await chat(here);
    tty.type("go\r");
    await tty.see(" bash ");
    tty.type("the next one\r");
    // Nobody types so fast that it would be one message.
    await sleep(1500);
    tty.type("half of ");
    await tty.see("s  > half of");
    here.write("on", "");
    await tty.see("Also heard.");
    await tty.see("you> half of ");
    expect(tty.shown().map((line) => line.replace(TOOK, "2 s"))).toEqual([
      "Zeph, with script/turns.json. /help  /exit",
      "you> go",
      `bash ${WAITING}: exit 0, 2 s [1]`,
      "Heard.",
      "0 tokens in, 0 out, 2 requests, 1 call",
      "you> the next one",
      "Also heard.",
      "0 tokens in, 0 out, 1 request, 0 calls",
      "you> half of",
    ]);
    tty.type("\u0015");
    await tty.leave();
    expect(kept(here)).toEqual(["go", "the next one"]);
  });

  it("may come before everything is there", async () => {
    const here = hearing();
    const tty = terminal(here, "--no-color", { columns: 60 });
    await tty.see("you> ");
    tty.type("early words\r");
    await tty.see("Heard.");
    await tty.see("you> ");
    tty.type(CTRL_D);
    expect((await tty.end).code).toBe(0);
    expect(kept(here)).toEqual(["early words"]);
  });
});

describe.skipIf(!hasTerminal)("before everything is there", () => {
  it("leaves on Ctrl-D and on Ctrl-C twice", async () => {
    const one = terminal(hearing(), "--no-color");
    await one.see("you> ");
    one.type(CTRL_D);
    expect((await one.end).code).toBe(0);
    const two = terminal(hearing(), "--no-color");
    await two.see("you> ");
    two.type(CTRL_C + CTRL_C);
    expect([0, 130]).toContain((await two.end).code);
  });

  it("takes its prompt back and says what is wrong with the configuration", async () => {
    const tty = terminal(hearing('autonomy = "nonsense"'), "--no-color", { columns: 200 });
    expect((await tty.end).code).toBe(2);
    expect(displayed(tty.text(), 200)[0]).toMatch(/^\/.*"autonomy" must be/);
    // The terminal marks pastes no longer.
    expect(tty.text()).toContain("\u001b[?2004l");
  });

  it("does not call as a tool what was typed for a model that is not there", async () => {
    const here = box();
    here.write("a.txt", "one\n");
    const tty = terminal(here, "--no-color", { columns: 60, env: { OLLAMA_HOST: "127.0.0.1:1" } });
    await tty.see("> ");
    tty.type("read a.txt\r");
    await tty.see("Which one?");
    // On a machine that is very busy the message came as an answer to this, and the list is shown again.
    while (!tty.text().includes("without a model")) {
      tty.type("console\r");
      await sleep(500);
    }
    await tty.see("without a model");
    await tty.see("zeph> ");
    tty.type("/status\r");
    await tty.see("audit");
    tty.type(CTRL_D);
    expect((await tty.end).code).toBe(0);
    // On a machine that is very busy it may have been typed later.
    if (displayed(tty.text(), 60).some((line) => line.startsWith("you> read"))) expect(tty.text()).not.toContain("1\tone");
  });
});

describe.skipIf(!hasTerminal)("what was done", () => {
  const turns = [
    [
      thinks("Let me see."),
      calls("write", { path: "a.txt", content: `${lines(40).join("\n")}\n` }),
      calls("bash", { command: `for i in $(seq 30); do echo "out $i"; done` }),
    ],
    [calls("edit", { path: "a.txt", old_string: "line 2\n", new_string: `zwei\u001b[31m ${"long ".repeat(30)}\n` })],
    [says("Heard.")],
  ];

  it("is shown in part, in 60 columns, and whole with /show", async () => {
    const tty = await chat(scripted(box(), turns, FULL));
    await tty.say("go\r");
    const shown = tty.shown();
    expect(Math.max(...shown.map((line) => line.length))).toBeLessThanOrEqual(60);
    for (const line of [
      "  @@ -0,0 +1,40 @@",
      "  +line 19",
      "  … 21 more lines, /show 1",
      "  … 27 more lines, /show 2",
      "  out 30",
      "  -line 2",
    ])
      expect(shown).toContain(line);
    expect(shown).not.toContain("  +line 20");
    expect(shown.find((line) => line.startsWith("  +zwei"))).toMatch(/^ {2}\+zwei\\u001b\[31m long .*…$/);
    tty.type("/show 2\r");
    await tty.see("[2] bash");
    await tty.see("out 15");
    await tty.see("you> ");
    tty.type("/show\r");
    await tty.see("[3] edit");
    await tty.see("+zwei\\u001b[31m long");
    await tty.see("you> ");
    tty.type("/show 4\r");
    await tty.see("Calls 1 to 3 are.");
    tty.type("/show thinking\r");
    await tty.see("Let me see.");
    tty.type("/status\r");
    await tty.see("zeph          0.1.0");
    await tty.see("audit");
    await tty.see("you> ");
    tty.type("/help\r");
    await tty.see("/show [n]");
    await tty.see("/exit");
    await tty.see("you> ");
    const after = tty.shown().slice(shown.length);
    // Long paths and diffs are not cut here: they may be copied.
    const wide = after.filter((line) => line.length > 60 && !line.includes("/") && !line.startsWith("+zwei"));
    expect(wide).toEqual([]);
    await tty.leave();
  });

  it("has colour on a terminal that has", async () => {
    const here = scripted(box(), turns, FULL);
    const tty = terminal(here, "", { columns: 60 });
    await tty.see("you> ");
    tty.type("go\r");
    await tty.see("\u001b[32m+line 1\u001b[39m");
    await tty.see("\u001b[31m-line 2\u001b[39m");
    await tty.see("Heard.");
    tty.type(CTRL_D);
    expect((await tty.end).code).toBe(0);
  });

  it.each([
    ["NO_COLOR", { NO_COLOR: "1" }],
    ["TERM=dumb", { TERM: "dumb" }],
  ])("needs no colour: %s", async (name, env) => {
    const here = scripted(box(), [...turns.slice(0, 2), [calls("bash", { command: "sleep 1.3" })], turns[2]!], FULL);
    const tty = terminal(here, "", { columns: 60, env });
    await tty.see("Zeph, with");
    await tty.see("you> ");
    tty.type("go\\\r");
    await tty.see("...> ");
    tty.type("on\r");
    await tty.see("+line 1\r\n");
    await tty.see("-line 2\r\n");
    await tty.see("Heard.");
    for (const [typed, wanted] of [
      ["/show 2", "out 15"],
      ["/status", "audit"],
      ["/help", "/exit"],
    ] as const) {
      await tty.see("you> ");
      tty.type(`${typed}\r`);
      await tty.see(wanted);
    }
    tty.type(CTRL_D);
    expect((await tty.end).code).toBe(0);
    expect(kept(here)[0]).toBe("go\non");
    expect(displayed(tty.text(), 60)[0]).toBe("Zeph, with script/turns.json. /help  /exit");
    expect(tty.text()).not.toContain("\u001b[3");
    if (name === "TERM=dumb") expect(tty.text()).not.toContain("\u001b");
  });
});

function hearingAgain(here: Box): Box {
  return scripted(here, Array(9).fill([says("Heard.")]));
}
