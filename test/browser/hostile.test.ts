import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { calls, says, scripted } from "../e2e/scripted.ts";
import { type Box, box, ended } from "../e2e/zeph.ts";
import { findFaults } from "./find-faults.ts";
import { enter, hasChromium, openReader, startWatching } from "./watched.ts";

/** Runs wherever it is taken for markup: in a text, in an attribute of either quote, in a script, in a title, and as an address. */
const HOSTILE = `"'></title></textarea></pre></script><img src=x onerror="owned=1"><svg onload=owned=1><a href="javascript:owned=1">x</a>\u202e`;
/** Short, where only a name has room. */
const NAME = `a"><img src=x onerror=owned=1>`;
const LONG = `${`${HOSTILE} line\n`.repeat(600)}`;

const DEFINITION = {
  name: "look",
  description: HOSTILE,
  inputSchema: { type: "object", properties: { [HOSTILE]: { type: "string", description: HOSTILE } } },
};
const SERVER = `const tools = ${JSON.stringify([DEFINITION])};
import { createInterface } from "node:readline";
const ANSWERS = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } }),
  "tools/list": () => ({ tools }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: ANSWERS[method]?.(params) ?? {} }) + "\\n");
}
`;

/** Everything that others can put into a store: the model, a file, a server, a skill, a folder's name. */
async function fillStore(here: Box): Promise<void> {
  here.write("long.txt", LONG);
  here.write("server.mjs", SERVER);
  here.write(".zeph/skills/odd/SKILL.md", `---\nname: odd\ndescription: ${JSON.stringify(HOSTILE)}\n---\n\n${HOSTILE}\n`);
  const odd = join(here.cwd, NAME);
  mkdirSync(join(odd, ".zeph"), { recursive: true });
  here.write(join(odd, ".zeph", "config.toml"), 'autonomy = "supervised"\n');
  scripted(
    here,
    [
      [
        says(HOSTILE),
        calls("read", { path: "long.txt" }),
        calls("read", { path: NAME }),
        calls("memory_save", { content: HOSTILE }),
        calls("bash", { command: `sudo echo ${HOSTILE}` }),
        calls("bash", { command: "cat long.txt" }),
      ],
      [says(HOSTILE)],
    ],
    `[[tools.policy.rules]]\neffect = "deny"\ntool = "bash"\nargs_match = "sudo.*<img"\n[[mcp.servers]]\nname = "odd"\ncommand = "node"\nargs = ["\${WORKSPACE}/server.mjs"]\ntrust = "trusted"\n`,
  );
  for (const args of [
    ["run", "--yes", "--without-walls", HOSTILE],
    ["trust", odd],
    ["schedule", "add", "every day at 8:00", HOSTILE],
    ["memory", "save", HOSTILE],
  ])
    await here.runProcess(args);
}

const PAGES = [
  "/log",
  "/savings",
  "/rules",
  "/kept",
  "/kept?q=onerror",
  "/conversations",
  "/memory",
  "/skills",
  "/schedule",
  "/servers",
  "/trust",
];
/** Pages that a link of a list leads to. */
const BEHIND: readonly (readonly [path: string, link: string])[] = [
  ["/log?q=sudo", "main td.cmd a"],
  ["/log?q=long.txt", "main td.cmd a"],
  ["/kept", "main td a"],
  ["/conversations", "main td a"],
  ["/memory", 'main td a:text-is("forget")'],
  ["/trust", 'main td a:text-is("distrust")'],
];

describe.skipIf(!hasChromium)("text that others wrote", () => {
  it("is shown as text on every page, also as it comes live, and nothing in it runs", async () => {
    const here = box();
    await fillStore(here);
    const watching = await startWatching(here, ["--answer", "--manage"]);
    onTestFinished(() => watching.close());
    const reader = await openReader();
    onTestFinished(() => reader.close());
    const { page, complaints } = reader;
    let shown = 0;
    const look = async (where: string) => {
      expect(await page.evaluate("typeof owned"), where).toBe("undefined");
      expect(await page.locator("main img, main svg:not(.plot):not(.share), main a[href^='javascript:']").count(), where).toBe(0);
      if ((await page.locator("body").textContent())!.includes("onerror=")) shown += 1;
    };
    await enter(reader, watching);
    await page.locator("#link", { hasText: /^live$/ }).waitFor();
    scripted(here, [[calls("write", { path: NAME, content: HOSTILE })], [says("Done.")]]);
    const child = here.start(["run", "--wait-for-answer", HOSTILE]);
    child.stdin.end();
    const end = ended(child);
    await page.locator(".question").waitFor();
    await look("the question");
    expect(await page.locator(".question").textContent()).toContain("onerror=");
    expect(await findFaults(page)).toEqual([]);
    await page.getByLabel("Why not; the model reads it").fill(HOSTILE);
    const back = page.waitForResponse(`${watching.address}/`);
    await page.keyboard.press("Enter");
    await end;
    await back;
    await page.waitForLoadState();
    for (const path of PAGES) {
      await page.goto(watching.address + path);
      await look(path);
    }
    for (const [path, link] of BEHIND) {
      await page.goto(watching.address + path);
      await page.locator(link).first().click();
      await page.waitForURL((url) => url.href !== watching.address + path);
      await look(`behind ${path}`);
    }
    await page.goto(`${watching.address}/conversations`);
    await page.locator("main td a").first().click();
    await page.getByRole("link", { name: "A report to print" }).click();
    await page.waitForURL(/\/report\//);
    await look("the report");
    await page.goto(`${watching.address}/log?${new URLSearchParams({ q: HOSTILE, tool: HOSTILE, session: HOSTILE })}`);
    await look("a search");
    await page.goto(`${watching.address}/rules`);
    await page.locator("textarea").fill(HOSTILE);
    await page.getByRole("button", { name: "Try on the log" }).click();
    await page.locator("#problem").waitFor();
    await look("a rule");
    // It was there to be run: on all pages but those that have nothing of it.
    expect(shown).toBeGreaterThan(12);
    expect(complaints.filter((line) => !line.includes("status of 422"))).toEqual([]);
  });
});
