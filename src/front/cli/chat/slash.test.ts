import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { CommandError, type SlashCommand } from "../../../core/command.ts";
import { UsageError } from "../io.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { createCallOutputs } from "./call-outputs.ts";
import { commandNames, type SlashContext, slashCommand } from "./slash.ts";
import { rowsText } from "./status.ts";

type Run = SlashCommand["run"];
const part = (name: `/${string}`, run: Run, help = "does it"): SlashCommand => ({ name, usage: `${name} <what>`, help, run });

function bench(parts: readonly SlashCommand[], columns = 60) {
  const shown: string[] = [];
  const sent: string[] = [];
  const stream = { write: (text: string) => shown.push(text), columns, isTTY: true };
  const plain = pc.createColors(false);
  const terminal = { stdout: stream, stderr: stream, out: plain, err: plain } as unknown as Terminal;
  const stop = new AbortController();
  const self = {
    terminal,
    forms: "What to type.\n",
    outputs: createCallOutputs(),
    commands: () => parts,
    waiting: (_: string, work: (signal: AbortSignal) => Promise<unknown>) => work(stop.signal),
    send: async (text: string) => {
      sent.push(text);
      return 0;
    },
    clear: () => "Forgotten.",
  } as unknown as SlashContext;
  return { self, shown, sent, stop, run: (name: string, rest = "") => slashCommand(self, name, rest) };
}

describe("a command of a part", () => {
  it("says its text, wrapped and harmless, and then something to the model", async () => {
    const { run, shown, sent } = bench([part("/plan", async (rest) => ({ text: `${"word ".repeat(20)}\u001b[2J`, send: `Do ${rest}` }))]);
    expect(await run("/plan", "the tests")).toBe(0);
    expect(shown.join("")).toBe(`${"word ".repeat(12).trim()}\n${"word ".repeat(8)}\\u001b[2J\n`);
    expect(sent).toEqual(["Do the tests"]);
  });

  it("is told like a wrong usage when it cannot be done, and a broken one ends nothing", async () => {
    const { run } = bench([
      part("/plan", async () => {
        throw new CommandError("Say what to plan.");
      }),
      part("/broken", () => Promise.reject(new TypeError("x is undefined"))),
    ]);
    await expect(run("/plan")).rejects.toThrow(new UsageError("Say what to plan."));
    await expect(run("/broken")).rejects.toThrow(new UsageError("/broken failed: x is undefined"));
  });

  it("can be cancelled", async () => {
    const { run, shown, stop } = bench([
      part("/slow", (_, signal) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)))),
    ]);
    const ended = run("/slow");
    stop.abort();
    expect(await ended).toBe(130);
    expect(shown).toEqual(["/slow was cancelled.\n"]);
  });

  it("does not take a name that is ours", async () => {
    const { run, shown, self } = bench([part("/clear", async () => ({ text: "stolen" }))]);
    await run("/clear");
    expect(shown.join("")).toBe("Forgotten.\n");
    expect(commandNames(self).filter((name) => name === "/clear")).toHaveLength(1);
  });
});

it("the chat lists all commands in 60 columns, help first and leaving last", async () => {
  const { run, shown } = bench([
    { ...part("/plan", async () => ({ text: "" }), `make a plan of ${"many ".repeat(12)}steps`), usage: `/plan ${"<one> ".repeat(15)}` },
  ]);
  await run("/help");
  const lines = shown.join("").split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
  const names = lines.flatMap((line) => /^ {2}(\/[\w-]+)/.exec(line)?.[1] ?? []);
  expect(names).toEqual(["/help", "/cache-stats", "/clear", "/judge", "/plan", "/show", "/status", "/tools", "/exit"]);
});

it("the chat says which command was meant, of a part as well", async () => {
  const { run } = bench([part("/schedule", async () => ({ text: "" }))]);
  await expect(run("/shcedule")).rejects.toThrow('/shcedule is not a command. Did you mean "/schedule"?');
  await expect(run("/zzzzzzzz")).rejects.toThrow("/zzzzzzzz is not a command. /help lists them.");
});

it("the chat says that a command needs a model, where it is known and there is none", async () => {
  const { self } = bench([]);
  await expect(slashCommand({ ...self, withModel: ["/plan"] }, "/plan", "")).rejects.toThrow(
    "/plan needs a model, and this is the tool console.",
  );
  await expect(slashCommand({ ...self, withModel: ["/plan"] }, "/plna", "")).rejects.toThrow("/plna is not a command.");
});

it("/show says what can be shown when a number cannot", async () => {
  const { run, self } = bench([]);
  await expect(run("/show")).rejects.toThrow("No tool was called yet.");
  await expect(run("/show", "thinking")).rejects.toThrow("did not show what it thought");
  self.outputs!.add({ name: "read" } as never, { ok: true, output: { text: "x" } } as never);
  await expect(run("/show", "2")).rejects.toThrow("Call 2 is not kept. Calls 1 to 1 are.");
  await expect(run("/show", "x")).rejects.toThrow('"x" is not the number of a call');
});

it("the chat has no /show where everything is shown", () => {
  expect(commandNames({ outputs: null, commands: () => [] })).not.toContain("/show");
});

it("lays the state of things out at any width, and in a pipe a line each", () => {
  const rows = { memory: "many words ".repeat(12).trim(), "a-rather-long-name": "short", odd: "a\u001b[2J" };
  const { self } = bench([]);
  const text = rowsText(rows, self.terminal);
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(60);
  expect(text).toContain("odd                 a\\u001b[2J\n");
  const piped = rowsText(rows, { ...self.terminal, stdout: { ...self.terminal.stdout, isTTY: false } as never });
  expect(piped.split("\n")).toHaveLength(4);
});
