import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, test } from "vitest";
import type { ConfigInput } from "../src/core/inputs/config-input.ts";
import { createRuntime, type Zeph } from "../src/index.ts";
import { BIN, box } from "./e2e/zeph.ts";

const isRoot = process.getuid?.() === 0;
const NOBODY = isRoot ? accountOf("nobody") : { uid: 0, gid: 0 };

function accountOf(name: string): { uid: number; gid: number } {
  const [, , uid, gid] = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .find(([first]) => first === name)!;
  return { uid: Number(uid), gid: Number(gid) };
}

/** A workspace that belongs to nobody, in a folder that everybody may enter. */
function place() {
  const base = mkdtempSync("/tmp/zeph-scope-");
  chmodSync(base, 0o755);
  const work = join(base, "work");
  mkdirSync(work);
  chownSync(work, NOBODY.uid, NOBODY.gid);
  writeFileSync(join(work, "open.txt"), "for everybody: needle\n");
  writeFileSync(join(work, "private.txt"), "for root: needle\n", { mode: 0o600 });
  mkdirSync(join(work, "shut"), { mode: 0o700 });
  writeFileSync(join(work, "shut", "inside.txt"), "for root: needle\n");
  return { base, work, audit: join(base, "state", "audit.jsonl") };
}

const opened: { zeph: Zeph; base: string }[] = [];
afterEach(async () => {
  for (const { zeph, base } of opened.splice(0)) {
    await zeph.close();
    rmSync(base, { recursive: true, force: true });
  }
});

async function open(more: object = {}) {
  const here = place();
  const config = { autonomy: "full", audit: { path: here.audit }, tools: { scope: { enabled: true, run_as_user: "nobody", ...more } } };
  const zeph = await createRuntime({ cwd: here.work, store: "memory", config: config as ConfigInput });
  opened.push({ zeph, base: here.base });
  const lines = () =>
    readFileSync(here.audit, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { ...here, zeph, lines };
}

/** The helper processes of this process. */
const helpers = (parent = process.pid): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const isOurs =
          readFileSync(`/proc/${pid}/stat`, "utf8")
            .replace(/^.*\) /, "")
            .split(" ")[1] === String(parent);
        return isOurs && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("files-child.js");
      } catch {
        return false;
      }
    });

describe.runIf(isRoot)("file tools under another user", () => {
  it("may read and write what that user may, and what they make is that user's", async () => {
    const { zeph, work } = await open();
    const said = async (tool: string, args: object) => {
      const outcome = await zeph.call(tool, args);
      return outcome.ok ? outcome.output!.text : outcome.error.message;
    };
    expect(await said("read", { path: "open.txt" })).toContain("for everybody");
    expect(await said("read", { path: "private.txt" })).toContain("EACCES");
    expect(await said("list_directory", { path: "shut" })).toContain("EACCES");
    expect(await said("edit", { path: "open.txt", old_string: "needle", new_string: "pin" })).toContain("EACCES");
    expect(await said("write", { path: "private.txt", content: "mine" })).toContain("EACCES");
    expect(await said("write", { path: "new/file.txt", content: "x" })).toContain("Created");
    expect(await said("edit", { path: "new/file.txt", old_string: "x", new_string: "y" })).toContain("Edited");
    expect(await said("create_directory", { path: "made" })).toContain("made");
    expect(await said("copy_path", { source: "open.txt", destination: "copy.txt" })).toContain("Copied");
    expect(await said("copy_path", { source: "private.txt", destination: "stolen.txt" })).not.toContain("Copied");
    expect(await said("move_path", { source: "copy.txt", destination: "moved.txt" })).toContain("Moved");
    for (const made of ["new", "new/file.txt", "made", "moved.txt"]) expect(statSync(join(work, made))).toMatchObject(NOBODY);
    expect(await said("delete_path", { path: "shut/inside.txt" })).not.toContain("Deleted");
    expect(existsSync(join(work, "shut", "inside.txt"))).toBe(true);
    expect(await said("read", { path: "/etc/hostname" })).toMatch(/outside|allowed/);
  });

  it("search only what that user may read", async () => {
    const { zeph } = await open();
    const found = await zeph.call("grep", { pattern: "needle" });
    expect(found.output!.text).toContain("open.txt");
    expect(found.output!.text).not.toMatch(/private|inside/);
    expect((await zeph.call("find_path", { path: ".", pattern: "**/*.txt" })).output!.text).not.toContain("inside");
  });

  it("refuse an edit of a file that changed since it was read, as they do without another user", async () => {
    const { zeph, work } = await open();
    await zeph.call("read", { path: "open.txt" });
    writeFileSync(join(work, "open.txt"), "somebody else's words and more: needle\n");
    const outcome = await zeph.call("edit", { path: "open.txt", old_string: "needle", new_string: "pin" });
    expect(outcome).toMatchObject({ ok: false, error: { message: expect.stringContaining("changed") } });
  });

  it("come back after their process was killed, and can be cancelled", async () => {
    const { zeph } = await open();
    await zeph.call("read", { path: "open.txt" });
    const [first] = helpers();
    expect(readFileSync(`/proc/${first}/status`, "utf8")).toMatch(new RegExp(`Uid:\\t${NOBODY.uid}\\t${NOBODY.uid}\\t${NOBODY.uid}`));
    process.kill(first!, "SIGKILL");
    await expect.poll(() => helpers()).toEqual([]);
    expect((await zeph.call("read", { path: "private.txt" })).ok).toBe(false);
    expect((await zeph.call("read", { path: "open.txt", limit: 1 })).ok).toBe(true);
    const stop = new AbortController();
    stop.abort();
    expect((await zeph.call("grep", { pattern: "x" }, { signal: stop.signal })).ok).toBe(false);
  });

  it("are gone when the runtime is closed", async () => {
    const { zeph } = await open();
    await zeph.call("read", { path: "open.txt" });
    expect(helpers()).toHaveLength(1);
    await zeph.close();
    await expect.poll(() => helpers()).toEqual([]);
  });

  it("are named in the audit log with the user they ran as, and so is what Zeph did itself", async () => {
    const { zeph, lines } = await open();
    await zeph.call("read", { path: "open.txt" });
    await zeph.call("bash", { command: "id -un" });
    await zeph.call("memory_search", { query: "x" });
    const users = Object.fromEntries(
      lines()
        .filter(({ kind }) => kind === "call")
        .map(({ tool, user }) => [tool, user]),
    );
    expect(users).toMatchObject({ read: "nobody", bash: "nobody", memory_search: "root" });
  });

  it("a helper ends with the process it belongs to, even when that is killed", async () => {
    const here = box();
    const { base, work } = place();
    here.config('autonomy = "full"\n[tools.scope]\nenabled = true\nrun_as_user = "nobody"\n');
    const child = here.start(["mcp", "--workspace", work]);
    const call = (id: number, method: string, params: object) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    call(0, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } });
    call(1, "tools/call", { name: "read", arguments: { path: join(work, "open.txt") } });
    await expect.poll(() => helpers(child.pid!).length).toBe(1);
    const [pid] = helpers(child.pid!);
    child.kill("SIGKILL");
    await expect.poll(() => existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "").toBe(false);
    rmSync(base, { recursive: true, force: true });
  });
});

test.runIf(isRoot)("reads are noted before they are carried out, unless audit_all_invocations is off", async () => {
  const all = await open();
  await all.zeph.call("read", { path: "open.txt" });
  expect(all.lines().map(({ kind, tool }) => [kind, tool])).toEqual([
    ["intent", "read"],
    ["call", "read"],
  ]);
  const some = await open({ audit_all_invocations: false });
  await some.zeph.call("read", { path: "open.txt" });
  expect(some.lines().map(({ kind }) => kind)).toEqual(["call"]);
});

describe("a user that cannot be", () => {
  const wrong: [string, RegExp][] = [["no-such-user-here", /there is no user "no-such-user-here"/]];
  if (!isRoot) wrong.push(["root", /needs root/]);
  test.each(wrong)("%s is a mistake in the configuration: exit code 2, with words", async (user, words) => {
    const here = box();
    here.config(`[tools.scope]\nenabled = true\nrun_as_user = "${user}"\n`);
    here.write("a.txt", "x");
    const { code, stderr } = await here.run(["call", "read", '{"path":"a.txt"}']);
    expect(code).toBe(2);
    expect(stderr).toMatch(words);
    expect(stderr).not.toContain("mistake in Zeph itself");
  });

  test.runIf(isRoot)(
    "is nobody else where it is the user who starts Zeph: the walls stay",
    async () => {
      const here = place();
      const own = join(here.base, "own");
      for (const folder of [own, join(own, "zeph")]) {
        mkdirSync(folder);
        chownSync(folder, NOBODY.uid, NOBODY.gid);
      }
      const asNobody = (user: string) => {
        writeFileSync(join(own, "zeph", "config.toml"), `[tools.scope]\nenabled = true\nrun_as_user = "${user}"\n`);
        const env = { PATH: process.env.PATH, HOME: own, XDG_CONFIG_HOME: own, XDG_STATE_HOME: own, XDG_DATA_HOME: own };
        const args = [BIN, "call", "bash", '{"command":"id -u; echo $HOME"}', "--yes", "--json"];
        return spawnSync(process.execPath, args, { cwd: here.work, uid: NOBODY.uid, gid: NOBODY.gid, env, encoding: "utf8" });
      };
      const [plain, named] = ["", "nobody"].map((user) => JSON.parse(asNobody(user).stdout));
      expect(named).toMatchObject({ ok: plain.ok, sandbox: plain.sandbox });
      expect(named.stdout.split("\n")[0]).toBe(String(NOBODY.uid));
      const refused = asNobody("daemon");
      expect([refused.status, refused.stderr]).toEqual([2, expect.stringMatching(/needs root.*does not use sudo/)]);
      rmSync(here.base, { recursive: true, force: true });
      // Four processes of the built command start one after the other.
    },
    90_000,
  );

  test.runIf(isRoot)("is nobody else where root names root", async () => {
    const here = box();
    const ran = async (user: string) => {
      here.config(`[tools.scope]\nenabled = true\nrun_as_user = "${user}"\n`);
      const { stdout } = await here.run(["call", "bash", '{"command":"id -u"}', "--yes", "--json"]);
      return JSON.parse(stdout);
    };
    const [plain, named] = [await ran(""), await ran("root")];
    expect(named).toMatchObject({ ok: plain.ok, stdout: plain.stdout, sandbox: plain.sandbox });
  });

  test.runIf(isRoot && existsSync("/usr/bin/setpriv"))("needs the right to change users", async () => {
    const here = box();
    here.config('[tools.scope]\nenabled = true\nrun_as_user = "nobody"\n');
    const args = ["--bounding-set=-setuid,-setgid", process.execPath, BIN, "call", "list_directory", "{}"];
    const { status, stderr } = spawnSync("/usr/bin/setpriv", args, {
      cwd: here.cwd,
      env: here.env,
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([2, expect.stringMatching(/CAP_SETUID and CAP_SETGID/)]);
  });

  test("without enabled it has no effect, and a warning says so", async () => {
    const here = box();
    here.config('[tools.scope]\nrun_as_user = "nobody"\n');
    here.write("a.txt", "x");
    const { code, stderr } = await here.run(["call", "read", '{"path":"a.txt"}']);
    expect(code).toBe(0);
    expect(stderr).toContain("tools.scope.run_as_user has no effect");
  });
});
