import pc from "picocolors";
import { describe, expect, it } from "vitest";
import type { ZephEvent } from "../core/event.ts";
import { openScreen } from "./screen.ts";
import type { Terminal } from "./terminal.ts";
import { whenWhole } from "./whole.ts";

async function screen() {
  const shown: string[] = [];
  const stream = { write: (text: string) => shown.push(text), columns: 80 };
  const plain = pc.createColors(false);
  const terminal = { stdout: stream, stderr: stream, out: plain, err: plain } as unknown as Terminal;
  return { shown, ...(await openScreen(terminal)) };
}
const text = (words: string): ZephEvent => ({ type: "text", text: words });
const warning: ZephEvent = { type: "warning", message: "careful" };

it("begins everything that is not said on a line of its own", async () => {
  const { shown, event } = await screen();
  for (const one of [text("one "), text("two"), warning, text("three\n"), warning]) await event(one);
  expect(shown.join("")).toBe("one two\nwarning: careful\nthree\nwarning: careful\n");
});

it("puts one question at a time, and writes nothing into it", async () => {
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

it("goes on after a question that failed", async () => {
  const { shown, event, during } = await screen();
  await expect(during(() => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
  await event(warning);
  expect(shown).toEqual(["warning: careful\n"]);
});

it("says that what was begun is void when the model is asked again", async () => {
  const { shown, event } = await screen();
  await event(text("half a"));
  await event({ type: "retry", why: "The server is busy.", inMs: 1500, attempt: 1, discards: true });
  expect(shown.join("")).toBe("half a\nThe server is busy. What it had begun to say is void. Trying again in 1.5 s (1).\n");
});

describe("held until it is whole", () => {
  const again = (discards: boolean): ZephEvent => ({ type: "retry", why: "The server is busy.", inMs: 1500, attempt: 1, discards });
  const heard = async (...events: ZephEvent[]) => {
    const { shown, ...one } = await screen();
    const held = whenWhole(one);
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
    const held = whenWhole(one);
    for (let n = 0; n < 20; n++) await held.event(text("x".repeat(1024 * 1024)));
    expect(shown.length).toBeGreaterThan(0);
  });
});
