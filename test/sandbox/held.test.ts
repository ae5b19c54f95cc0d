import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { available, inside } from "./support.ts";

test.runIf(available)("a folder exchanged while the walls were built is found out before the command runs", async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-held-walls-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const cwd = join(base, "work");
  mkdirSync(cwd);
  const { dev, ino } = statSync(cwd, { bigint: true });
  const who = { home: join(base, "home"), template: cwd, user: undefined } as unknown as Parameters<typeof inside>[1];
  const run = (mark: string) =>
    inside(cwd, who, "echo ran; touch here", { change: (policy) => ({ ...policy, held: { path: cwd, mark } }) });
  const refused = await run(`${dev}:${ino + 1n}`).then(
    ({ out }) => out,
    ({ message }: Error) => message,
  );
  expect([refused, readdirSync(cwd)]).toEqual([expect.stringMatching(/no longer (?:the folder|what) it was/), []]);
  expect((await run(`${dev}:${ino}`)).out).toContain("ran");
  expect(readdirSync(cwd)).toEqual(["here"]);
});
