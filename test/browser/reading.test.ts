import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jsonLines } from "../e2e/zeph.ts";
import { enter, hasChromium, openReader, type Reader, seededPlace, startWatching, type Watching } from "./watched.ts";

const PUSH = '[[tools.policy.rules]]\neffect = "deny"\ntool = "bash"\nargs_match = "git (log|diff|status)"\n';

describe.skipIf(!hasChromium)("a person who reads the pages of zeph watch", () => {
  let watching: Watching;
  let reader: Reader;
  const open = (path: string) => reader.page.goto(watching.address + path);
  const heading = (name: string | RegExp) => reader.page.getByRole("heading", { level: 1, name }).waitFor();
  /** Its script has run, so keys are taken. */
  const ready = async (name: string) => {
    await heading(name);
    await reader.page.locator("#theme").waitFor();
  };
  const shownPath = () => reader.page.url().slice(watching.address.length);
  beforeAll(async () => {
    watching = await startWatching(seededPlace());
    reader = await openReader({ acceptDownloads: true });
    await enter(reader, watching);
  });
  afterAll(async () => {
    await reader?.close();
    await watching?.close();
  });

  it("sees on Now what was done, what was refused, and that the page is live", async () => {
    const { page } = reader;
    await open("/");
    await page.locator("#link", { hasText: /^live$/ }).waitFor();
    expect(await page.locator("#live tbody tr").count()).toBe(14);
    await page.getByText("No agent runs now.").waitFor();
    expect(await page.locator("header").textContent()).toMatch(/autonomy supervised/);
    await page.getByRole("link", { name: "refused" }).first().click();
    await heading("Log");
    expect(shownPath()).toBe("/log?outcome=denied");
  });

  it("keeps filters in the address, and gets what is shown as a file", async () => {
    const { page } = reader;
    await open("/log");
    await page.getByLabel("tool").selectOption("bash");
    await page.getByLabel("Search in the log").fill("--force");
    await page.getByRole("button", { name: "Show" }).click();
    await page.waitForURL(/tool=bash/);
    expect(new URL(page.url()).searchParams.get("q")).toBe("--force");
    const rows = await page.locator("main tbody tr").count();
    expect(rows).toBeGreaterThan(0);
    expect(await page.locator("main tbody td.cmd").allTextContents()).toEqual(
      expect.arrayContaining([expect.stringContaining("git push origin main --force")]),
    );
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: /JSON/ }).click();
    const lines = jsonLines(await text(await (await download).createReadStream()));
    expect(lines).toHaveLength(rows);
    expect(lines.every(({ tool }) => tool === "bash")).toBe(true);
    await page.reload();
    expect(await page.locator("main tbody tr").count()).toBe(rows);
  });

  it("reads about one call what was decided, by which gate, and what stands in the log", async () => {
    const { page } = reader;
    await open("/log?outcome=denied&gate=policy");
    await page.locator("main td.cmd a", { hasText: "--force" }).first().click();
    await heading(/^bash denied/);
    expect(await page.locator("pre.command").textContent()).toBe("git push origin main --force");
    const gates = page.locator(".gates li");
    expect(await gates.count()).toBeGreaterThan(3);
    await gates.filter({ hasText: "policy" }).filter({ hasText: "deny" }).first().waitFor();
    expect(await page.locator("details[open] pre").last().textContent()).toContain('"gate": "policy"');
  });

  it("tries a rule on past calls, gets it to copy, and nothing is written", async () => {
    const { page } = reader;
    const config = join(seededPlace().env.XDG_CONFIG_HOME!, "zeph", "config.toml");
    const before = readFileSync(config, "utf8");
    await open("/rules");
    await page.getByLabel("Rules as they would stand").fill(PUSH);
    await page.getByRole("button", { name: "Try on the log" }).click();
    await page.locator("#result", { hasText: /would have been decided otherwise/ }).waitFor();
    const row = page.locator("main tbody tr", { hasText: "git" }).first();
    expect(await row.locator(".tag").allTextContents()).toEqual(["allow", "deny"]);
    expect(await page.getByLabel("The rules to copy").textContent()).toBe(PUSH);
    expect(await page.getByLabel("Rules as they would stand").inputValue()).toBe(PUSH);
    expect(readFileSync(config, "utf8")).toBe(before);
  });

  it("finds a word in kept output, and the place of it in the text", async () => {
    const { page } = reader;
    await open("/kept");
    await page.keyboard.press("/");
    await page.keyboard.type("request 399");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=request/);
    await page.locator("main td a").first().click();
    await heading(/^Kept output/);
    expect(await page.locator("mark").first().textContent()).toBe("request 399");
  });

  it("reads a conversation with its calls folded, and prints its report", async () => {
    const { page } = reader;
    await open("/kept");
    await page.locator("main .choices a", { hasText: "Conversations" }).click();
    await heading("Conversations");
    await page.locator("main td a").first().click();
    await page.locator(".transcript").waitFor();
    const call = page.locator("details.call").first();
    expect(await call.locator("pre").first().isVisible()).toBe(false);
    await call.locator("summary").click();
    await call.locator("pre").first().waitFor();
    await page.getByRole("link", { name: "A report to print" }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(shownPath()).toMatch(/^\/report\//);
    await page.emulateMedia({ media: "print" });
    expect(Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth"))).toBeLessThanOrEqual(0);
    const printed = await page.pdf({ format: "A4" });
    expect(printed.subarray(0, 5).toString()).toBe("%PDF-");
    await page.emulateMedia({ media: "screen" });
  });

  it("goes from page to page by keys, and walks rows", async () => {
    const { page } = reader;
    await open("/conversations");
    for (const [key, title] of Object.entries({ l: "Log", r: "Rules", k: "Kept output", n: "Now" })) {
      await page.keyboard.press(key);
      await ready(title);
    }
    await page.keyboard.press("t");
    expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
    await page.keyboard.press("l");
    await ready("Log");
    expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
    await page.keyboard.press("t");
    for (const key of ["ArrowDown", "ArrowDown", "ArrowUp", "ArrowDown"]) await page.keyboard.press(key);
    const second = page.locator("main td a").nth(1);
    const to = await second.getAttribute("href");
    expect(await page.evaluate("document.activeElement.getAttribute('href')")).toBe(to);
    await page.keyboard.press("Enter");
    await page.waitForURL(watching.address + to);
    // Letters that are typed into a field are text.
    await open("/log");
    await page.keyboard.press("/");
    await page.keyboard.type("nlrkt");
    expect(await page.getByLabel("Search in the log").inputValue()).toBe("nlrkt");
    expect(shownPath()).toBe("/log");
  });

  it("is told nothing by the browser's console on the way", () => {
    expect(reader.complaints).toEqual([]);
  });
});
