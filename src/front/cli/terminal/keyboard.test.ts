import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import pc from "picocolors";
import { beforeEach, expect, it, vi } from "vitest";
import { displayed } from "../../../../test/e2e/display.ts";
import type { History } from "./history.ts";
import { type KeyboardOptions, openKeyboard } from "./keyboard.ts";
import type { Terminal } from "./terminal.ts";

// Readline and we look at it.
beforeEach(() => void vi.stubEnv("TERM", "xterm"));

const history = (): History => ({ entries: [], add: () => {}, keep: () => {} });

async function keyboard(more: Partial<KeyboardOptions> = {}) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  let sent = "";
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 60 });
  stdout.on("data", (chunk) => {
    sent += chunk;
  });
  const plain = pc.createColors(false);
  const terminal = { stdin, stdout, stderr: stdout, out: plain, err: plain, attended: true } as unknown as Terminal;
  const options: KeyboardOptions = { prompt: "you> ", completer: (line) => [[], line], pasted: "together", history: history(), ...more };
  const self = await openKeyboard(terminal, options);
  const lines = self.lines[Symbol.asyncIterator]();
  return {
    ...self,
    next: async () => ((await lines.next()).value as { text: string } | undefined)?.text,
    async type(keys: string) {
      stdin.write(keys);
      await sleep(10);
    },
    write: (text: string) => void stdout.write(text.replaceAll("\n", "\r\n")),
    // The terminal's own driver makes a line break of a line feed.
    shown: () => displayed(sent.replace(/\r?\n/g, "\r\n"), 60),
  };
}

it("the keyboard writes above the prompt, and draws what was typed again", async () => {
  const { next, type, above, write, shown, close } = await keyboard();
  const line = next();
  await type(`half ${"of a long line ".repeat(5)}`);
  await above(async () => write("warning: careful\n"));
  expect(shown()[0]).toBe("warning: careful");
  expect(shown()[1]).toMatch(/^you> half of a long line/);
  await type("!\r");
  expect(await line).toBe(`half ${"of a long line ".repeat(5)}!`);
  close();
});

it("the keyboard keeps what was typed before a question, and takes it for no answer", async () => {
  const { next, type, ask, cancellable, shown, close } = await keyboard();
  const first = next();
  await type("go\r");
  expect(await first).toBe("go");
  await type("yes");
  const question = { call_id: "1", tool: "write", args: {}, why: [], touches: [] };
  const answer = cancellable((signal) => ask(question, signal));
  await vi.waitFor(() => expect(shown().join("\n")).toContain("Allow it?"), 25_000);
  await type("\r");
  expect(await answer).toBe("no");
  const second = next();
  await type(" please\r");
  expect(await second).toBe("yes please");
  close();
});

it("types what is pasted line by line where each is a command", async () => {
  const { next, type, close } = await keyboard({ pasted: "one by one" });
  const first = next();
  await type("\u001b[200~read a.txt\r\nread b.txt\r\n\u001b[201~");
  expect([await first, await next()]).toEqual(["read a.txt", "read b.txt"]);
  close();
});

it("the keyboard leaves a question unanswered on Ctrl-D, and nothing else ends", async () => {
  const { next, type, ask, cancellable, shown, close } = await keyboard();
  const question = { call_id: "1", tool: "write", args: {}, why: [], touches: [] };
  const first = cancellable((signal) => ask(question, signal));
  await vi.waitFor(() => expect(shown().join("\n")).toContain("Allow it?"), 25_000);
  await type("maybe\u0004");
  await type("\u0015");
  await type("\u0004");
  expect(await first).toBe(null);
  // What is told next begins on a line of its own.
  expect(shown().at(-1)).toBe("");
  const line = next();
  await type("still here\r");
  expect(await line).toBe("still here");
  close();
});

it("the keyboard puts no question once it was stopped", async () => {
  const { ask, shown, close } = await keyboard();
  expect(await ask({ call_id: "1", tool: "write", args: {}, why: [], touches: [] }, AbortSignal.abort())).toBe(null);
  expect(shown().join("")).not.toContain("Question");
  close();
});

it("the keyboard lists nothing when a word is complete", async () => {
  const { next, type, shown, close } = await keyboard({ completer: (line) => [["/status"], line] });
  const line = next();
  await type("/st");
  await type("\t");
  for (const _ of [1, 2, 3]) await type("\t");
  expect(shown()).toEqual(["you> /status"]);
  await type("\r");
  expect(await line).toBe("/status");
  close();
});
