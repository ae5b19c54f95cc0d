import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { calls, ends, says, scripted } from "./scripted.ts";
import { hasTmux } from "./tmux.ts";
import { tmuxWindow } from "./tmux-window.ts";
import { box } from "./zeph.ts";

const RESTED_MS = 800;
const READY = "what shall be done?";
/** A question that came while nobody typed takes keys by itself, and Tab would turn away from it. The words show that it takes them. */
async function turnToQuestion(window: ReturnType<typeof tmuxWindow>, words: string): Promise<void> {
  for (;;) {
    await sleep(RESTED_MS);
    if (window.screen().includes(words)) return;
    window.key("Tab");
  }
}
const read = (folder: string, name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : null);

describe.skipIf(!hasTmux)("a chat on the screen", () => {
  it("talks, shows calls and their numbers, asks, and leaves only what was said", async () => {
    const here = scripted(box(), [
      [says("I **look** at it.\n"), calls("read", { path: "a.txt" }), calls("write", { path: "b.txt", content: "new\n" }), ends("calls")],
      [says("Done."), ends("stop")],
    ]);
    here.write("a.txt", "one\n");
    const window = tmuxWindow(here);
    await window.see(READY);
    window.type("Look at it");
    window.key("Enter");
    await window.see("I look at it.");
    await window.see("✓ read a.txt");
    await window.see("write needs a yes.");
    await turnToQuestion(window, "[y] once");
    window.type("y");
    await window.see("✓ write b.txt");
    await window.see("Done.");
    expect(read(here.cwd, "b.txt")).toBe("new\n");
    await window.see("supervised");
    window.key("C-d");
    await window.seeShell();
    const left = window.all();
    expect(left).toContain("❯ Look at it");
    expect(left).not.toContain(READY);
    expect(left).not.toContain("─────");
    window.type("echo sane");
    window.key("Enter");
    await window.see("\nsane");
  });

  it("shows what was said before, a call again, and goes back, to another model and to another conversation", async () => {
    const here = scripted(box(), [
      [calls("read", { path: "a.txt" }), ends("calls")],
      [says("It says **one**."), ends("stop")],
    ]);
    here.write("a.txt", "one\n");
    await here.run(["run", "An earlier talk"]);
    await here.run(["run", "Look at it"]);
    const window = tmuxWindow(here, "--continue");
    await window.see("continued");
    await window.see("❯ Look at it");
    await window.see("It says one.");
    const typeLine = (line: string) => {
      window.type(line);
      window.key("Enter");
    };
    await window.see(READY);
    typeLine("Once more");
    await window.see("✓ read a.txt");
    await window.see("supervised");
    typeLine("/open 7");
    await window.see("Call 7 is not kept.");
    typeLine("/open 1");
    await window.see("Call 1: what the model read");
    window.type("g");
    await window.see("Call 1: gate by gate");
    window.type("r");
    await window.see("Call 1: raw output");
    window.type("q");
    await window.see(READY);
    typeLine("/rewind");
    await window.see("Go back to before one of your messages");
    window.key("Enter");
    await window.see("5 messages taken back.");
    await window.see("❯ Once more");
    window.key("C-u");
    await window.see(READY);
    typeLine("/model");
    await window.see("script turns.json");
    window.key("Enter");
    await window.see("answers from now on.");
    typeLine("/sessions");
    await window.see("An earlier talk");
    window.type("earlier");
    window.key("Enter");
    await window.see("❯ An earlier talk");
    await window.see("supervised");
    window.key("C-d");
    await window.seeShell();
  });

  it("a letter typed for something else never approves: before, while and right after the question, or pasted", async () => {
    const write = (name: string) => [calls("write", { path: name, content: "x" }), ends("calls")];
    const here = scripted(box(), [write("a.txt"), [says("First."), ends("stop")]]);
    const window = tmuxWindow(here);
    await window.see(READY);
    window.type("go");
    window.key("Enter");
    // All the time until it is there, and on.
    while (!window.screen().includes("needs a yes")) window.type("y");
    window.type("y");
    await sleep(100);
    window.type("y");
    await window.see("[Tab] to answer");
    await sleep(RESTED_MS);
    window.type("ysan");
    window.key("C-u");
    await sleep(RESTED_MS);
    window.type("y");
    window.pasteText("y");
    expect(read(here.cwd, "a.txt")).toBeNull();
    expect(window.screen()).toContain("needs a yes");
    window.key("C-u");
    window.key("Tab");
    await window.see("[y] once");
    window.type("n");
    await window.see("First.");
    expect(read(here.cwd, "a.txt")).toBeNull();
  });

  it("Tab completes what is being typed while a question stands above it, and the next letter does not answer", async () => {
    const here = scripted(box(), [
      [calls("write", { path: "b.txt", content: "x" }), ends("calls")],
      [says("End."), ends("stop")],
    ]);
    here.write("alpha.txt", "one\n");
    const window = tmuxWindow(here);
    await window.see(READY);
    window.type("go");
    window.key("Enter");
    await window.see("needs a yes");
    await sleep(RESTED_MS);
    window.type("see @alp");
    await window.see("› @alpha.txt");
    window.key("Tab");
    window.type("y");
    await window.see("see @alpha.txt y");
    expect(read(here.cwd, "b.txt")).toBeNull();
    expect(window.screen()).toContain("needs a yes");
  });

  it("a question of 300 lines is answered only after its end was on the screen", async () => {
    const content = Array.from({ length: 300 }, (_, n) => `line ${n + 1}`).join("\n");
    const here = scripted(box(), [
      [calls("write", { path: "a.txt", content }), ends("calls")],
      [says("End."), ends("stop")],
    ]);
    const window = tmuxWindow(here, "", { rows: 24 });
    await window.see(READY);
    window.type("go");
    window.key("Enter");
    await window.see("needs a yes");
    await turnToQuestion(window, "more lines.");
    window.type("y");
    await window.see("PgDn first");
    expect(read(here.cwd, "a.txt")).toBeNull();
    for (let n = 0; n < 60 && !window.screen().includes("[y] once"); n++) window.key("PageDown");
    await window.see("[y] once");
    window.type("y");
    await window.see("End.");
    expect(read(here.cwd, "a.txt")).toBe(content);
  });

  it("400 numbered lines and ten resizes: each is once in the scrollback, and what the shell printed before stays", async () => {
    const text = (from: number) => Array.from({ length: 100 }, (_, n) => `number ${from + n} of them\n\n`).join("");
    const here = scripted(
      box(),
      [
        [says(text(1)), calls("bash", { command: "sleep 1" }), ends("calls")],
        [says(text(101)), calls("bash", { command: "sleep 1.1" }), ends("calls")],
        [says(text(201)), calls("bash", { command: "sleep 1.2" }), ends("calls")],
        [says(text(301)), says("The end."), ends("stop")],
      ],
      'autonomy = "full"',
    );
    const window = tmuxWindow(here, "", { before: "echo; seq -f 'before %g' 1 30; " });
    await window.see(READY);
    window.type("count");
    window.key("Enter");
    const sizes = [
      [80, 24],
      [60, 20],
      [120, 40],
      [61, 15],
      [100, 30],
      [70, 22],
      [90, 18],
      [60, 30],
      [110, 25],
      [100, 30],
    ] as const;
    for (const [columns, rows] of sizes) {
      await sleep(300);
      window.resize(columns, rows);
    }
    await window.see("The end.");
    await window.see(READY);
    const all = window.all();
    const seen = [...all.matchAll(/number (\d+) of them/g)].map(([, n]) => Number(n));
    expect(seen).toEqual(Array.from({ length: 400 }, (_, n) => n + 1));
    const before = [...all.matchAll(/^before (\d+)$/gm)].map(([, n]) => Number(n));
    expect(before).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
  });

  it.each(["TERM", "HUP"])("SIG%s in the middle of a turn leaves the terminal sane", async (name) => {
    const here = scripted(box(), [[calls("bash", { command: "sleep 30" }), ends("calls")]], 'autonomy = "full"');
    const window = tmuxWindow(here);
    await window.see(READY);
    window.type("go");
    window.key("Enter");
    await window.see("sleep 30");
    const pid = readFileSync(`/proc/${window.shell()}/task/${window.shell()}/children`, "utf8").trim();
    process.kill(Number(pid), `SIG${name}`);
    await window.seeShell();
    window.type("stty -a | grep -c ' icanon'");
    window.key("Enter");
    await window.see("\n1");
    expect(window.modes()).toBe("0 1");
    expect(window.all()).not.toContain("─────");
  });

  it("Ctrl-Z gives the terminal back to the shell, and fg goes on with what was typed", async () => {
    const here = scripted(box(), [[says("Heard."), ends("stop")]]);
    const window = tmuxWindow(here, "", { before: "set -m; " });
    await window.see(READY);
    window.type("half a sen");
    await window.see("half a sen");
    window.key("C-z");
    await window.seeShell();
    window.type("fg");
    window.key("Enter");
    await window.see("half a sen");
    window.type("tence");
    window.key("Enter");
    await window.see("half a sentence");
    await window.see("Heard.");
  });

  it("60 columns, no colour, no UTF-8: ASCII signs, nothing beyond the edge", async () => {
    const here = scripted(box(), [
      [says("It **works**."), calls("read", { path: "a.txt" }), ends("calls")],
      [says("End."), ends("stop")],
    ]);
    here.write("a.txt", "one\n");
    const window = tmuxWindow(here, "", { columns: 60, rows: 20, env: { NO_COLOR: "1", LANG: "C" } });
    await window.see(READY);
    window.type("go");
    window.key("Enter");
    await window.see("+ read a.txt");
    await window.see("End.");
    const shown = window.screen();
    expect(shown).toMatch(/^> go$/m);
    expect(shown).toMatch(/^-{40,59}$/m);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
    expect(shown).toMatch(/^[\x00-\x7f]*$/);
  });

  it("the cursor stands where one types, also behind wide characters and in the second line", async () => {
    const window = tmuxWindow(scripted(box(), []));
    await window.see(READY);
    const row = () =>
      window
        .screen()
        .split("\n")
        .findIndex((line) => line.includes("❯"));
    window.type("漢字👨‍👩‍👧e");
    await window.see("漢字");
    await expect.poll(() => window.cursor()).toMatch(new RegExp(`^\\d+,${row()},1$`));
    window.key("C-a");
    await expect.poll(() => window.cursor()).toBe(`2,${row()},1`);
    window.key("Right");
    await expect.poll(() => window.cursor()).toBe(`4,${row()},1`);
    window.key("C-e", "C-j");
    window.type("x");
    await expect.poll(() => window.cursor()).toBe(`3,${row() + 1},1`);
  });

  it("takes queued messages back with Escape, stops with Escape, and leaves with Ctrl-C twice", async () => {
    const here = scripted(box(), [[calls("bash", { command: "sleep 60" }), ends("calls")]], 'autonomy = "full"');
    const window = tmuxWindow(here);
    await window.see(READY);
    window.type("go");
    window.key("Enter");
    await window.see("sleep 60");
    window.type("and then this");
    window.key("Enter");
    await window.see("next: and then this");
    window.key("Escape");
    await window.see("❯ and then this");
    window.key("C-c");
    await window.see("type ahead");
    window.key("Escape");
    await window.see("Stopped.");
    await window.see(READY);
    window.key("C-c");
    await window.see("Ctrl-C again leaves");
    window.key("C-c");
    await window.seeShell();
  });

  it("offers commands and files, opens the panel and a call, and changes how much is asked", async () => {
    const here = scripted(box(), [
      [calls("read", { path: "src/parser.ts" }), ends("calls")],
      [says("End."), ends("stop")],
    ]);
    here.write("src/parser.ts", "export {};\n");
    const window = tmuxWindow(here);
    await window.see(READY);
    window.type("see @pars");
    await window.see("@src/parser.ts");
    window.key("Enter");
    await window.see("❯ see @src/parser.ts");
    window.key("Enter");
    await window.see("End.");
    window.type("/res");
    await window.see("/resources");
    window.key("Enter");
    await window.see("Resources");
    window.key("C-t");
    window.type("!echo from the shell");
    window.key("Enter");
    await window.see("│ from the shell");
    window.key("BTab");
    await window.see("edits: files of this workspace");
    window.key("BTab");
    await window.see("readonly: nothing is changed");
    window.key("C-o");
    await window.see("type to search");
    window.key("Enter");
    await window.see("what the model read");
    window.key("q", "Escape");
    await window.see(READY);
  });

  it("moves later ! commands with !cd, until a new conversation begins", async () => {
    const here = scripted(box(), [[says("Heard."), ends("stop")]]);
    const window = tmuxWindow(here);
    await window.see(READY);
    const run = async (command: string, shown: string) => {
      window.type(command);
      window.key("Enter");
      await window.see(shown);
    };
    await run("!mkdir sub && cd sub", "start in sub]");
    await run('!echo "first $(basename "$PWD")"', "first sub");
    await run("/clear", "A new conversation begins");
    await run('!echo "then $(basename "$PWD")"', "then work");
    window.key("C-d");
  });

  it("edits a message in the person's own editor", async () => {
    const here = scripted(box(), [[says("Heard."), ends("stop")]]);
    const editor = here.write("editor.sh", '#!/bin/sh\nprintf "%s\\nsecond line\\n" "$(cat "$1")" > "$1"\n');
    const window = tmuxWindow(here, "", { env: { EDITOR: `sh ${editor}` } });
    await window.see(READY);
    window.type("first line");
    window.key("C-g");
    await window.see("second line");
    window.key("Enter");
    await window.see("Heard.");
    expect(window.all()).toMatch(/❯ first line\n {2}second line/);
  });

  it("--plain, ui.screen and a dumb terminal get the chat line by line", async () => {
    const here = scripted(box(), []);
    const plain = tmuxWindow(here, "--plain");
    await plain.see("you>");
    const dumb = tmuxWindow(here, "", { before: "TERM=dumb " });
    await dumb.see("you>");
    const set = tmuxWindow(scripted(box(), [], 'ui.screen = "plain"'));
    await set.see("you>");
    expect(set.all()).not.toContain("─────");
  });
});
