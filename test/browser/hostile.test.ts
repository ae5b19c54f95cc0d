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

/** Everything that others can put into a store and a log: the model, a file. */
async function fillStore(here: Box): Promise<void> {
  here.write("long.txt", LONG);
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
    `[[tools.policy.rules]]\neffect = "deny"\ntool = "bash"\nargs_match = "sudo.*<img"\n`,
  );
  await here.runProcess(["run", "--yes", "--without-walls", HOSTILE]);
}

const PAGES = ["/log", "/rules", "/kept", "/kept?q=onerror", "/conversations"];
/** Pages that a link of a list leads to. */
const BEHIND: readonly (readonly [path: string, link: string])[] = [
  ["/log?q=sudo", "main td.cmd a"],
  ["/log?q=long.txt", "main td.cmd a"],
  ["/kept", "main td a"],
  ["/conversations", "main td a"],
];

describe.skipIf(!hasChromium)("text that others wrote", () => {
  it("is shown as text on every page, also as it comes live, and nothing in it runs", async () => {
    const here = box();
    await fillStore(here);
    const watching = await startWatching(here, ["--answer"]);
    onTestFinished(() => watching.close());
    const reader = await openReader();
    onTestFinished(() => reader.close());
    const { page, complaints } = reader;
    let shown = 0;
    const look = async (where: string) => {
      expect(await page.evaluate("typeof owned"), where).toBe("undefined");
      expect(await page.locator("main img, main svg, main a[href^='javascript:']").count(), where).toBe(0);
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
    // The answer leads back to the page, and another page is opened only after that has come.
    const back = page.waitForEvent("load");
    await page.keyboard.press("Enter");
    await end;
    await back;
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
    expect(shown).toBeGreaterThan(7);
    expect(complaints.filter((line) => !line.includes("status of 422"))).toEqual([]);
  });
});
