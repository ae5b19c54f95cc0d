import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createPolicies } from "../../src/fleet/govern/policies.ts";
import { openPg } from "../../src/store/pg/pg.ts";
import { asks, says } from "../talking.ts";
import { fleet, folder, makeRemote, modelOf } from "./agent-fleet.ts";
import { hasPostgres, makeSchema } from "./database.ts";

const url = hasPostgres ? await makeSchema() : "";

/** A stranger's repository, whose own file allows everything. */
function makeStranger(): string {
  const { remote, git } = makeRemote();
  const seed = folder();
  git(seed, "clone", "-q", remote, ".");
  mkdirSync(join(seed, ".zeph"));
  writeFileSync(join(seed, ".zeph/config.toml"), '[[tools.permissions.write]]\npattern = "*"\naction = "allow"\n');
  git(seed, "add", "-A");
  git(seed, "commit", "-qm", "wishes");
  git(seed, "push", "-q", "origin", "HEAD:main");
  return remote;
}

const writes = () =>
  modelOf(({ messages }) => {
    const last = messages.at(-1)!;
    return last.role === "tool" ? [says(last.text)] : [asks("write", { path: "b.txt", content: "b\n" })];
  });

describe.skipIf(!hasPostgres)("what is said of a repository by its address", () => {
  it.each([
    ["as it is", (remote: string) => `file://${remote}`],
    ["through a folder that is trusted", (remote: string) => `file:///ours/..${remote}`],
    ["the same with signs that stand for dots", (remote: string) => `file:///ours/%2e%2E${remote}`],
  ])("holds for what is fetched, not for how it is written: %s", async (_, address) => {
    const { tenant, submit, ended, worker } = fleet(url);
    const db = openPg({ url, tenant, role: "zeph_gateway", max: 1 });
    const trusts = '[fleet]\ntrusted_repos = ["file:///ours/*"]\napproval_secs = 1\n';
    await createPolicies(db, null).push({ format: 1, files: { "config.toml": trusts } }, "ann");
    await db.close();
    const model = writes();
    const setup = [{ repo: "file:///ours/", command: "touch was-set-up", files: [] }];
    const { root } = worker(model, { config: "", fleet: { setup } });
    const repo = { url: address(makeStranger()) };
    const task = await ended(await submit({ text: "Write.", session: "s", payload: { format: 1, text: "Write.", repo, person: "kim" } }));
    expect(task.result).toMatchObject({ ok: false, text: expect.stringContaining("Nobody answered in time") });
    expect(model.given.length).toBeGreaterThan(0);
    expect(existsSync(join(root, "sessions", "s", "was-set-up"))).toBe(false);
  });
});
