import pc from "picocolors";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ZephEvent } from "../../../core/event.ts";
import type { Outcome } from "../../../core/layer.ts";
import { ToolRequest } from "../../../core/request.ts";
import { createAnswerHolder } from "../terminal/answer-holder.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { createCallOutputs } from "./call-outputs.ts";
import { createScreen } from "./screen.ts";

async function screen() {
  const shown: string[] = [];
  const stream = { write: (text: string) => shown.push(text), columns: 80 };
  const plain = pc.createColors(false);
  const terminal = { stdout: stream, stderr: stream, out: plain, err: plain } as unknown as Terminal;
  return { shown, ...(await createScreen(terminal)) };
}
const text = (words: string): ZephEvent => ({ type: "text", text: words });
const warning: ZephEvent = { type: "warning", message: "careful" };

it("the screen begins everything that is not said on a line of its own", async () => {
  const { shown, event } = await screen();
  for (const one of [text("one "), text("two"), warning, text("three\n"), warning]) await event(one);
  expect(shown.join("")).toBe("one two\nwarning: careful\nthree\nwarning: careful\n");
});

it("the screen puts one question at a time, and writes nothing into it", async () => {
  const { shown, event, during } = await screen();
  await event(text("said"));
  let answer = (_: string) => {};
  const ask = (name: string) =>
    during(
      () =>
        new Promise<string>((resolve) => {
          shown.push(name);
          answer = resolve;
        }),
    );
  const first = ask("first?");
  const later = event(warning);
  const second = ask("second?");
  await new Promise(setImmediate);
  expect(shown).toEqual(["said", "\n", "first?"]);
  answer("yes");
  expect(await first).toBe("yes");
  await new Promise(setImmediate);
  expect(shown.at(-1)).toBe("second?");
  answer("no");
  expect(await second).toBe("no");
  await later;
  expect(shown.at(-1)).toBe("warning: careful\n");
});

it("the screen goes on after a question that failed", async () => {
  const { shown, event, during } = await screen();
  await expect(during(() => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
  await event(warning);
  expect(shown).toEqual(["warning: careful\n"]);
});

it("the screen does not count as a call's time what its questions took, or what it waited for others", async () => {
  const { shown, event, during } = await screen();
  const call = (id: string) => ToolRequest.from({ id, name: "write", args: {} })!;
  const slow = () => new Promise<void>((resolve) => setTimeout(resolve, 60));
  for (const id of ["1", "2"]) await event({ type: "tool_start", request: call(id) });
  await Promise.all([during(slow, "1"), during(slow, "2")]);
  const outcome = { ok: true, output: { text: "" }, cached: false } as unknown as Outcome;
  await event({ type: "tool_end", request: call("1"), outcome, durationMs: 65 });
  await event({ type: "tool_end", request: call("2"), outcome, durationMs: 130 });
  const took = shown.map((line) => Number(/ok, (\d+) ms/.exec(line)?.[1]));
  expect(took[0]).toBeLessThan(30);
  expect(took[1]).toBeLessThan(40);
});

it("the screen says that what was begun is void when the model is asked again", async () => {
  const { shown, event } = await screen();
  await event(text("half a"));
  await event({ type: "retry", why: "The server is busy.", inMs: 1500, attempt: 1, discards: true });
  expect(shown.join("")).toBe("half a\nThe server is busy. The text of its last answer does not count. Trying again in 1.5 s (1).\n");
});

describe("where somebody watches", () => {
  async function watched() {
    const shown: string[] = [];
    const stream = { write: (text: string) => shown.push(text), columns: 60, isTTY: false };
    const plain = pc.createColors(false);
    const terminal = { stdout: stream, stderr: stream, out: plain, err: plain } as unknown as Terminal;
    const outputs = createCallOutputs();
    return { shown, outputs, ...(await createScreen(terminal, { outputs, typed: () => "" })) };
  }
  const request = ToolRequest.from({ id: "1", name: "bash", args: { command: "make" } })!;
  const ended = (output: object): ZephEvent =>
    ({ type: "tool_end", request, durationMs: 8, outcome: { ok: true, callId: "1", output, cached: false } }) as unknown as ZephEvent;

  it("numbers calls, shows a piece of what they printed, and keeps the rest", async () => {
    const { shown, outputs, event } = await watched();
    await event(ended({ text: "a\nb\nc\nd\n", exitCode: 0 }));
    expect(shown.join("")).toBe("bash make: exit 0, 8 ms [1]\n  … 1 more line, /show 1\n  b\n  c\n  d\n");
    expect(outputs.get(1)?.text).toBe("a\nb\nc\nd\n");
  });

  it("tells how long it thought, and keeps what", async () => {
    const { shown, outputs, event } = await watched();
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    await event({ type: "thinking", text: "hm, " });
    vi.advanceTimersByTime(1050);
    await event({ type: "thinking", text: "yes" });
    await event(text("So."));
    await event({ type: "thinking", text: "quick" });
    await event(text("So."));
    expect(shown.join("")).toMatch(/^thought for 1\.[01] s, \/show thinking\nSo\.\nSo\.$/);
    expect(outputs.thoughts()).toBe("quick");
  });

  it("shows a plan, and that earlier messages are a summary", async () => {
    const { shown, event } = await watched();
    const tasks = [{ n: 1, title: "Read", needs: [], status: "done" as const }];
    await event({ type: "plan", goal: { id: "g", workspace: "/", text: "Go", status: "active", tasks, createdAt: 0, updatedAt: 0 } });
    await event({ type: "compacted", method: "manual", messages: 12, tokens: { before: 45_000, after: 3000 } });
    expect(shown.join("")).toBe(
      "plan Go: 1 of 1 done\n  [x] 1 Read\n12 earlier messages are sent as a summary from now on: 45,000 -> 3,000 tokens.\n",
    );
  });
});

it("numbers nothing where nobody can ask for it", async () => {
  const { shown, event } = await screen();
  const request = ToolRequest.from({ id: "1", name: "bash", args: { command: "make" } })!;
  const outcome = { ok: true, callId: "1", output: { text: "a\n", exitCode: 0 }, cached: false } as unknown as Outcome;
  await event({ type: "tool_end", request, durationMs: 8, outcome });
  expect(shown.join("")).toBe("bash make: exit 0, 8 ms\n");
});

describe("held until it is whole", () => {
  const again = (discards: boolean): ZephEvent => ({ type: "retry", why: "The server is busy.", inMs: 1500, attempt: 1, discards });
  const heard = async (...events: ZephEvent[]) => {
    const { shown, ...one } = await screen();
    const held = createAnswerHolder(one);
    for (const event of events) await held.event(event);
    held.rest();
    return shown.join("");
  };

  it("leaves out what is void", async () => {
    expect(await heard(text("half a"), again(true), text("all "), { type: "thinking", text: "hm" }, text("of it"), warning)).toBe(
      "The server is busy. Trying again in 1.5 s (1).\nall of it\nwarning: careful\n",
    );
  });

  it("keeps what is whole, and nothing of what never was", async () => {
    expect(await heard(text("one"), warning, text("half"), again(true), again(false), text("two"))).toBe(
      "one\nwarning: careful\nThe server is busy. Trying again in 1.5 s (1).\nThe server is busy. Trying again in 1.5 s (1).\n",
    );
  });

  it("holds no more than there is room for", async () => {
    const { shown, ...one } = await screen();
    const held = createAnswerHolder(one);
    for (let n = 0; n < 20; n++) await held.event(text("x".repeat(1024 * 1024)));
    expect(shown.length).toBeGreaterThan(0);
  });
});
