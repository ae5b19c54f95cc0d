import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFaults } from "./find-faults.ts";
import { enter, hasChromium, openReader, type Reader, seededPlace, startWatching, type Watching } from "./watched.ts";

/** Where a page is, or the link that leads to it from there. */
const PAGES: Readonly<Record<string, readonly [path: string, ...links: string[]]>> = {
  Now: ["/"],
  "the log": ["/log"],
  "the log with filters": ["/log?outcome=denied&tool=bash&q=push"],
  "the log where nothing fits": ["/log?q=nobody+ever+said+this"],
  "a call that was refused": ["/log?outcome=denied&gate=policy", "main td.cmd a"],
  "a call that went through": ["/log?outcome=ok&tool=bash", "main td.cmd a"],
  rules: ["/rules"],
  "kept output": ["/kept"],
  "kept output with a word in it": ["/kept?q=request", "main td a"],
  conversations: ["/conversations"],
  "a conversation": ["/conversations", "main td a"],
  "the report of a conversation": ["/conversations", "main td a", "text=A report to print"],
};

describe.skipIf(!hasChromium)("in a browser that may answer", () => {
  let watching: Watching;
  let reader: Reader;
  beforeAll(async () => {
    watching = await startWatching(seededPlace(), ["--answer"]);
    reader = await openReader();
    await enter(reader, watching);
  });
  afterAll(async () => {
    await reader?.close();
    await watching?.close();
  });

  it.each(Object.keys(PAGES))("the page has no fault for people, in both themes, and says nothing to the console: %s", async (name) => {
    const { page, complaints } = reader;
    const [path, ...links] = PAGES[name]!;
    await page.goto(watching.address + path);
    for (const link of links) {
      const before = page.url();
      await page.locator(link).first().click();
      await page.waitForURL((url) => url.href !== before);
    }
    await page.locator("h1").waitFor();
    expect(await findFaults(page)).toEqual([]);
    expect(complaints.splice(0)).toEqual([]);
  });

  it.each([
    ["that change something", '[[tools.policy.rules]]\neffect = "deny"\ntool = "bash"\nargs_match = "git log"\n', 200],
    ["that are wrong", '[[tools.policy.rules]]\neffect = "perhaps"\n', 422],
  ] as const)("the page of tried rules has no fault: rules %s", async (_, toml, status) => {
    const { page, complaints } = reader;
    await page.goto(`${watching.address}/rules`);
    await page.getByLabel("Rules as they would stand").fill(toml);
    const answered = page.waitForResponse((response) => response.request().method() === "POST");
    await page.getByRole("button", { name: "Try on the log" }).click();
    expect((await answered).status()).toBe(status);
    await page.locator(status === 200 ? "#result" : "#problem").waitFor();
    expect(await findFaults(page)).toEqual([]);
    // A browser says so itself where an answer has the status of a failure.
    expect(complaints.splice(0).filter((line) => !line.includes("the server responded with a status of 422"))).toEqual([]);
  });
});
