import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { displayed } from "./display.ts";
import { says, scripted } from "./scripted.ts";
import { hasTerminal, terminal } from "./terminal.ts";
import { hasTmux } from "./tmux.ts";
import { tmuxWindow } from "./tmux-window.ts";
import { type Box, box } from "./zeph.ts";

const SERVER = readFileSync(resolve("test/mcp/offers-server.mjs"), "utf8");
const CTRL_D = "\u0004";
/** So many lines that a word stands for them. */
const PASTED = ["see", "this:", "@notes:memo://one", ...Array(5).fill("and more")].join("\n");
const marked = (text: string) => `\u001b[200~${text}\u001b[201~`;

/** A command of the person's own whose file names a resource. */
function withOwnCommand<B extends Box>(here: B): B {
  here.write(`${relative(here.cwd, here.env.XDG_CONFIG_HOME!)}/zeph/commands/sum.md`, "Sum up @notes:memo://one\n");
  return here;
}

/** A box with the server `notes` beside its workspace. */
function world(trust = "trusted", turns = Array(9).fill([says("Heard.")])): Box & { readonly server: string } {
  const here = box();
  const server = here.write("../server/notes.mjs", SERVER);
  const toml = `[[mcp.servers]]\nname = "notes"\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(server)}]\nallow_read = [${JSON.stringify(join(here.root, "server"))}]\ntrust = "${trust}"\n`;
  return { ...scripted(here, turns, toml), server };
}

describe("zeph mcp", () => {
  it("lists prompts and resources, prints one, and counts them everywhere", async () => {
    const here = box();
    here.write("../server/notes.mjs", SERVER);
    const added = await here.runProcess(["mcp", "add", "notes", "--", "node", "../server/notes.mjs"]);
    expect(added.stderr).toBe("");
    expect(added.stdout).toContain("connected, 1 tool, 2 prompts, 2 resources, 1 template\n");
    expect(added.stdout.replace(/\s+/g, " ")).toContain(
      "It also has 2 prompts, 2 resources, 1 template. See: zeph mcp prompts notes, zeph mcp resources notes",
    );
    const prompts = await here.run(["mcp", "prompts"]);
    expect(prompts).toMatchObject({
      code: 0,
      stderr: "",
      stdout:
        "notes: 2 prompts\n  /notes:review <file> [depth=…]\n      Reviews a file\n      file: which one\n      depth: how closely\n  /notes:system\n",
    });
    expect(JSON.parse((await here.run(["mcp", "prompts", "notes", "--json"])).stdout)).toMatchObject([
      { server: "notes", name: "review", command: "/notes:review", arguments: [{ name: "file", required: true }, { name: "depth" }] },
      { name: "system", command: "/notes:system" },
    ]);
    expect((await here.run(["mcp", "resources", "notes"])).stdout).toBe(
      "notes: 2 resources, 1 template\n  memo://one  one (text/plain, 12 bytes): The first memo\n  memo://box  box (application/zip)\n  memo://of/{person}/{day}  of (template)\n",
    );
    expect(JSON.parse((await here.run(["mcp", "resources", "--json"])).stdout)).toHaveLength(3);
    expect(await here.run(["mcp", "read", "notes", "memo://one"])).toMatchObject({ code: 0, stdout: "milk and honey\n", stderr: "" });
    expect((await here.run(["mcp", "read", "notes", "memo://box"])).stdout).toBe("[memo://box: application/zip, 3072 bytes, not shown]\n");
    expect(JSON.parse((await here.run(["mcp", "read", "notes", "memo://one", "--json"])).stdout)).toEqual([
      { uri: "memo://one", mimeType: "text/plain", text: "milk and honey" },
    ]);
    expect(await here.run(["mcp", "prompt", "notes", "review", "a.ts", "depth=closely"])).toMatchObject({
      code: 0,
      stdout: "Review a.ts, closely.\n",
    });
    expect((await here.run(["mcp", "list"])).stdout).toMatch(/1 tool agreed to [\d-]+, 2 prompts, 2 resources, 1 template /);
    expect(JSON.parse((await here.run(["mcp", "list", "--json"])).stdout)).toMatchObject([{ prompts: 2, resources: 2, templates: 1 }]);
    expect((await here.run(["mcp", "tools"])).stdout).toMatch(/^notes: 1 tool, 2 prompts, 2 resources, 1 template\n/);
    expect((await here.run(["mcp", "test", "notes"])).stdout).toContain("connected, 1 tool, 2 prompts, 2 resources, 1 template");
  });

  it("says what is wrong with what was asked for", async () => {
    const here = world();
    const failed = async (...words: string[]) => {
      const { code, stdout, stderr } = await here.run(["mcp", ...words]);
      expect(stdout).toBe("");
      return `${code} ${stderr.replace(/\s+/g, " ")}`;
    };
    expect(await failed("prompt", "notes", "reviews")).toBe('2 "notes" has no prompt "reviews". Did you mean "review"? ');
    expect(await failed("prompt", "notes", "review")).toContain("2 notes:review also needs file=….");
    expect(await failed("prompt", "notes")).toContain("2 Say which prompt of which server.");
    expect(await failed("read", "notes")).toContain("2 Say what to read, and from which server.");
    expect(await failed("read", "nots", "memo://one")).toContain('2 There is no MCP server named "nots".');
    expect(await failed("read", "notes", "memo://gone")).toContain('5 The MCP server "notes" does not have that');
  });
});

describe("zeph run", () => {
  const events = (stdout: string) =>
    stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it("sends a resource along that the task names, and not one that was piped in", async () => {
    const here = world();
    const run = await here.runProcess(["run", "--json", "Sum up @notes:memo://one"]);
    expect(run.code).toBe(0);
    expect(events(run.stdout)).toContainEqual(expect.objectContaining({ type: "tool_end", tool: "mcp__notes__read_resource", ok: true }));
    const piped = await here.run(["run", "Sum up"], { input: "@notes:memo://one\n" });
    expect([piped.code, piped.stderr.includes("read_resource")]).toEqual([0, false]);
  });

  it("ends where it cannot be read, and says why", async () => {
    const gone = await world().run(["run", "Sum up @notes:memo://gone"]);
    expect([gone.code, gone.stderr.replace(/\s+/g, " ")]).toEqual([2, expect.stringContaining("@notes:memo://gone could not be read: ")]);
    // Nobody is there to be asked about a server that nobody trusts yet.
    const asked = await world("provisional").run(["run", "Sum up @notes:memo://one"]);
    expect([asked.code, asked.stderr.replace(/\s+/g, " ")]).toEqual([2, expect.stringContaining("Nothing was sent.")]);
  });
});

describe.skipIf(!hasTerminal)("a chat line by line", () => {
  it("offers prompts and resources of servers, completes them with Tab, and shows what it sends", async () => {
    const here = world();
    const tty = terminal(here, "--no-color", { columns: 100 });
    await tty.see("you> ");
    tty.type("hello\r");
    await tty.see("Heard.");
    await tty.see("you> ");
    tty.type("/notes:re\t");
    await tty.see("view");
    tty.type(" fi\t");
    await tty.see("le=");
    tty.type("b\t");
    await tty.see(".ts");
    tty.type("\r");
    await tty.see("/notes:review is sent with this text of the MCP server notes:");
    await tty.see("Review b.ts, a little.");
    await tty.see("Heard.");
    await tty.see("you> ");
    tty.type("sum up @no\t");
    await tty.see("tes:");
    tty.type("memo://of/a\t");
    await tty.see("nn");
    tty.type("\u0015look at @notes:memo://on\t");
    await tty.see("one");
    tty.type("\r");
    await tty.see("read_resource");
    await tty.see("Heard.");
    await tty.see("you> ");
    tty.type("/mcp\r");
    await tty.see("connected, 1 tool, 2 prompts, 2 resources, 1 template");
    tty.type("/notes:review\r");
    await tty.see("notes:review also needs file=….");
    tty.type("/notes:revue\r");
    await tty.see('Did you mean "/notes:review"?');
    // Neither a server nor a command: a message.
    tty.type("/usr:bin is a path\r");
    await tty.see("Heard.");
    await tty.see("you> ");
    tty.type("@notes:memo://gone\r");
    await tty.see("could not be read");
    await tty.see("Nothing was sent.");
    tty.type(CTRL_D);
    expect((await tty.end).code).toBe(0);
    expect(displayed(tty.text(), 100).join("\n")).not.toContain("undefined");
  });
});

describe.skipIf(!hasTerminal)("a chat line by line, of what was not typed", () => {
  it("reads no resource: a paste, several lines, the file of a command", async () => {
    const tty = terminal(withOwnCommand(world()), "--no-color", { columns: 100 });
    await tty.see("you> ");
    const long = `${"x ".repeat(400)}@notes:memo://one`;
    const several = [marked("see\n@notes:memo://one"), "see\\\r@notes:memo://one"];
    for (const keys of [marked(PASTED), marked(long), ...several, "/sum"]) {
      tty.type(`${keys}\r`);
      await tty.see("Heard.");
      await tty.see("you> ");
    }
    expect(tty.text()).not.toContain("read_resource");
    // What is typed beside a paste counts.
    tty.type(`${marked(PASTED)} @notes:memo://one\r`);
    await tty.see("read_resource");
    await tty.see("Heard.");
    tty.type(CTRL_D);
    expect((await tty.end).code).toBe(0);
  });
});

describe.skipIf(!hasTmux)("a chat on the screen", () => {
  it("reads no resource that was pasted out of sight or that the file of a command names", async () => {
    const window = tmuxWindow(
      withOwnCommand(
        world(
          "trusted",
          ["One.", "Two.", "Three."].map((text) => [says(text)]),
        ),
      ),
    );
    await window.see("what shall be done?");
    window.pasteText(PASTED);
    await window.see("[pasted 8 lines #1]");
    window.key("Enter");
    await window.see("One.");
    window.type("/sum ");
    window.key("Enter");
    await window.see("Two.");
    expect(window.all()).not.toContain("read_resource");
    // What is typed beside a paste counts.
    window.pasteText(PASTED);
    await window.see("❯ [pasted 8 lines #1]");
    window.type(" @notes:memo://one ");
    window.key("Enter");
    await window.see("read_resource");
    await window.see("Three.");
    window.key("C-d");
    await window.seeShell();
  });

  it("offers prompts in its menu, completes their arguments with Tab, and shows what it sends", async () => {
    const window = tmuxWindow(world());
    await window.see("what shall be done?");
    window.type("hello");
    window.key("Enter");
    await window.see("Heard.");
    window.type("/notes:rev");
    await window.see("Reviews a file (of the MCP server notes)");
    window.key("Tab");
    await window.see("❯ /notes:review");
    window.type("file=");
    window.key("Tab");
    await window.see('file="my notes.txt"');
    window.key("Down");
    window.key("Tab");
    await window.see("❯ /notes:review file=b.ts");
    window.key("Enter");
    await window.see("Review b.ts, a little.");
    window.type("see @notes:one");
    await window.see("@notes:memo://one");
    window.key("Tab");
    window.key("Enter");
    await window.see("read_resource");
    window.key("C-d");
    await window.seeShell();
  });
});
