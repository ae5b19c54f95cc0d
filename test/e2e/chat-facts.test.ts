import { describe, expect, it } from "vitest";
import { calls, ends, says, scripted } from "./scripted.ts";
import { hasTmux } from "./tmux.ts";
import { tmuxWindow } from "./tmux-window.ts";
import { box } from "./zeph.ts";

const READY = "what shall be done?";

describe.skipIf(!hasTmux)("what the screen tells", () => {
  it("a message that waits stands below an open question, and Escape takes it back", async () => {
    const here = scripted(box(), [
      [calls("write", { path: "a.txt", content: "x" }), ends("calls")],
      [says("End."), ends("stop")],
    ]);
    const window = tmuxWindow(here);
    await window.see(READY);
    window.type("go");
    window.key("Enter");
    await window.see("needs a yes");
    window.type("and then this");
    window.key("Enter");
    await window.see("next: and then this  (Esc takes it back)");
    expect(window.screen()).toContain("needs a yes");
    window.key("Escape");
    await window.see("❯ and then this");
    expect(window.screen()).not.toContain("next:");
  });

  it("/status and the status line name what is so now: the autonomy of the session, and no context after /clear", async () => {
    const here = scripted(box(), [[says("Said."), ends("stop", 64_000)]]);
    const window = tmuxWindow(here, "", { rows: 60 });
    await window.see(READY);
    expect(window.screen()).toMatch(/^Zeph with script\/turns\.json in \S+ {2}\/help/m);
    window.type("go");
    window.key("Enter");
    await window.see("ctx 50%");
    window.key("BTab");
    await window.see("edits: files of this workspace");
    window.type("/status");
    window.key("Enter");
    await expect.poll(window.screen).toMatch(/^autonomy +edits$/m);
    window.type("/clear");
    window.key("Enter");
    await window.see("A new conversation begins.");
    await window.see("ctx 0%");
    window.type("/help");
    window.key("Enter");
    await window.see("zeph --plain");
  });

  it("a message whose image is not there stays in the editor, and one that only speaks of a path is sent", async () => {
    const here = scripted(box(), [[says("Heard."), ends("stop")]]);
    here.config('[[llm.providers]]\nname = "script"\ntype = "script"\nmodel = "turns.json"\nimages = true\n');
    const window = tmuxWindow(here);
    await window.see(READY);
    window.type("the link to /assets/logo.png is broken");
    window.key("Enter");
    await window.see("Heard.");
    window.type("look at @nope.png please");
    window.key("Enter");
    await window.see("nope.png: does not exist");
    await window.see("❯ look at @nope.png please\n ");
  });

  it("a command of the person's own shows what it printed, and not only its end", async () => {
    const window = tmuxWindow(scripted(box(), []));
    await window.see(READY);
    window.type("!seq 1001 1012");
    window.key("Enter");
    await window.see("│ 1012");
    expect(window.screen()).toContain("│ 1001");
  });

  it("without a model the first questions wait for an answer, and line by line can be chosen for one run", async () => {
    const first = tmuxWindow(box(), "", { env: { OLLAMA_HOST: "http://127.0.0.1:9" } });
    await first.see("Which one? [1-8]:");
    first.type("no number");
    first.key("Enter");
    await first.see("Please type a number from 1 to 8.");
    first.key("C-d");
    await first.seeShell();
    const lines = tmuxWindow(scripted(box(), [[says("Heard."), ends("stop")]]), "--set ui.screen=plain");
    await lines.see("you>");
    lines.type("go");
    lines.key("Enter");
    await lines.see("Heard.");
  });
});
