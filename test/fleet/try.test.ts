import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasPostgres } from "./database.ts";

const script = join(import.meta.dirname, "../../scripts/fleet-try.mjs");

function start(...args: readonly string[]) {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data) => {
      said += data;
    });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { child, said: () => said, ended };
}

describe.skipIf(!hasPostgres)("npm run fleet:try", () => {
  it("loses a worker in the middle, and counts nothing twice", async () => {
    const { said, ended } = start("--tasks", "16");
    const code = await ended;
    expect({ code, said: said() }).toMatchObject({ code: 0, said: expect.stringContaining("Nothing was done twice") });
    expect(said()).toMatch(/16 done of 16; begun a second time: [1-9]/);
    expect(said()).toMatch(/commands {4}48 lines in the ledger, 48 wanted\ndoubled {5}0\nmissing {5}0\n/);
    expect(said()).toContain("half to each gateway; the first 8 once more at the other one: 0 new");
    expect(said()).toMatch(/audit {7}main: intact/);
  });

  it("ends what it started when it is stopped", async () => {
    const { child, said, ended } = start();
    await expect.poll(said).toContain("tables made");
    const pids = execFileSync("ps", ["-o", "pid=", "--ppid", String(child.pid)], { encoding: "utf8" })
      .split("\n")
      .map(Number)
      .filter((pid) => pid > 0);
    expect(pids.length).toBeGreaterThanOrEqual(5);
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    await expect.poll(() => pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  });
});
