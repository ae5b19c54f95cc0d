import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BWRAP, SYSTEM_BWRAP } from "../sandbox/bwrap.ts";
import { available } from "../sandbox/support.ts";
import { BIN, type Box, box, type Ended, ended, jsonLines } from "./zeph.ts";

/** The same machine without bubblewrap, or with less: `more` is what bwrap changes of it. Namespaces work inside unless it says so. */
async function onMachine(more: readonly string[], { cwd, env, root }: Box, args: readonly string[]): Promise<Ended> {
  const tmp = join(root, "tmp");
  mkdirSync(tmp, { recursive: true });
  const filter = join(root, "filter");
  writeFileSync(filter, NO_LANDLOCK);
  const fd = openSync(filter, "r");
  try {
    const hidden = BWRAP === SYSTEM_BWRAP ? ["--ro-bind", "/dev/null", SYSTEM_BWRAP] : [];
    const line = ["--dev-bind", "/", "/", ...hidden, ...more, "--", process.execPath, BIN, ...args];
    const child = spawn(BWRAP, line, { cwd, env: { ...env, TMPDIR: tmp }, stdio: ["pipe", "pipe", "pipe", fd] });
    child.stdin!.end();
    return await ended(child as Parameters<typeof ended>[0]);
  } finally {
    closeSync(fd);
  }
}

/** A filter for system calls that answers "not in this kernel" to landlock_create_ruleset and lets everything else through. */
const NO_LANDLOCK = Buffer.concat(
  [
    [0x20, 0, 0, 0],
    [0x15, 0, 1, 444],
    [0x06, 0, 0, 0x00050000 | 38],
    [0x06, 0, 0, 0x7fff0000],
  ].map(([code, yes, no, k]) => {
    const line = Buffer.alloc(8);
    line.writeUInt16LE(code!, 0);
    line.writeUInt8(yes!, 2);
    line.writeUInt8(no!, 3);
    line.writeUInt32LE(k!, 4);
    return line;
  }),
);
const NO_NAMESPACES = ["--unshare-user", "--disable-userns"];

describe.runIf(available)("A machine without bubblewrap", () => {
  it("has walls all the same, every one of which the doctor finds standing", async () => {
    const { code, stdout, stderr } = await onMachine([], box(), ["doctor", "--json"]);
    const [found] = jsonLines(stdout);
    expect({ code, stderr, ok: found.ok, builder: found.walls.builder, network: found.network }).toEqual({
      code: 0,
      stderr: "",
      ok: true,
      builder: "own",
      network: "shared",
    });
    expect(found.canaries.map(({ holds }: { holds: unknown }) => holds)).toEqual(Array(12).fill(true));
  });

  it("shows them in the demo, and says in a result whose bwrap it was", async () => {
    const { stdout } = await onMachine([], box(), ["demo"]);
    expect(stdout).toContain("behind zeph-run");
    expect(stdout).toContain("cat: ../secret.txt: No such file or directory");
    expect(stdout).not.toContain("Not shown");
    const call = await onMachine([], box(), ["call", "bash", '{"command":"echo hello"}', "--json"]);
    expect(jsonLines(call.stdout)[0]).toMatchObject({ ok: true, sandbox: { backend: "bubblewrap", builder: "own" } });
  });

  it("has Landlock where namespaces are forbidden too", async ({ skip }) => {
    const { stdout } = await onMachine(NO_NAMESPACES, box(), ["call", "bash", '{"command":"cat ~/.ssh/x; echo hello"}', "--json"]);
    const [answer] = jsonLines(stdout);
    if (answer.decision.gate === "walls") skip("this kernel has no Landlock");
    expect(answer).toMatchObject({ ok: true, sandbox: { backend: "landlock", reason: expect.stringContaining("inside a sandbox") } });
  });
});

describe.runIf(available)("A machine on which no walls can stand", () => {
  const closed = [...NO_NAMESPACES, "--seccomp", "3"];

  it("is told so by the demo, which runs no command and promises none", async () => {
    const { code, stdout, stderr } = await onMachine(closed, box(), ["demo"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const headings = stdout.split("\n").filter((line) => /^\d+\. /.test(line));
    expect(headings.join("\n")).not.toMatch(/behind walls|cannot reach|undone/);
    expect(headings).toContain("6. sudo is never run");
    expect(stdout).toMatch(/Not shown on this machine\n.*3 scenes are left out:\n {2}- A command runs behind walls\n/s);
    expect(stdout.replaceAll("\n", " ")).toMatch(/Zeph already runs inside a sandbox.*set tools\.sandbox\.fallback.*zeph doctor/);
    expect(stdout).not.toContain("The user said no");
    expect(stdout).toContain("The greeting is polite now");
  });

  it("is told so by the doctor, with what to do", async () => {
    const { code, stdout } = await onMachine(closed, box(), ["doctor"]);
    expect(code).toBe(5);
    expect(stdout.replaceAll(/\s+/g, " ")).toMatch(
      /Walls around commands: none.*What to do: .*inside a sandbox, which allows no second one/,
    );
  });
});
