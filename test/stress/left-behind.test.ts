import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { carrying, survivors } from "./survivors.ts";

const ROUNDS = Number(process.env.KILLS ?? 4);
const BIN = resolve("bin/zeph.cjs");
const isRoot = process.getuid?.() === 0;
/** The walls of the commands that each of them watches. */
const BACKEND = { "zeph-run": "bubblewrap", perl: "landlock" };
/** An id nobody has. */
const STRANGER = 61_234;

/** Everything Zeph starts can be known by this word: it is in the paths of its workspace and of its temporary folder. */
const word = `zeph-left-${process.pid}-${randomUUID().slice(0, 8)}`;
let base = "";
let commands = "";
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), `${word}-`));
  chmodSync(base, 0o755);
  commands = join(base, "commands.mjs");
  for (const name of ["zeph-net", "zeph-run"])
    copyFileSync(join(import.meta.dirname, `../../vendor/${name}-linux-${process.arch}`), join(base, name));
  const entry = join(import.meta.dirname, "commands.ts");
  await build({ entryPoints: [entry], outfile: commands, bundle: true, format: "esm", platform: "node", logLevel: "warning" });
});
afterAll(() => {
  // A red run must not leave what it found.
  for (const line of carrying(word)) process.kill(Number.parseInt(line, 10), "SIGKILL");
  rmSync(base, { recursive: true, force: true });
});

const CONFIG = `[tools.permissions]
bash = [{ pattern = "*", action = "allow" }]
[[mcp.servers]]
name = "idle"
command = "/bin/bash"
args = ["-c", "cat; : ${word}"]
`;

const bash = (input: object) => ["call", "bash", JSON.stringify(input)];
const SUBJECTS: readonly { readonly name: string; readonly args: readonly string[] }[] = [
  { name: "zeph call", args: bash({ command: `(setsid sleep 301 &) ; sleep 300; : ${word}` }) },
  { name: "zeph call --dry-run", args: [...bash({ command: `touch x; sleep 300; : ${word}` }), "--dry-run"] },
  { name: "zeph call in the background", args: bash({ command: `sleep 300; : ${word}`, background: true }) },
  { name: "zeph doctor", args: ["doctor"] },
  { name: "zeph mcp", args: ["mcp"] },
  { name: "zeph filter", args: ["filter", "--", "sleep", "300"] },
];

/** A checkout in a folder that others cannot enter cannot be run by them. */
const canRun = (uid: number) => spawnSync(process.execPath, [BIN, "--version"], { uid, gid: uid, cwd: "/" }).status === 0;
const WHO: readonly (readonly [name: string, uid: number | undefined])[] = [
  [isRoot ? "root" : "an ordinary user", undefined],
  ...(isRoot ? [["a stranger", STRANGER] as const] : []),
];

describe.runIf(process.platform === "linux").each(WHO)("as %s", (name, uid) => {
  const place = () => {
    const home = join(base, name.replaceAll(" ", "-"));
    const at = { home, temp: join(home, "tmp"), cwd: join(home, "work"), config: join(home, "config") };
    return {
      ...at,
      env: { PATH: process.env.PATH ?? "", HOME: home, TMPDIR: at.temp, XDG_STATE_HOME: join(home, "state"), XDG_CONFIG_HOME: at.config },
    };
  };
  beforeAll(() => {
    const { home, temp, cwd, config } = place();
    for (const folder of [home, temp, cwd, config, join(config, "zeph")]) {
      mkdirSync(folder);
      if (uid !== undefined) chownSync(folder, uid, uid);
    }
    writeFileSync(join(config, "zeph", "config.toml"), CONFIG);
  });
  const start = (file: string, args: readonly string[]): ChildProcess => {
    const { cwd, env } = place();
    return spawn(process.execPath, [file, ...args], {
      cwd,
      env,
      stdio: ["pipe", "pipe", "ignore"],
      ...(uid !== undefined && { uid, gid: uid }),
    });
  };

  it.each(["zeph-run", "perl"] as const)(
    `A process that starts commands leaves none behind, and no network, when it is killed in the middle, ${ROUNDS * 2} times, watched by %s`,
    async (watched) => {
      for (let round = 0; round < ROUNDS * 2; round++) {
        const child = start(commands, [place().cwd, word, base, watched]);
        const ended = once(child, "exit");
        const [ready] = await Promise.race([once(child.stdout!, "data"), ended.then(() => ["it ended before it began"])]);
        expect(String(ready)).toBe(`${JSON.stringify({ ready: BACKEND[watched] })}\n`);
        await sleep(Math.random() * 150);
        expect(child.exitCode, "it goes on until it is killed").toBeNull();
        child.kill("SIGKILL");
        await ended;
        expect(await survivors(word)).toEqual([]);
      }
    },
  );

  describe.runIf(uid === undefined || canRun(uid))("the command line", () => {
    it.each(SUBJECTS)(`$name leaves no process behind when it is killed at any moment, ${ROUNDS} times`, async ({ args }) => {
      for (let round = 0; round < ROUNDS; round++) {
        const zeph = start(BIN, args);
        zeph.stdout!.resume();
        const ended = once(zeph, "exit");
        await Promise.race([ended, sleep(200 + Math.random() * 2500)]);
        zeph.kill("SIGKILL");
        await ended;
        expect(await survivors(word)).toEqual([]);
      }
    });

    it("The next start removes the temporary folders of those that were killed", async () => {
      // A start clears away for a second at most; on a busy machine that may be too short for all of them.
      for (let tries = 0; tries < 5 && (tries === 0 || readdirSync(place().temp).length > 0); tries++) {
        const zeph = start(BIN, ["call", "list_directory", '{"path":"."}']);
        zeph.stdout!.resume();
        expect(await once(zeph, "exit")).toEqual([0, null]);
      }
      expect(readdirSync(place().temp)).toEqual([]);
    });
  });
});
