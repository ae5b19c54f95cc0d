import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { SLOW_PATTERN, slowText } from "./slow-search.ts";
import { box, ended, jsonLines } from "./zeph.ts";

const SLOW = JSON.stringify({ pattern: SLOW_PATTERN, path: "big.txt" });

it.skipIf(process.platform !== "linux")("cancels a running call on Ctrl-C and exits 130", async () => {
  const { start, run, write } = box();
  write("big.txt", slowText());
  const child = start(["call", "grep", SLOW, "--json"]);
  const end = ended(child);
  await searching(child.pid!);
  child.kill("SIGINT");
  const { code, stdout } = await end;
  expect(code).toBe(130);
  expect(jsonLines(stdout)).toMatchObject([{ ok: false, error: { category: "cancelled" } }]);
  expect(jsonLines((await run(["audit", "tail", "--json"])).stdout)).toMatchObject([{ tool: "grep", error_category: "cancelled" }]);
});

it("Ctrl-C ends a batch that waits for input with 130", async () => {
  const { start, write } = box();
  write("a.txt", "hello\n");
  const child = start(["call", "--batch"]);
  const end = ended(child);
  child.stdin.write('{"id":1,"tool":"read","args":{"path":"a.txt"}}\n');
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.kill("SIGINT");
  const { code, stdout, stderr } = await end;
  expect({ code, stderr }).toEqual({ code: 130, stderr: "" });
  expect(jsonLines(stdout)).toMatchObject([{ id: 1, ok: true }]);
});

it("a command ends quietly when nobody reads what it prints", async () => {
  const { start, write } = box();
  write("a.txt", `${"x".repeat(1000)}\n`.repeat(1000));
  const child = start(["call", "read", '{"path":"a.txt"}']);
  child.stdout.destroy();
  expect(await ended(child)).toMatchObject({ code: 0, signal: null, stderr: "" });
});

it("a batch stops when nobody reads its answers", async () => {
  const { start, write } = box();
  write("a.txt", `${"x".repeat(1000)}\n`.repeat(1000));
  const child = start(["call", "--batch"]);
  child.stdin.on("error", () => {});
  child.stdout.destroy();
  const end = ended(child);
  const line = '{"id":1,"tool":"read","args":{"path":"a.txt"}}\n';
  const feed = setInterval(() => child.stdin.writable && child.stdin.write(line), 20);
  const { code, stderr } = await end;
  clearInterval(feed);
  expect({ code, stderr }).toEqual({ code: 130, stderr: "" });
});

/** Until the process has a child of its own: ripgrep. */
async function searching(pid: number): Promise<void> {
  for (;;) {
    const children = readdirSync(`/proc/${pid}/task`).map((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8"));
    if (children.some((list) => list.trim() !== "")) return;
    await sleep(10);
  }
}
