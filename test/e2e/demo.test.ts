import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { available } from "../sandbox/support.ts";
import { box, ended, printed } from "./zeph.ts";

it("the demo shows every kind of decision without a terminal, and leaves nothing behind", async () => {
  const { runProcess, root, env } = box();
  const tmp = join(root, "tmp");
  mkdirSync(tmp);
  const { code, stdout, stderr } = await runProcess(["demo"], { env: { TMPDIR: tmp, ZEPH_AUTONOMY: "nonsense" } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/scripted model.*no model and no\s+network/s);
  for (const part of [
    "1\t# Greeter",
    "src/greet.ts\n  2:  // TODO: be polite",
    "write changes files, and no rule allows it.",
    "allowed by script",
    '+  return "Good day, " + name;',
    'denied by the gate files, rule "allowed_paths"',
    'Did you mean "read"?',
    ...(available ? ["cat: ../secret.txt: No such file or directory", "rolled back after exit code 1: 2 restored", "behind zeph-run"] : []),
    'denied by the gate blocklist, rule "other user"',
    "The greeting is polite now",
    "call    read   denied        by files",
    "verified: the chain is intact",
  ])
    expect(stdout).toContain(part);
  expect(stdout).not.toContain("\u001b");
  expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(readdirSync(tmp)).toEqual([]);
  expect([env.XDG_STATE_HOME!, env.XDG_CONFIG_HOME!].map((folder) => existsSync(folder))).toEqual([false, false]);
});

it("the demo cleans up after Ctrl-C", async () => {
  const { start, root } = box();
  const tmp = join(root, "tmp");
  mkdirSync(tmp);
  const child = start(["demo"], { TMPDIR: tmp });
  const end = ended(child);
  await printed(child, "workspace");
  child.kill("SIGINT");
  expect((await end).code).toBe(130);
  expect(readdirSync(tmp)).toEqual([]);
});
