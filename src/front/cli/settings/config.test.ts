import { chmodSync, existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type Scratch, scratch } from "../../../../test/scratch.ts";
import { trustedBy } from "../../../config/paths.ts";
import type { TrustRecords } from "../../../core/ports/store.ts";
import type { Io } from "../io.ts";
import { runConfig } from "./config.ts";
import { runInit } from "./init.ts";
import { runMigrate } from "./migrate.ts";
import { runTrust } from "./trust.ts";

/** A store of trust that lives as long as the test. */
function records(): TrustRecords {
  const kept = new Map<string, string>();
  return {
    get: (subject) => kept.get(subject) ?? null,
    set: async (subject, hash) => void kept.set(subject, hash),
    remove: async (subject) => kept.delete(subject),
    list: async () => [...kept].map(([subject, hash]) => ({ subject, hash, since: 0 })),
  };
}

async function run(world: Scratch, command: (io: Io) => Promise<number>, env: Io["env"] = {}) {
  const written = { out: "", err: "" };
  const { cwd, home } = world;
  const io: Io = {
    stdout: { write: (text) => Object.assign(written, { out: written.out + text }) },
    stderr: { write: (text) => Object.assign(written, { err: written.err + text }) },
    cwd,
    home,
    env,
  };
  return { code: await command(io), ...written };
}

test("config explain prints a key with its value and origin", async () => {
  const world = scratch();
  const trust = records();
  world.user("[tools.retry]\nmax_attempts = 3\n");
  const shown = await run(world, (io) => runConfig(["explain", "tools.retry.max_attempts"], io, trust));
  expect(shown).toMatchObject({ code: 0, err: "" });
  expect(shown.out).toContain(`set by     ${world.userFile}:2`);
  const one = await run(world, (io) => runConfig(["explain", "tools.max_tool_calls_per_session", "--json"], io, trust));
  expect(JSON.parse(one.out)).toMatchObject({ key: "tools.max_tool_calls_per_session", value: null, default: null });
  const group = await run(world, (io) => runConfig(["explain", "tools.retry", "--json", "--set", "tools.retry.max_attempts=1"], io, trust));
  expect(JSON.parse(group.out)[0]).toMatchObject({ value: 1, origin: { layer: "flag" } });
  expect(await run(world, (io) => runConfig(["explain", "tools.rety"], io, trust))).toEqual({
    code: 2,
    out: "",
    err: '"tools.rety" is not a setting. Did you mean "tools.retry"?\n',
  });
});

test("config path and schema print what they are called", async () => {
  const world = scratch();
  const trust = records();
  expect((await run(world, (io) => runConfig(["path"], io, trust))).out).toBe(
    `user     ${world.userFile} (does not exist; \`zeph init\` writes it)\nproject  none\n`,
  );
  world.user("");
  world.project("");
  expect(JSON.parse((await run(world, (io) => runConfig(["path", "--json"], io, trust))).out)).toEqual({
    user: { file: world.userFile, exists: true },
    project: { file: world.projectFile, folder: world.cwd, trusted: false },
  });
  expect(JSON.parse((await run(world, (io) => runConfig(["schema"], io, trust))).out)).toMatchObject({ title: "Zeph configuration" });
});

test.each([[[]], [["nonsense"]], [["explain", "a", "b"]], [["path", "--nope"]]])("config %j is a usage error", async (args) => {
  const { code, err, out } = await run(scratch(), (io) => runConfig(args, io, records()));
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain("Usage: zeph config explain");
});

test("init writes the user's file, private, and leaves an existing one alone", async () => {
  const world = scratch();
  expect(await run(world, (io) => runInit([], io))).toMatchObject({ code: 0, out: expect.stringContaining(`Wrote ${world.userFile}\n`) });
  expect([statSync(world.userFile).mode & 0o777, statSync(dirname(world.userFile)).mode & 0o777]).toEqual([0o600, 0o700]);
  world.user("# mine\n");
  expect(await run(world, (io) => runInit([], io))).toMatchObject({ code: 2, err: expect.stringContaining("zeph init --force") });
  expect(readFileSync(world.userFile, "utf8")).toBe("# mine\n");
  expect(await run(world, (io) => runInit(["--force"], io))).toMatchObject({ code: 0 });
  expect(readFileSync(`${world.userFile}.bak`, "utf8")).toBe("# mine\n");
  expect(world.load().config.autonomy).toBe("supervised");
});

test("init --project writes into the working directory", async () => {
  const world = scratch();
  expect(await run(world, (io) => runInit(["--project"], io))).toMatchObject({ code: 0, out: expect.stringContaining("zeph trust") });
  expect(world.load().project).toMatchObject({ file: world.projectFile });
  expect(statSync(world.projectFile).mode & 0o777).toBe(0o644);
  expect(existsSync(world.userFile)).toBe(false);
});

test("migrate rewrites both files, or says what it would do", async () => {
  const world = scratch();
  const old = "[agent]\nmax_tool_retries = 3\n";
  world.user(old);
  world.project(old);
  const dry = await run(world, (io) => runMigrate(["--dry-run"], io));
  expect(dry.out).toContain(`${world.userFile}: would be rewritten.\n  "agent.max_tool_retries" is now "tools.retry.max_attempts".\n`);
  expect(readFileSync(world.userFile, "utf8")).toBe(old);
  expect(await run(world, (io) => runMigrate([], io))).toMatchObject({ code: 0, err: "" });
  expect(world.load({ trusted: () => true }).config.tools.retry.max_attempts).toBe(3);
  expect(readFileSync(`${world.projectFile}.bak`, "utf8")).toBe(old);
  const again = await run(world, (io) => runMigrate([], io));
  expect(again).toEqual({ code: 0, err: "", out: `${world.userFile}: nothing to do.\n${world.projectFile}: nothing to do.\n` });
});

test("migrate tells of a conflict and still does the other file", async () => {
  const world = scratch();
  world.user("agent.max_tool_retries = 3\ntools.retry.max_attempts = 1\n");
  world.project("agent.max_tool_retries = 3\n");
  const { code, err, out } = await run(world, (io) => runMigrate([], io));
  expect(code).toBe(2);
  expect(err).toContain(`${world.userFile}: Both `);
  expect(out).toContain(`${world.projectFile}: rewritten`);
});

test("trust shows what it lets in, is remembered, and ends with the file's next change", async () => {
  const world = scratch();
  const trust = records();
  const trusted = () => world.load({ trusted: trustedBy(trust) }).project?.trusted;
  world.user('[tools.file]\ndeny_read = ["secret"]\n');
  world.project('autonomy = "full"\ntools.retry.max_attempts = 1\n[tools.file]\ndeny_read = ["x"]\n');
  expect(trusted()).toBe(false);
  const { code, out } = await run(world, (io) => runTrust([], io, trust));
  expect(code).toBe(0);
  expect(out).toBe(
    `Besides tightening your rules, this project sets:\n  ${world.projectFile}:1: autonomy = "full"\n` +
      // Its denials are added to the user's, trusted or not.
      `Trusted: ${world.cwd}\nTrust ends when the file changes.\n`,
  );
  expect(trusted()).toBe(true);
  world.project('autonomy = "full" \n');
  expect(trusted()).toBe(false);
});

test("trust of a folder by name, from below, as JSON; listed and revoked", async () => {
  const world = scratch();
  const trust = records();
  world.project('[store]\npath = "/x\\u202e"\n');
  world.write(join(world.cwd, "sub", "x"), "");
  const outside = { ...world, cwd: world.home };
  const { out } = await run(outside, (io) => runTrust(["work/sub", "--json"], io, trust));
  expect(out).not.toContain("\u202e");
  expect(JSON.parse(out)).toMatchObject({ folder: world.cwd, trusted: true, changes: [{ key: "store.path", line: 2, value: "/x\u202e" }] });
  expect((await run(outside, (io) => runTrust(["--list"], io, trust))).out).toBe(`1970-01-01  ${world.cwd}\n`);
  expect((await run(world, (io) => runTrust(["--revoke"], io, trust))).out).toBe(`No longer trusted: ${world.cwd}\n`);
  expect((await run(world, (io) => runTrust(["--revoke"], io, trust))).out).toContain("nothing to revoke");
  expect((await run(world, (io) => runTrust(["--list", "--json"], io, trust))).out).toBe("[]\n");
});

test("trust with nothing to trust, or with a file that is wrong, records nothing", async () => {
  const world = scratch();
  const trust = records();
  expect(await run(world, (io) => runTrust([], io, trust))).toMatchObject({
    code: 2,
    err: expect.stringContaining("There is no .zeph/config.toml"),
  });
  world.project("nonsense = 1\n");
  expect(await run(world, (io) => runTrust([], io, trust))).toMatchObject({
    code: 2,
    err: expect.stringContaining('"nonsense" is not a setting'),
  });
  expect(await trust.list()).toEqual([]);
});

test.skipIf(process.getuid?.() === 0)("a folder that cannot be written to is told in words", async () => {
  const world = scratch();
  chmodSync(world.home, 0o500);
  expect(await run(world, (io) => runInit([], io))).toMatchObject({ code: 2, err: expect.stringContaining("EACCES") });
  chmodSync(world.home, 0o700);
});
