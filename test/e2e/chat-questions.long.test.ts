import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { displayed } from "./display.ts";
import { calls, says, scripted } from "./scripted.ts";
import { hasTerminal, terminal } from "./terminal.ts";
import { type Box, box } from "./zeph.ts";

const FULL = 'autonomy = "full"';
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

async function chat(here: Box, columns = 60) {
  const tty = terminal(here, "--no-color", { columns });
  await tty.see("Zeph, with script/turns.json.");
  await tty.see("you> ");
  return { ...tty, shown: () => displayed(tty.text(), columns) };
}
const write = (path: string) => calls("write", { path, content: "one" });

describe.skipIf(!hasTerminal)("a question in a chat", () => {
  it("stays unanswered on Ctrl-D, and the chat goes on", async () => {
    const here = scripted(box(), [[write("a.txt"), write("b.txt")], [says("Heard.")], [says("Also heard.")]]);
    const tty = await chat(here);
    tty.type("go\r");
    await tty.see("Allow it?");
    tty.type(CTRL_D);
    await tty.see("Allow it?");
    tty.type(`x${CTRL_D}`);
    await sleep(1000);
    tty.type(`\u007f${CTRL_D}`);
    await sleep(1000);
    tty.type(CTRL_D);
    await tty.see("Heard.");
    await tty.see("you> ");
    expect(tty.shown().filter((line) => /^write [ab]\.txt .*: not run: nobody answered/.test(line))).toHaveLength(2);
    tty.type("and now?\r");
    await tty.see("Also heard.");
    await tty.see("you> ");
    expect([existsSync(join(here.cwd, "a.txt")), existsSync(join(here.cwd, "b.txt"))]).toEqual([false, false]);
    tty.type(CTRL_D);
    expect((await tty.end).code).toBe(0);
  });

  it("comes while a command runs that wants to reach a name, and the answer lets it go on", async () => {
    const command = "curl -sS http://nowhere.example/; touch after";
    const tty = await chat(scripted(box(), [[calls("bash", { command })], [says("Heard.")]], FULL), 200);
    tty.type("go\r");
    await tty.see("wants to reach nowhere.example:80.");
    await tty.see("Allow it?");
    tty.type("o\r");
    await tty.see("Heard.");
    await tty.see("you> ");
    expect(tty.text().match(/Allow it\?/g)).toHaveLength(1);
    expect(tty.text()).not.toContain("the user said no");
    tty.type(CTRL_D);
    expect((await tty.end).code).toBe(0);
  });

  it("is the last one when Ctrl-C cancels the turn", async () => {
    const here = scripted(box(), [[write("a.txt"), write("b.txt")], [says("Never.")]]);
    const tty = await chat(here);
    tty.type("go\r");
    await tty.see("Allow it?");
    tty.type(CTRL_C);
    await tty.see("Stopped.");
    await tty.see("you> ");
    expect(tty.text().match(/Question:/g)).toHaveLength(1);
    expect(tty.text().match(/Allow it\?/g)).toHaveLength(1);
    tty.type(CTRL_D);
    expect((await tty.end).code).toBe(0);
  });

  it("breaks between words in 60 columns, and its time is not the call's", async () => {
    const tty = await chat(scripted(box(), [[write("a.txt")], [says("Heard.")]]));
    tty.type("go\r");
    await tty.see("Allow it?");
    await sleep(1500);
    tty.type("o\r");
    await tty.see("Heard.");
    await tty.see("you> ");
    const shown = tty.shown();
    const from = shown.findIndex((line) => line.startsWith("Question:"));
    const rows = shown.slice(
      from,
      shown.findIndex((line) => line.startsWith("Allow it?")),
    );
    expect(rows.filter((line) => line !== "" && !line.startsWith("  ") && !line.startsWith("Question:") && !line.startsWith("/"))).toEqual(
      [],
    );
    expect(shown.find((line) => line.startsWith("write a.txt"))).toMatch(/: ok, [\d.]+ m?s/);
    tty.type(CTRL_D);
    expect((await tty.end).code).toBe(0);
  });
});

describe.skipIf(!hasTerminal)("a turn that is stopped", () => {
  const slow = [[calls("bash", { command: "touch started; sleep 30" })], [says("Heard.")]];
  const started = async (here: Box) => {
    while (!existsSync(join(here.cwd, "started"))) await sleep(20);
  };

  it("gives back what was typed to be the next message", async () => {
    const here = scripted(box(), slow, FULL);
    const tty = await chat(here);
    tty.type("go\r");
    await started(here);
    tty.type("the next one\r");
    await sleep(1500);
    tty.type("half");
    await tty.see("s  > half");
    tty.type(CTRL_C);
    await tty.see("Stopped.");
    await tty.see("you> the next one");
    await sleep(300);
    expect(tty.text()).not.toContain("Heard.");
    expect(tty.shown().slice(-2)).toEqual(["you> the next one", "half"]);
    tty.type("\r");
    await tty.see("Heard.");
    await tty.see("you> ");
    tty.type(CTRL_D);
    expect((await tty.end).code).toBe(0);
  });

  it("takes the spinner away when it is left at once", async () => {
    const here = scripted(box(), [[calls("bash", { command: "trap '' TERM INT; touch started; sleep 30; sleep 30" })]], FULL);
    const tty = await chat(here);
    tty.type("go\r");
    await tty.see(" bash ");
    tty.type(CTRL_C + CTRL_C);
    await tty.end;
    expect(tty.shown().at(-1)).toBe("");
    expect(tty.shown().filter((line) => /^[⠀-⣿]/.test(line))).toEqual([]);
  });
});

describe.skipIf(!hasTerminal)("what is too long", () => {
  it("is shown whole with /show, though the model saw a part", async () => {
    const here = scripted(
      box(),
      [[calls("bash", { command: "for i in $(seq 9000); do echo unlike $i $((i*7919)) $i; done" })], [says("Heard.")]],
      FULL,
    );
    const tty = await chat(here);
    tty.type("go\r");
    await tty.see("Heard.");
    await tty.see("you> ");
    expect(tty.shown().find((line) => line.includes("/show 1"))).toBe("  … 8997 more lines, /show 1");
    tty.type("/show 1\r");
    await tty.see("\nunlike 4500 ");
    await tty.see("\nunlike 9000 ");
    await tty.see("you> ");
    tty.type(CTRL_D);
    expect((await tty.end).code).toBe(0);
  });

  it("is shown whole where no filter shortened it", async () => {
    const long = Array.from({ length: 4000 }, (_, n) => `unlike ${n + 1} ${(n * 7919) % 1000}`).join("\n");
    const here = scripted(
      box(),
      [[calls("bash", { command: "cat long.txt" })], [says("Heard.")]],
      `${FULL}\n[tools.filters]\nenabled = false\n[tools.overflow]\nthreshold = 5000`,
    );
    here.write("long.txt", `${long}\n`);
    const tty = await chat(here);
    tty.type("go\r");
    await tty.see("Heard.");
    await tty.see("you> ");
    tty.type("/show 1\r");
    await tty.see("\nunlike 2000 ");
    await tty.see("\nunlike 4000 ");
    await tty.see("you> ");
    tty.type(CTRL_D);
    expect((await tty.end).code).toBe(0);
  });

  it("cannot be pasted, which is said above a new prompt", async () => {
    const tty = await chat(scripted(box(), [[says("Heard.")]]));
    tty.type("half ");
    await tty.see("half ");
    tty.type(`\u001b[200~${"x".repeat(4 * 1024 * 1024 + 1)}\u001b[201~`);
    await tty.see("name the file.");
    await tty.see("you> half ");
    expect(tty.shown().slice(-3, -1)).toEqual(["That is more than can be pasted here. Put it into a file and", "name the file."]);
    tty.type(CTRL_C + CTRL_D);
    expect((await tty.end).code).toBe(0);
  });
});

describe.skipIf(!hasTerminal)("what cannot begin", () => {
  it("is told between words", async () => {
    const tty = terminal(scripted(box(), []), "--no-color --set autonomy=nonsense", { columns: 60 });
    expect((await tty.end).code).toBe(2);
    expect(displayed(tty.text(), 60).slice(0, 2)).toEqual([
      '--set autonomy: "autonomy" must be "full", "edits",',
      '"supervised" or "readonly", but the text "nonsense" was',
    ]);
  });
});

it.skipIf(!hasTerminal)("/status names every part of its state in small letters", async () => {
  const here = scripted(box(), [], "[agent.tool_filter]\nenabled = true\n[tools.tafc]\nenabled = true");
  const tty = await chat(here);
  tty.type("/status\r");
  await tty.see("audit");
  await tty.see("you> ");
  const rows = tty.shown();
  expect(rows.some((line) => line.startsWith("filter "))).toBe(true);
  expect(rows.slice(2, -1).filter((line) => /^[A-Z]/.test(line))).toEqual([]);
  tty.type(CTRL_D);
  expect((await tty.end).code).toBe(0);
});
