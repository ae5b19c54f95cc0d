import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { ModelError } from "../../src/core/model-error.ts";
import { type RawServer, SSE, STREAMS, startRaw } from "./raw.ts";
import { ask, hear, hearFailure, openWire, requestsOf, textOf, WIRE_NAMES, type WireName } from "./talk.ts";

let server: RawServer | undefined;
afterEach(() => server?.stop());

/** Ollama is asked with the very code of the other compatible ones. */
const OWN_CODE = WIRE_NAMES.filter((wire) => wire !== "ollama");
const streamOf = (wire: WireName): string => STREAMS[wire === "compatible" || wire === "ollama" ? "chat" : wire];
const beginning = (wire: WireName): string => streamOf(wire).slice(0, streamOf(wire).indexOf("Grüße") + 40);

describe.each(OWN_CODE)("%s", (wire) => {
  it("gives up on a server that never answers", async () => {
    server = await startRaw(() => {});
    const started = performance.now();
    const { error } = await hearFailure(openWire(wire, server.url, { timeoutMs: 150 }));
    expect(error.fault).toBe("timeout");
    expect(error.message).toMatch(/timeout_secs/);
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it("gives up on a server that falls silent", async () => {
    server = await startRaw((response) => void response.writeHead(200, SSE).write(beginning(wire)));
    expect((await hearFailure(openWire(wire, server.url, { timeoutMs: 150 }))).error.fault).toBe("timeout");
  });

  it("does not wait for a server that leaves the line open behind its answer", async () => {
    server = await startRaw((response) => void response.writeHead(200, SSE).write(streamOf(wire)));
    const started = performance.now();
    expect(requestsOf(await hear(openWire(wire, server.url), ask("hello")))).toHaveLength(2);
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  it("reads what is split anywhere, with either end of line", async () => {
    for (const text of [streamOf(wire), streamOf(wire).replaceAll("\n", "\r\n")]) {
      server = await startRaw(async (response) => {
        response.writeHead(200, SSE);
        const bytes = Buffer.from(text);
        for (let at = 0; at < bytes.length; at += 41) {
          response.write(bytes.subarray(at, at + 41));
          await new Promise(setImmediate);
        }
        response.end();
      });
      expect(textOf(await hear(openWire(wire, server.url), ask("hello")))).toBe("Grüße");
      await server.stop();
    }
  });

  it("stops at once when told to, before and in the middle of an answer", async () => {
    for (const said of ["", beginning(wire)]) {
      let isClosed = false;
      const stop = new AbortController();
      server = await startRaw((response) => {
        response.on("close", () => {
          isClosed = true;
        });
        if (said !== "") response.writeHead(200, SSE).write(said);
        setTimeout(() => stop.abort(new Error("enough")), 100);
      });
      const started = performance.now();
      const { error } = await hearFailure(openWire(wire, server.url), ask("hello"), stop.signal);
      expect(performance.now() - started).toBeLessThan(10_000);
      expect(error).toBe(stop.signal.reason);
      expect(error).not.toBeInstanceOf(ModelError);
      await expect.poll(() => isClosed).toBe(true);
      await server.stop();
    }
  });

  it("asks nobody when it was told to stop before", async () => {
    let asked = 0;
    server = await startRaw((response) => {
      asked++;
      response.end();
    });
    const { error } = await hearFailure(openWire(wire, server.url), ask("hello"), AbortSignal.abort());
    expect(error.name).toBe("AbortError");
    expect(asked).toBe(0);
  });

  it("hangs up when nobody listens any more", async () => {
    let isClosed = false;
    server = await startRaw((response) => {
      response.on("close", () => {
        isClosed = true;
      });
      response.writeHead(200, SSE).write(beginning(wire));
    });
    for await (const event of openWire(wire, server.url).stream(ask("hello"), new AbortController().signal))
      if (event.type === "text") break;
    await expect.poll(() => isClosed).toBe(true);
  });

  it("leaves no listener on the signal", async () => {
    server = await startRaw((response) => response.writeHead(200, SSE).end(streamOf(wire)));
    const { signal } = new AbortController();
    let listeners = 0;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--;
      remove(...args);
    };
    await hear(openWire(wire, server.url), ask("hello"), signal);
    expect(listeners).toBe(0);
  });

  // Gemini gives arguments as an object, which an event without mistakes cannot break.
  if (wire === "gemini") return;
  it("says that a tool call with broken arguments is broken, and does not fail", async () => {
    const broken = streamOf(wire).replaceAll(String.raw`{\"path\":\"y\"}`, String.raw`{\"path\":\"y\",}`);
    expect(broken).not.toBe(streamOf(wire));
    server = await startRaw((response) => response.writeHead(200, SSE).end(broken));
    const [first, second] = requestsOf(await hear(openWire(wire, server.url), ask("hello")));
    expect(first).toEqual({ id: "a", name: "read", args: { path: "x" } });
    expect(second).toMatchObject({ id: "b", args: undefined, problem: expect.stringMatching(/not valid JSON.*position 12/) });
  });
});

// Side by side, for they take seconds in which nobody works.
describe.concurrent.each(OWN_CODE)("a slow server, %s", (wire) => {
  /** Longer than the limit as a whole, never as long in between. */
  const hearSlowly = async (send: (response: ServerResponse, pause: () => Promise<void>) => Promise<void>) => {
    const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 1000));
    const slow = await startRaw((response) => send(response.writeHead(200, SSE), pause));
    try {
      return await hear(openWire(wire, slow.url, { timeoutMs: 3500 }), ask("hello"));
    } finally {
      await slow.stop();
    }
  };

  it("is waited for", async ({ expect }) => {
    const text = streamOf(wire);
    const step = Math.ceil(text.length / 4);
    const events = await hearSlowly(async (response, pause) => {
      for (let at = 0; at < text.length; at += step) {
        response.write(text.slice(at, at + step));
        await pause();
      }
      response.end();
    });
    expect(requestsOf(events)).toHaveLength(2);
  });

  it("is waited for also when its sign of life says nothing", async ({ expect }) => {
    const events = await hearSlowly(async (response, pause) => {
      for (let i = 0; i < 4; i++) {
        response.write(": still here\n\n");
        await pause();
      }
      response.end(streamOf(wire));
    });
    expect(textOf(events)).toBe("Grüße");
  });
});

/** Answers that do not end. Each piece is legal; only their number is not. All are read by the same reader, with the same limits. */
const ENDLESS: Readonly<Record<"anthropic" | "chat" | "gemini" | "responses", string>> = {
  gemini: 'data: {"candidates":[{"content":{"parts":[{"text":"X"}]}}]}\n\n',
  anthropic: 'data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"X"}}\n\n',
  chat: 'data: {"id":"c","choices":[{"index":0,"delta":{"content":"X"}}]}\n\n',
  responses: 'data: {"type":"response.output_text.delta","item_id":"msg","output_index":0,"content_index":0,"delta":"X"}\n\n',
};

describe.each(["anthropic", "chat", "gemini", "responses"] as const)("%s", (wire) => {
  let sent = 0;
  const pouring = (first: string, piece: string) =>
    startRaw((response) => {
      sent = 0;
      response.writeHead(200, SSE).write(first);
      const pour = () => {
        for (let more = true; more && !response.destroyed; sent += piece.length) more = response.write(piece);
        if (!response.destroyed) response.once("drain", pour);
      };
      pour();
    });

  it("ends an answer that does not end", async () => {
    server = await pouring(beginning(wire).replace(/\n\n[^\n]*$/, "\n\n"), ENDLESS[wire].replace("X", "x".repeat(100_000)));
    const { error } = await hearFailure(openWire(wire, server.url));
    expect(error.fault).toBe("runaway");
    expect(error.message).toMatch(/longer than 8 MiB/);
  });

  it("ends a line that does not end", async () => {
    server = await pouring("data: ", "x".repeat(100_000));
    const { error } = await hearFailure(openWire(wire, server.url));
    expect(error.fault).toBe("runaway");
    expect(error.message).toMatch(/has no end/);
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });

  it("ends a stream of nothing that does not end", async () => {
    server = await pouring("", `: ${"x".repeat(100_000)}\n\n`);
    const { error } = await hearFailure(openWire(wire, server.url));
    expect(error.fault).toBe("runaway");
    expect(error.message).toMatch(/More was sent/);
  });
});

it("takes a socket that is closed on one side only for a cut line", async () => {
  server = await startRaw((response) => {
    response.writeHead(200, SSE).write(STREAMS.anthropic.slice(0, 700));
    // The client may still send; nothing more comes from here.
    setTimeout(() => response.socket!.end(), 50);
  });
  const { error, events } = await hearFailure(openWire("anthropic", server.url));
  expect(error.fault).toBe("cut");
  expect(requestsOf(events)).toEqual([]);
});
