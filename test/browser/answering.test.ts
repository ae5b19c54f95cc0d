import { existsSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContextOptions } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { calls, says, scripted } from "../e2e/scripted.ts";
import { type Box, box, ended } from "../e2e/zeph.ts";
import { findFaults } from "./find-faults.ts";
import { enter, hasChromium, openReader, readLog, startWatching } from "./watched.ts";

const WRITE = calls("write", { path: "new.txt", content: "hello\n" });
const isWritten = (here: Box) => existsSync(join(here.cwd, "new.txt"));
const logOf = (here: Box) => readLog(here.env);

/** A page that is open, and a process in which an agent asks while it is. */
async function asking(rights: readonly string[] = ["--answer"], options: BrowserContextOptions = {}) {
  const here = scripted(box(), [[WRITE], [says("Done.")]]);
  const watching = await startWatching(here, rights);
  onTestFinished(() => watching.close());
  const reader = await openReader(options);
  onTestFinished(() => reader.close());
  if (options.javaScriptEnabled === false) {
    await reader.page.goto(`${watching.address}/`);
    await reader.page.getByLabel("Code").fill(watching.code);
    await reader.page.getByRole("button", { name: "Enter" }).click();
    await reader.page.getByRole("heading", { level: 1, name: "Now" }).waitFor();
  } else {
    await enter(reader, watching);
    await reader.page.locator("#link", { hasText: /^live$/ }).waitFor();
  }
  const child = here.start(["run", "--wait-for-answer", "Write it down"]);
  child.stdin.end();
  return { here, watching, ...reader, end: ended(child), card: reader.page.locator(".question") };
}

describe.skipIf(!hasChromium)("an agent that waits for an answer, and a page in a browser", () => {
  it("shows the question by itself, takes the answer, and both sides say who gave it", async () => {
    const { here, page, card, end, complaints } = await asking();
    await card.waitFor();
    expect(await page.title()).toMatch(/^\(1\) /);
    expect(await card.textContent()).toMatch(/write needs a yes[\s\S]*new\.txt[\s\S]*the first answer counts/);
    expect(await findFaults(page)).toEqual([]);
    expect(isWritten(here)).toBe(false);
    await card.getByRole("button", { name: "Once" }).click();
    const { code, stdout, stderr } = await end;
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
    expect(stderr).toMatch(/answered in zeph watch by \S+: once/);
    expect(isWritten(here)).toBe(true);
    // The first row of an empty page, and the card is gone.
    await page.locator("#live tbody tr", { hasText: "new.txt" }).waitFor();
    await card.waitFor({ state: "detached" });
    const log = logOf(here);
    const notes: readonly string[] = log.flatMap(({ note }) => note ?? []);
    const by = notes.map((note) => /^the page of zeph watch was opened by (.+)$/.exec(note)?.[1]).find((name) => name !== undefined);
    expect(log.findLast(({ kind }) => kind === "call")).toMatchObject({ tool: "write", outcome: "ok", approved_by: by });
    expect(notes).toContainEqual(expect.stringMatching(new RegExp(`^${by} answers call .* on the page of zeph watch: once$`)));
    expect(complaints).toEqual([]);
  });

  it("asks again before a rule is written, shows it whole, and hands a reason for no to the model", async () => {
    const { here, page, card, end, complaints } = await asking();
    await card.waitFor();
    await card.getByRole("button", { name: "Always…" }).click();
    await page.getByRole("heading", { level: 1, name: "Always?" }).waitFor();
    expect(await page.getByLabel("The rule").textContent()).toContain("new.txt");
    expect(await findFaults(page)).toEqual([]);
    expect(isWritten(here)).toBe(false);
    await page.getByRole("link", { name: "Back" }).click();
    await card.getByLabel("Why not; the model reads it").fill("not before Thursday");
    // Enter in the line of a no says no.
    await page.keyboard.press("Enter");
    expect((await end).stderr).toMatch(/answered in zeph watch by \S+: no/);
    expect(isWritten(here)).toBe(false);
    expect(logOf(here).findLast(({ kind }) => kind === "call")).toMatchObject({ outcome: "denied" });
    expect(complaints).toEqual([]);
  });

  it("takes no key for an answer", async () => {
    const { here, page, card, watching } = await asking();
    await card.waitFor();
    const posts: string[] = [];
    page.on("request", (request) => request.method() === "POST" && posts.push(request.url()));
    for (const key of ["y", "a", "o", "1", "Enter", "Space", "Y", "Escape"]) await page.keyboard.press(key);
    expect(page.url()).toBe(`${watching.address}/`);
    expect(await card.count()).toBe(1);
    expect(posts).toEqual([]);
    expect(isWritten(here)).toBe(false);
  });

  it("offers no button to those who only read, and closes a card that was answered elsewhere", async () => {
    const { here, card, end } = await asking([]);
    await card.waitFor();
    expect(await card.getByRole("button").count()).toBe(0);
    await card.getByText("zeph watch --answer").waitFor();
    const open = JSON.parse((await here.runProcess(["answer", "--json"])).stdout) as { call_id: string }[];
    await here.runProcess(["answer", open[0]!.call_id, "once", "--by", "maria"]);
    await card.waitFor({ state: "detached" });
    expect((await end).stderr).toContain("answered in zeph answer by maria: once");
  });

  it("is answered by a form where scripts are off", async () => {
    const { here, page, card, end } = await asking(["--answer"], { javaScriptEnabled: false });
    await expect
      .poll(async () => {
        await page.reload();
        return card.count();
      })
      .toBe(1);
    await card.getByRole("button", { name: "Once" }).click();
    expect((await end).code).toBe(0);
    expect(isWritten(here)).toBe(true);
    await page.getByRole("heading", { level: 1, name: "Now" }).waitFor();
  });
});
