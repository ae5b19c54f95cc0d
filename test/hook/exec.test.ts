import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CLIENTS, type HookdBox, openHookdBox, ZEPH } from "./hookd-box.ts";

let box: HookdBox;
beforeAll(async () => {
  box = openHookdBox();
  await box.warm();
});
afterAll(() => box.remove());

describe.each(CLIENTS)("zeph exec by the %s client", (name, client) => {
  const exec = (command: string, stdin = "") => box.run([...client, "exec", "--", command], { stdin });

  it("ends with the command's own exit code, and keeps its streams apart", async () =>
    expect(await exec("echo out; echo err >&2; exit 7")).toEqual({ code: 7, stdout: "out\n", stderr: "err\n" }));

  it("hands on what there is to read", async () => expect((await exec("tr a-z A-Z | rev", "abc\n")).stdout).toBe("CBA\n"));

  it("leaves every byte of a pipe as it is", async () => {
    const lines = Array.from({ length: 3000 }, (_, n) => `line ${n}\n`).join("");
    expect((await exec("cat | cat", lines)).stdout).toBe(lines);
  });

  it("runs behind the walls", async () => {
    const { code } = await exec(`echo x > ${box.env.HOME}/out; echo y > in-${name}`);
    expect([existsSync(join(box.env.HOME!, "out")), existsSync(join(box.work, `in-${name}`)), code]).toEqual([false, true, 0]);
  });

  it("does not run what the rules deny", async () => {
    const { code, stdout, stderr } = await exec("sudo touch denied");
    expect([code, stdout, existsSync(join(box.work, "denied"))]).toEqual([126, "", false]);
    expect(stderr).toContain("never run");
  });

  it("takes no ticket that nobody made", async () => {
    const { code, stderr } = await box.run([...client, "exec", "--ticket", "0".repeat(32), "--", "touch ticket"]);
    expect([code, existsSync(join(box.work, "ticket"))]).toEqual([126, false]);
    expect(stderr).toContain("Call the command itself");
  });

  it("hands a signal on", async () => {
    const child = box.start([...client, "exec", "--", "trap 'echo heard; exit 3' TERM; echo ready; while :; do sleep 0.1; done"]);
    let said = "";
    const ended = new Promise<number | null>((resolve) => void child.on("close", resolve));
    for await (const chunk of child.stdout!) {
      said += chunk;
      if (said === "ready\n") child.kill("SIGTERM");
    }
    expect([said, await ended]).toEqual(["ready\nheard\n", 3]);
  });

  it("ends as a shell would when nobody reads what it prints, and the native client with a failure", async () => {
    const [gone, unwritten] = name === "node" ? [141, 1] : [2, 2];
    const piped = `${[...client].join(" ")} exec -- 'yes | cat' | head -1; echo "\${PIPESTATUS[0]}"`;
    expect(await box.run(["/bin/bash", "-c", piped])).toEqual({ code: 0, stdout: `y\n${gone}\n`, stderr: "" });
    const full = `${[...client].join(" ")} exec -- 'yes | cat' > /dev/full`;
    expect(await box.run(["/bin/bash", "-c", full])).toMatchObject({ code: unwritten, stdout: "" });
  });

  it("takes a command that begins as an option does for a command", async () => {
    const { code, stderr } = await exec("-l x");
    expect([code, stderr]).toEqual([127, expect.stringContaining("-l: command not found")]);
  });

  it("leaves nothing running when its client is killed", async () => {
    const file = join(box.work, `beats-${name}`);
    const child = box.start([...client, "exec", "--", `while :; do touch ${file}; echo beat; sleep 0.05; done`]);
    await new Promise((resolve) => void child.stdout!.once("data", resolve));
    child.kill("SIGKILL");
    const { statSync } = await import("node:fs");
    // It beats until it is ended; then the file stays as old as it is.
    for (let last = -1; last !== statSync(file).mtimeMs; await sleep(1000)) last = statSync(file).mtimeMs;
  });
});

describe("zeph exec in a process of its own, as it runs where there is no hookd and with options in front", () => {
  const own = [process.execPath, ZEPH, "--no-color", "exec"];
  const exec = (command: string, stdin = "") => box.run([...own, "--", command], { stdin });

  it("ends with the command's own exit code, keeps its streams apart and hands on what there is to read", async () =>
    expect(await exec("tr a-z A-Z; echo err >&2; exit 7", "out\n")).toEqual({ code: 7, stdout: "OUT\n", stderr: "err\n" }));

  it("runs behind the walls, and does not run what the rules deny", async () => {
    const walled = await exec(`echo x > ${box.env.HOME}/own; echo y > in-own`);
    expect([existsSync(join(box.env.HOME!, "own")), existsSync(join(box.work, "in-own")), walled.code]).toEqual([false, true, 0]);
    const denied = await exec("sudo touch denied-own");
    expect([denied.code, existsSync(join(box.work, "denied-own"))]).toEqual([126, false]);
  });

  it("knows no ticket, and runs nothing without a command", async () => {
    const ticket = await box.run([...own, "--ticket", "0".repeat(32), "--", "touch ticket-own"]);
    expect([ticket.code, ticket.stderr, existsSync(join(box.work, "ticket-own"))]).toEqual([
      2,
      expect.stringContaining("Call the command itself"),
      false,
    ]);
    expect(await exec(" ")).toMatchObject({ code: 2, stderr: expect.stringContaining("Say what to run") });
  });

  it("hands a signal on", async () => {
    const child = box.start([...own, "--", "trap 'echo heard; exit 3' TERM; echo ready; while :; do sleep 0.1; done"]);
    let said = "";
    const ended = new Promise<number | null>((resolve) => void child.on("close", resolve));
    for await (const chunk of child.stdout!) {
      said += chunk;
      if (said === "ready\n") child.kill("SIGTERM");
    }
    expect([said, await ended]).toEqual(["ready\nheard\n", 3]);
  });
});
