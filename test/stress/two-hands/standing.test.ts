import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Confirm, Question } from "../../../src/core/event.ts";
import { available, isRoot } from "../../sandbox/support.ts";
import { CANARY, makeWorld, type Opened, type World } from "./world.ts";

/** The walls of a command that runs, while Zeph itself changes what they hold. */

const TRIED = "tried";
/** Counts its attempts, so that a test can wait for some that began after something else. */
const PARTNER = `n=0
while [ ! -e stop ]; do
  for f in .envrc; do echo planted >> $f; done
  cat .env >> stolen
  n=$((n + 1)); echo $n > ${TRIED}
done 2>/dev/null
`;

const readIn = ({ work }: World, name: string): string => {
  try {
    return readFileSync(join(work, name), "utf8");
  } catch {
    return "";
  }
};
const attempts = (world: World) => Number(readIn(world, TRIED));

async function untilTriedAgain(world: World): Promise<void> {
  const before = attempts(world);
  await expect.poll(() => attempts(world)).toBeGreaterThan(before + 2);
}

/** A workspace with a frozen and a hidden file, and a command in the background that tries to get at both. */
async function openBeside(plant: (world: World) => void = () => {}, tools: object = {}): Promise<{ world: World; opened: Opened }> {
  const world = makeWorld();
  onTestFinished(world.remove);
  world.write(".envrc", "judged\n");
  world.write(".env", "old\n");
  world.write("partner.sh", PARTNER);
  plant(world);
  const opened = await world.open({ tools: { file: { deny_read: ["**/.env"] }, ...tools } });
  const outcome = await opened.inside.zeph.call("bash", { command: "bash partner.sh", background: true });
  expect(outcome).toMatchObject({ ok: true });
  expect(outcome).toMatchObject({ ok: true });
  await untilTriedAgain(world);
  return { world, opened };
}

const yes: Confirm = async () => ({ answer: "once" });

it.runIf(available).each([
  ["write", "a frozen file", ".envrc", { content: "theirs\n" }],
  ["edit", "a frozen file", ".envrc", { old_string: "judged", new_string: "theirs" }],
  ["write", "a hidden file", ".env", { content: `${CANARY}\n` }],
])("%s leaves the wall of a running command around %s", async (tool, _, path, args) => {
  const { world, opened } = await openBeside();
  const outcome = await opened.inside.zeph.callAny(tool, { path, ...args }, { confirm: yes });
  expect(outcome).toMatchObject({ ok: true });
  await untilTriedAgain(world);
  expect(readIn(world, path)).toBe("content" in args ? args.content : "theirs\n");
  expect(readIn(world, "stolen")).not.toContain(CANARY);
});

it.runIf(available && isRoot)("write as another user leaves the wall of a running command around a frozen file", async () => {
  const giveAway = (world: World) => {
    for (const folder of [world.base, world.top]) chmodSync(folder, 0o755);
    for (const folder of [world.work, world.home]) execFileSync("chown", ["-R", "nobody", folder]);
  };
  const { world, opened } = await openBeside(giveAway, { scope: { enabled: true, run_as_user: "nobody" } });
  const outcome = await opened.inside.zeph.callAny("write", { path: ".envrc", content: "theirs\n" }, { confirm: yes });
  expect(outcome).toMatchObject({ ok: true });
  await untilTriedAgain(world);
  expect(readIn(world, ".envrc")).toBe("theirs\n");
});

it.runIf(available)("a git command that may replace a frozen file does not run beside another command", async () => {
  const { world, opened } = await openBeside(({ work, write }) => {
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@localhost", ...args], { cwd: work, stdio: "ignore" });
    git("init", "-q", "-b", "main");
    git("add", "-A");
    git("commit", "-qm", "first");
    git("switch", "-qc", "other");
    write(".envrc", "agreed\n");
    git("commit", "-qam", "second");
    git("switch", "-q", "main");
  });
  const asked: Question[] = [];
  const confirm: Confirm = async (question) => {
    asked.push(question);
    return { answer: "once" };
  };
  const switchBranch = () => opened.inside.zeph.call("bash", { command: "git switch other" }, { confirm });
  const beside = await switchBranch();
  expect(JSON.stringify(beside)).toContain("Another command runs here");
  await untilTriedAgain(world);
  expect(readIn(world, ".envrc")).toBe("judged\n");
  world.write("stop", "");
  await expect.poll(async () => JSON.stringify(await switchBranch()), { timeout: 20_000 }).toContain("Switched to branch");
  expect(asked.length).toBeGreaterThan(1);
  expect(readIn(world, ".envrc")).toBe("agreed\n");
});
