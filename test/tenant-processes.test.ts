import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isAlive } from "../src/files/process.ts";
import { openTenantProcesses, type TenantProcessesOptions } from "../src/fleet/tenant/tenant-processes.ts";

const isRoot = process.getuid?.() === 0;
const CHILD = [process.execPath, resolve("test/fleet/tenant-child.mjs")];

function start(options: Partial<TenantProcessesOptions> = {}) {
  const root = mkdtempSync(join(tmpdir(), "zeph-tenants-"));
  const warned: string[] = [];
  const processes = openTenantProcesses({
    command: CHILD,
    environment: { PATH: process.env.PATH, HOME: "/home/worker", ZEPH_STORE: "postgres://x", ACME_KEY: "a", OTHER_KEY: "o" },
    name: "w",
    root,
    slots: 8,
    tenants: {},
    warn: (words) => warned.push(words),
    ...options,
  });
  onTestFinished(async () => {
    await processes.close();
    rmSync(root, { recursive: true, force: true });
  });
  const of = async (tenant: string) => {
    const file = join(root, tenant, "child.json");
    await expect.poll(() => existsSync(file)).toBe(true);
    return JSON.parse(readFileSync(file, "utf8"));
  };
  return { processes, root, warned, of };
}

describe("the processes of a worker", () => {
  it("are one for each tenant that has work, with folders, records and a name of its own", async () => {
    const { processes, root, of } = start();
    processes.look(["acme", "globex"]);
    processes.look(["acme"]);
    const [acme, globex] = [await of("acme"), await of("globex")];
    expect(acme.pid).not.toBe(globex.pid);
    expect(acme.words).toEqual(["--tenant", "acme", "--name", "w.acme", "--workspaces", join(root, "acme")]);
    expect(acme.env).toMatchObject({ XDG_STATE_HOME: join(root, ".state", "acme"), HOME: "/home/worker", ZEPH_STORE: "postgres://x" });
    expect(globex.env.XDG_STATE_HOME).toBe(join(root, ".state", "globex"));
    expect(statSync(join(root, "acme")).mode & 0o777).toBe(0o700);
    await processes.close();
    expect([isAlive(acme.pid), isAlive(globex.pid)]).toEqual([false, false]);
  });

  it("share the slots, and have one at least", async () => {
    const { processes, of } = start({ slots: 3 });
    processes.look(["a"]);
    await expect.poll(async () => (await of("a")).told.at(-1)).toBe(3);
    processes.look(["a", "b", "c", "d"]);
    for (const tenant of ["a", "b", "c", "d"]) await expect.poll(async () => (await of(tenant)).told.at(-1)).toBe(1);
  });

  it("get of the worker's environment what their entry names, and the configuration it names", async () => {
    const { processes, of } = start({ tenants: { acme: { env: ["ACME_KEY"], config: "/etc/acme.toml" } } });
    processes.look(["acme", "globex"]);
    const { env, words } = await of("acme");
    expect(env).toMatchObject({ ACME_KEY: "a", ZEPH_STORE: "postgres://x" });
    expect(env).not.toHaveProperty("OTHER_KEY");
    expect(words.slice(-2)).toEqual(["--config", "/etc/acme.toml"]);
    expect((await of("globex")).env).toMatchObject({ ACME_KEY: "a", OTHER_KEY: "o" });
  });

  it("end when they have had nothing to do for a while, and not while they work", async () => {
    const idle = start({ idleMs: 1 });
    idle.processes.look(["acme"]);
    const { pid } = await idle.of("acme");
    const isThere = () => {
      idle.processes.look([]);
      return isAlive(pid);
    };
    await expect.poll(isThere).toBe(false);
    const busy = start({ idleMs: 1, command: [...CHILD, "--busy"] });
    busy.processes.look(["acme"]);
    // It has said that it works, for it was told how much it may take.
    await expect.poll(async () => (await busy.of("acme")).told.length).toBeGreaterThan(0);
    busy.processes.look([]);
    // It is still there to share with another.
    busy.processes.look(["other"]);
    await expect.poll(async () => (await busy.of("other")).told.at(-1)).toBe(4);
    expect((await busy.of("acme")).told.at(-1)).toBe(4);
  });

  it("are spoken of when they end by themselves, or cannot be started", async () => {
    const failing = start({ command: [process.execPath, "-e", "process.exit(3)", "--"] });
    failing.processes.look(["acme"]);
    await expect.poll(() => failing.warned).toEqual(["The process of tenant acme ended: code 3."]);
    const unknown = start({ tenants: { acme: { user: "nobody-has-this-name" } } });
    unknown.processes.look(["acme"]);
    expect(unknown.warned).toEqual([expect.stringMatching(/^The process of tenant acme cannot be started: .*(?:no user|only root)/)]);
  });

  it.skipIf(!isRoot)("are those of a system user where one is named, who has nothing of the worker's", async () => {
    for (let above = tmpdir(); above !== "/tmp" && above !== "/"; above = dirname(above)) {
      const { mode } = statSync(above);
      chmodSync(above, mode | 0o011);
      onTestFinished(() => chmodSync(above, mode));
    }
    const { processes, root, of } = start({ tenants: { acme: { user: "nobody" } } });
    processes.look(["acme"]);
    const { uid, groups, env } = await of("acme");
    expect(uid).not.toBe(0);
    expect(groups).not.toContain(0);
    expect(env).toMatchObject({ USER: "nobody" });
    for (const path of [join(root, "acme"), join(root, ".state", "acme")]) expect(statSync(path).uid).toBe(uid);
  });
});
