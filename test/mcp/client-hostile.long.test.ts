import { describe, expect, it } from "vitest";
import { outputOf } from "../../src/core/draft.ts";
import { errorBlock, type ToolError } from "../../src/core/error.ts";
import type { Elicit, Elicitation } from "../../src/core/ports/elicitation.ts";
import type { Serve } from "../../src/core/ports/served.ts";
import { openStore } from "../../src/store/open.ts";
import { stopClock } from "../stopped-clock.ts";
import { bench, diary, hostile, plainServe } from "./client-support.ts";

// Real programs on a machine that may be busy.
const ECHO = "mcp__bad__echo";
const hello = { text: "hello" };

/** How long it took, in milliseconds. */
const timed = async <T>(work: Promise<T>): Promise<readonly [T, number]> => {
  const begun = performance.now();
  return [await work, performance.now() - begun];
};

describe("a hostile server that answers", () => {
  it("greets with garbage and is heard all the same", async () => {
    const { call } = await bench([hostile("greets")]);
    expect((await call(ECHO, hello)).text).toBe("you said hello");
  });

  it("answers other ids: nobody is given another's answer", async () => {
    const { call } = await bench([hostile("answers other ids")]);
    expect((await call(ECHO, hello)).text).toBe("yours");
    expect((await call(ECHO, hello)).text).toBe("yours");
  });

  it("answers twice: the first counts", async () => {
    const { call } = await bench([hostile("answers twice")]);
    expect((await call(ECHO, hello)).text).toBe("first");
    expect((await call(ECHO, hello)).text).toBe("first");
  });

  it("floods: the call ends, and memory does not grow", async () => {
    const told: unknown[] = [];
    const { call } = await bench([hostile("floods", { timeout_secs: 120 })]);
    const before = process.memoryUsage().heapUsed;
    expect((await call(ECHO, hello, { tell: (progress) => told.push(progress) })).text).toBe("after the flood");
    expect(told.length).toBeLessThan(200);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(150 * 1024 * 1024);
  });

  it.each(["nothing", "number", "contentText", "blocks", "deep", "none"])("answers with wrong types: %s", async (which) => {
    const { call } = await bench([hostile("wrong results")]);
    const [outcome, ms] = await timed(
      call(ECHO, { text: which }).then(
        (output) => output,
        (error: unknown) => error,
      ),
    );
    expect(outcome).toSatisfy(
      (it: { text?: unknown; category?: unknown }) => typeof it.text === "string" || typeof it.category === "string",
    );
    expect(ms).toBeLessThan(60_000);
  });

  it("says that it failed: the words come along", async () => {
    const { failure } = await bench([hostile("fails inside")]);
    const error = await failure(ECHO, hello);
    expect(error).toMatchObject({ category: "permanent_failure", output: { text: "no such row" } });
  });

  it("wants a page visited first: the person is asked, and the call is made once more", async () => {
    const asked: Elicitation[] = [];
    const accept: Elicit = async (question) => {
      asked.push(question);
      return { action: "accept", content: {} };
    };
    const { call, failure } = await bench([hostile("wants a visit")], { elicit: accept });
    expect((await call(ECHO, hello)).text).toBe("after the visit");
    expect(asked).toEqual([{ kind: "visit", from: "bad", message: "Sign here", url: "https://pay.example/1" }]);
    // It wants the same again: that is the end of it.
    expect(await failure(ECHO, hello)).toMatchObject({ category: "policy_blocked" });
    expect(asked).toHaveLength(2);
    for (const elicit of [null, async () => ({ action: "decline" }) as const]) {
      const book = diary();
      const { failure } = await bench([hostile("wants a visit", { file: book.file })], { elicit });
      expect(await failure(ECHO, hello)).toMatchObject({ category: "policy_blocked" });
      expect(book.count("tools/call")).toBe(1);
    }
  });

  it.each([
    ["fine", "you said hello\n[.git/hooks/x made: mind it]"],
    ["fails inside", "no such row\n[.git/hooks/x made: mind it]"],
    ["dies mid-call", "[.git/hooks/x made: mind it]"],
  ])("%s: what its program left for others to run is told once, after all it said, with the walls", async (mode, text) => {
    const programs = plainServe();
    const left: string[] = [];
    const walls = { backend: "bubblewrap", layers: ["namespaces"], network: "closed" } as const;
    const serve: Serve = async (program) => Object.assign(await programs.serve(program), { walls, look: () => left.splice(0) });
    const { call } = await bench([hostile(mode)], { serve });
    left.push(".git/hooks/x\nmade: mind it");
    const tried = () => call(ECHO, hello).catch((error: ToolError) => error.output && outputOf(error.output));
    expect(await tried()).toEqual({ text, walls });
    expect((await tried())?.text ?? "").not.toContain("mind it");
  });

  it("limits the rate: the call is made again after the time it asked for", async () => {
    const retry = { max_attempts: 2, base_ms: 1, max_ms: 5, budget_secs: 5 };
    const { call } = await bench([hostile("limits the rate")], { retry });
    expect((await call(ECHO, hello)).text).toBe("try 3");
    const { failure } = await bench([hostile("limits the rate")], { retry: { ...retry, max_attempts: 1 } });
    expect(await failure(ECHO, hello)).toMatchObject({ category: "rate_limited", retryAfterMs: 10 });
  });
});

describe("a hostile server that does not answer", () => {
  it("hangs on initialize: it is given up in time, and nothing is thrown", async () => {
    const [{ clients, names, warnings, programs }, ms] = await timed(bench([hostile("hangs on initialize", { timeout_secs: 2 })]));
    expect(ms).toBeLessThan(60_000);
    expect(clients.states()[0]).toMatchObject({ state: "failed", why: expect.stringContaining("within 2 s") });
    expect(names()).toEqual([]);
    expect(warnings.join()).toContain("could not be reached");
    await expect.poll(() => programs.alive()).toBe(0);
  });

  it("hangs on the list: the same", async () => {
    const [{ clients, programs }, ms] = await timed(bench([hostile("hangs on list", { timeout_secs: 3 })]));
    expect(ms).toBeLessThan(60_000);
    expect(clients.states()[0]!.state).toBe("failed");
    await expect.poll(() => programs.alive()).toBe(0);
  });

  it("hangs on a call: it times out, the server is told, and the outcome is unknown", async () => {
    const book = diary();
    const { failure } = await bench([hostile("hangs on call", { file: book.file, timeout_secs: 6 })]);
    const [error, ms] = await timed(failure(ECHO, hello));
    expect(error).toMatchObject({ category: "timeout", message: expect.stringContaining("is unknown") });
    expect(errorBlock(error)).toContain("retryable: true");
    expect(ms).toBeGreaterThan(5900);
    expect(ms).toBeLessThan(60_000);
    await expect.poll(() => book.count("notifications/cancelled")).toBe(1);
    expect(book.count("tools/call")).toBe(1);
  });

  it("progresses for ever: ten times the time is the end", async () => {
    const { failure } = await bench([hostile("progresses for ever", { timeout_secs: 20 })]);
    const pass = stopClock();
    let told = 0;
    const tell = () => void (++told === 3 && pass(200_000));
    expect(await failure(ECHO, hello, { tell })).toMatchObject({
      category: "timeout",
      message: expect.stringContaining("longer than 200 s"),
    });
    expect(told).toBeGreaterThanOrEqual(3);
  });

  it("dies mid-call: one clear error for each, without secrets, and the next call starts it again", async () => {
    const book = diary();
    const { failure, clients, programs } = await bench([
      hostile("dies mid-call", { file: book.file, env: { SECRET_KEY: "hunter2hunter2" } }),
    ]);
    const errors = await Promise.all([failure(ECHO, hello), failure(ECHO, hello)]);
    for (const error of errors) {
      expect(error).toMatchObject({ category: "network_error" });
      expect(error.message).toMatch(
        /^The MCP server "bad" ended \(exit 1\): .*the key was \*\*\*\. It is started again with the next call\. Whether the call was carried out is unknown\./,
      );
      expect(errorBlock(error)).toContain("retryable: true");
    }
    expect(clients.states()[0]).toMatchObject({ state: "waiting" });
    expect(JSON.stringify([errors.map(String), clients.states()])).not.toContain("hunter2");
    await failure(ECHO, hello);
    expect(book.count("start")).toBe(2);
    expect(book.count("tools/call")).toBe(3);
    expect(programs.children).toHaveLength(2);
  });

  it("answers with 20 MB: that call fails, and the server and the next call do not", async () => {
    const { failure, call, programs } = await bench([hostile("answers with 20 MB once", { timeout_secs: 120 })]);
    expect((await failure(ECHO, hello)).message).toContain("longer than 16 MiB");
    expect(programs.children).toHaveLength(1);
    await call(ECHO, hello);
    expect(programs.children).toHaveLength(1);
  });

  it("sends 100 MB in a line that does not end: it is stopped at 64", async () => {
    const { failure, programs } = await bench([hostile("sends 100 MB", { timeout_secs: 120 })]);
    const before = process.memoryUsage().rss;
    const error = await failure(ECHO, hello);
    expect(error).toMatchObject({ category: "network_error", message: expect.stringContaining("more than 64 MiB") });
    expect(process.memoryUsage().rss - before).toBeLessThan(120 * 1024 * 1024);
    await expect.poll(() => programs.alive()).toBe(0);
  });

  it("writes garbage without end: it is stopped", async () => {
    const { failure, programs } = await bench([hostile("writes garbage", { timeout_secs: 120 })]);
    expect((await failure(ECHO, hello)).message).toContain("other things than the protocol");
    await expect.poll(() => programs.alive()).toBe(0);
  });

  it("exits at once: the reason is told without the secret", async () => {
    const { clients, warnings } = await bench([hostile("exits at once", { env: { SECRET_KEY: "hunter2hunter2" } })]);
    expect(clients.states()[0]).toMatchObject({
      state: "failed",
      why: expect.stringContaining("exit 3): cannot start: the key *** is wrong"),
    });
    expect(JSON.stringify([warnings, clients.states()])).not.toContain("hunter2");
  });

  it("ends as Node does: the error itself is told, not the end of what was printed", async () => {
    const { clients } = await bench([hostile("throws at the start")]);
    expect(clients.states()[0]!.why).toMatch(/ended \(exit 1\): Error: Cannot find the table \/ .*code: 'NO_TABLE'/);
    expect(clients.states()[0]!.why).not.toMatch(/ at |MUST NOT/);
  });

  it("exits with a long line: not half of the secret is told", async () => {
    const { clients } = await bench([hostile("exits with a long line", { env: { SECRET_KEY: "hunter2hunter2" } })]);
    expect(clients.states()[0]!.why).toMatch(/xxx$/);
    expect(JSON.stringify(clients.states())).not.toContain("unter2");
  });

  it("dies at a question it does not know: it is asked as older ones were", async () => {
    const { clients, call } = await bench([hostile("dies at what it does not know")]);
    expect(clients.states()[0]).toMatchObject({ state: "connected", protocol: "2025-06-18" });
    expect((await call(ECHO, hello)).text).toBe("you said hello");
  });

  it("is never two processes, and none after closing", async () => {
    const { pins, close } = openStore("memory");
    const first = await bench([hostile("fine")], { pins });
    await first.clients.close();
    expect(first.programs.alive()).toBe(0);
    const { call, programs, clients } = await bench([hostile("fine")], { pins });
    await Promise.all(Array.from({ length: 20 }, () => call(ECHO, hello)));
    expect(programs.children).toHaveLength(1);
    await clients.close();
    expect(programs.alive()).toBe(0);
    await close();
  });
});

describe("a hostile server that asks", () => {
  const asking = () => {
    const asked: Elicitation[] = [];
    const elicit: Elicit = async (question) => {
      asked.push(question);
      return { action: "accept", content: { name: "Ann", value: "hunter2", userPassword: "hunter2" } };
    };
    return { asked, elicit };
  };

  it.each(["asks for a secret", "asks for a password by a field"])(
    "%s: nobody is asked, it is told no, the person is warned",
    async (mode) => {
      const { asked, elicit } = asking();
      const { call, warnings } = await bench([hostile(mode)], { elicit });
      expect(JSON.parse((await call(ECHO, hello)).text)).toEqual({ action: "decline" });
      expect(asked).toEqual([]);
      expect(warnings.join()).toContain("asked for a password");
    },
  );

  it("asks for a name: what was preset is filled in, and nothing else is given away", async () => {
    const { asked, elicit } = asking();
    const { call } = await bench([hostile("asks for a name")], { elicit });
    expect(JSON.parse((await call(ECHO, hello)).text)).toEqual({ action: "accept", content: { name: "Ann", age: 7 } });
    expect(asked).toHaveLength(1);
  });

  it("asks for a name while nobody is there: it is told that nobody answered", async () => {
    const { call } = await bench([hostile("asks for a name")]);
    expect((await call(ECHO, hello)).text).toBe('{"action":"cancel"}');
  });

  it("asks and waits: the person's time does not count", async () => {
    const elicit: Elicit = () => new Promise((resolve) => setTimeout(() => resolve({ action: "accept", content: { name: "Ann" } }), 7000));
    const { call } = await bench([hostile("asks for a name", { timeout_secs: 6 })], { elicit });
    expect((await call(ECHO, hello)).text).toContain("Ann");
  });

  it("asks out of the blue: nobody is asked", async () => {
    const { asked, elicit } = asking();
    const book = diary();
    const { call } = await bench([hostile("asks out of the blue", { file: book.file })], { elicit });
    await call(ECHO, hello);
    await expect.poll(() => book.count("answered")).toBe(1);
    expect(book.lines()).toContain("answered cancel");
    expect(asked).toEqual([]);
  });

  it("asks, and the call is cancelled: so is the question", async () => {
    let over = false;
    const stop = new AbortController();
    const elicit: Elicit = (_asked, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          over = true;
          resolve({ action: "cancel" });
        });
        stop.abort();
      });
    const { failure } = await bench([hostile("asks for a name")], { elicit });
    expect(await failure(ECHO, hello, { signal: stop.signal })).toMatchObject({ category: "cancelled" });
    await expect.poll(() => over).toBe(true);
  });

  it("asks our model: there is no such thing", async () => {
    const { call } = await bench([hostile("asks for sampling")], asking());
    expect((await call(ECHO, hello)).text).toContain("Method not found");
  });

  it("asks where we work", async () => {
    const { call } = await bench([hostile("asks for roots")]);
    expect(JSON.parse((await call(ECHO, hello)).text)).toEqual({ roots: [{ uri: "file:///the/workspace" }] });
  });
});
