import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { endWithUs, type TyingPrograms } from "./end-with-us.ts";
import { findRunner } from "./sandbox/shipped.ts";

const isLinux = process.platform === "linux";
const WAYS = [
  ["through the kernel", endWithUs(["true"]).pipe ? { setpriv: null } : {}],
  ["through the program that comes along", { runner: findRunner({ writable: [] }) }],
  ["through a pipe", { setpriv: null }],
] as const;

/** A dead process that nobody has asked for is still listed, by a first process that asks for none. */
const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return pid < 0 || !isLinux || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};

async function gone(pid: number): Promise<boolean> {
  for (let n = 0; n < 200 && alive(pid); n++) await new Promise((resolve) => setTimeout(resolve, 50));
  return !alive(pid);
}

/** A process of Node that starts a command tied to itself and prints its number. */
async function starter(how: TyingPrograms): Promise<{ readonly parent: ChildProcess; readonly pid: number }> {
  const tied = endWithUs(["/bin/sh", "-c", "echo $$; exec sleep 1000"], how);
  const source = `
    const { spawn } = require("node:child_process");
    const child = spawn(${JSON.stringify(tied.argv[0])}, ${JSON.stringify(tied.argv.slice(1))}, { stdio: ["ignore", "inherit", "inherit"${tied.pipe ? ', "pipe"' : ""}], detached: ${tied.pipe} });
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ["-e", source], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(parent.stdout!, "data");
  return { parent, pid: Number(String(line)) };
}

it.each(WAYS)("A tied process is gone when we are killed: %s", async (_way, how) => {
  const { parent, pid } = await starter(how);
  expect(alive(pid)).toBe(true);
  parent.kill("SIGKILL");
  expect(await gone(pid)).toBe(true);
});

it.each(WAYS)("A tied process keeps its input, its output and its exit code: %s", async (_way, how) => {
  const { argv, pipe } = endWithUs(["/bin/sh", "-c", "cat; exit 2"], how);
  const child = spawn(argv[0], argv.slice(1), { stdio: ["pipe", "pipe", "inherit", ...(pipe ? (["pipe"] as const) : [])], detached: pipe });
  child.on("exit", () => child.stdio[3]?.destroy());
  child.stdin!.end("hello");
  let text = "";
  child.stdout!.on("data", (chunk) => {
    text += chunk;
  });
  const [code] = await once(child, "close");
  expect([text, code]).toEqual(["hello", 2]);
});

it("Nothing is left of a tied process that was killed once its pipe is closed", async () => {
  const { argv } = endWithUs(["/bin/sh", "-c", "echo $$; exec sleep 1000"], { setpriv: null });
  const child = spawn(argv[0], argv.slice(1), { stdio: ["ignore", "pipe", "inherit", "pipe"], detached: true });
  const [line] = await once(child.stdout!, "data");
  child.kill("SIGKILL");
  child.stdio[3]!.destroy();
  expect(await gone(Number(String(line)))).toBe(true);
  expect(await gone(-child.pid!)).toBe(true);
});

it.runIf(isLinux && existsSync("/usr/bin/setpriv"))("The kernel is asked where a program can ask it", () =>
  expect(endWithUs(["rg"]).argv[0]).toBe("/usr/bin/setpriv"),
);
