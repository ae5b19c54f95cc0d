import { inspect } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { type Fault, ModelError } from "../../src/core/model-error.ts";
import { type RawServer, SSE, startRaw } from "./raw.ts";
import { hearFailure, KEY, openWire, WIRE_NAMES } from "./talk.ts";

let server: RawServer | undefined;
afterEach(() => server?.stop());

const refusing = async (status: number, body: unknown, headers: Record<string, string> = {}) => {
  server = await startRaw((response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  return server.url;
};
const MUCH = 32 * 1024 * 1024;
const anthropicBody = (type: string, message: string) => ({ type: "error", error: { type, message } });
const openaiBody = (message: string, code: string | null = null, type = "invalid_request_error") => ({
  error: { message, type, param: null, code },
});

interface Case {
  readonly what: string;
  readonly status: number;
  readonly body: unknown;
  readonly fault: Fault;
  readonly says: RegExp;
}

const ANTHROPIC: readonly Case[] = [
  {
    what: "a wrong key",
    status: 401,
    body: anthropicBody("authentication_error", "invalid x-api-key"),
    fault: "wrong_key",
    says: /TEST_KEY.*invalid x-api-key/,
  },
  { what: "no permission", status: 403, body: anthropicBody("permission_error", "Not for you"), fault: "wrong_key", says: /Not for you/ },
  {
    what: "no credit",
    status: 400,
    body: anthropicBody("invalid_request_error", "Your credit balance is too low to access the API."),
    fault: "no_credit",
    says: /credit/,
  },
  {
    what: "an unknown model",
    status: 404,
    body: anthropicBody("not_found_error", "model: claude-x"),
    fault: "unknown_model",
    says: /claude-sonnet-4-5/,
  },
  {
    what: "a long prompt",
    status: 400,
    body: anthropicBody("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    fault: "too_long",
    says: /210000/,
  },
  {
    what: "a large request",
    status: 413,
    body: anthropicBody("request_too_large", "Request exceeds the maximum size"),
    fault: "too_long",
    says: /Compact/,
  },
  {
    what: "too many requests",
    status: 429,
    body: anthropicBody("rate_limit_error", "Number of request tokens has exceeded your per-minute rate limit"),
    fault: "rate_limited",
    says: /Wait/,
  },
  {
    what: "an overloaded server",
    status: 529,
    body: anthropicBody("overloaded_error", "Overloaded"),
    fault: "server_error",
    says: /Overloaded.*529/,
  },
  { what: "a broken server", status: 500, body: anthropicBody("api_error", "Internal server error"), fault: "server_error", says: /later/ },
  {
    what: "an illegal request",
    status: 400,
    body: anthropicBody("invalid_request_error", "messages.0: tool_use ids"),
    fault: "bad_request",
    says: /messages\.0/,
  },
];
const OPENAI: readonly Case[] = [
  {
    what: "a wrong key",
    status: 401,
    body: openaiBody("Incorrect API key provided: sk-abcd*****wxyz.", "invalid_api_key"),
    fault: "wrong_key",
    says: /\[key\]/,
  },
  {
    what: "no credit",
    status: 429,
    body: openaiBody("You exceeded your current quota", "insufficient_quota", "insufficient_quota"),
    fault: "no_credit",
    says: /quota/,
  },
  { what: "payment required", status: 402, body: openaiBody("Insufficient credits"), fault: "no_credit", says: /402/ },
  {
    what: "an unknown model",
    status: 404,
    body: openaiBody("The model `x` does not exist", "model_not_found"),
    fault: "unknown_model",
    says: /does not exist/,
  },
  {
    what: "an unknown model with 400",
    status: 400,
    body: openaiBody("The requested model 'x' does not exist.", "model_not_found"),
    fault: "unknown_model",
    says: /does not exist/,
  },
  {
    what: "a long prompt",
    status: 400,
    body: openaiBody("This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
    fault: "too_long",
    says: /8192/,
  },
  {
    what: "a long prompt of llama.cpp",
    status: 400,
    body: { error: { code: 400, message: "the request exceeds the available context size", type: "exceed_context_size_error" } },
    fault: "too_long",
    says: /context size/,
  },
  {
    what: "too many requests",
    status: 429,
    body: openaiBody("Rate limit reached for tokens", "rate_limit_exceeded"),
    fault: "rate_limited",
    says: /Rate limit/,
  },
  {
    what: "a broken server",
    status: 503,
    body: openaiBody("The engine is overloaded", null, "server_error"),
    fault: "server_error",
    says: /503/,
  },
  { what: "no word", status: 500, body: {}, fault: "server_error", says: /: HTTP 500\./ },
  { what: "an error as mere text", status: 400, body: { error: "no such thing" }, fault: "bad_request", says: /no such thing/ },
  { what: "a page", status: 502, body: "<html><body>Bad gateway</body></html>", fault: "server_error", says: /502/ },
  { what: "another address", status: 307, body: "", fault: "bad_request", says: /base_url/ },
];

describe.each(WIRE_NAMES)("%s", (wire) => {
  it.each(wire === "anthropic" ? ANTHROPIC : OPENAI)("$what is $fault", async ({ status, body, fault, says }) => {
    const { events, error } = await hearFailure(openWire(wire, await refusing(status, body, { location: "http://127.0.0.1:1/" })));
    expect(error).toBeInstanceOf(ModelError);
    expect(error.fault).toBe(fault);
    expect(error.message).toMatch(says);
    expect(error.message).toContain("here");
    // Neither the key nor the conversation is anywhere in it.
    expect(inspect(error, { depth: 20 })).not.toMatch(new RegExp(`${KEY}|You are a test`));
    expect(events).toEqual([]);
  });

  /** A number is a date so many milliseconds from now. */
  it.each<[Record<string, string | number>, number, number]>([
    [{ "retry-after": "7" }, 7000, 7000],
    [{ "retry-after": "1.5" }, 1500, 1500],
    [{ "retry-after-ms": "250", "retry-after": "7" }, 250, 250],
    [{ "retry-after": 600_000 }, 300_000, 601_000],
    [{ "retry-after": -60_000 }, 0, 0],
  ])("waits as long as %o asks", async (asked, least, most) => {
    const dated = ([name, value]: [string, string | number]) => [
      name,
      typeof value === "string" ? value : new Date(Date.now() + value).toUTCString(),
    ];
    const headers = Object.fromEntries(Object.entries(asked).map(dated)) as Record<string, string>;
    const { error } = await hearFailure(openWire(wire, await refusing(429, {}, headers)));
    expect(error.fault).toBe("rate_limited");
    expect(error.retryAfterMs).toBeGreaterThanOrEqual(least);
    expect(error.retryAfterMs).toBeLessThanOrEqual(most);
  });
  it("takes no nonsense for a wait, and heeds a wait with 529", async () => {
    expect((await hearFailure(openWire(wire, await refusing(429, {}, { "retry-after": "soon" })))).error.retryAfterMs).toBeUndefined();
    await server!.stop();
    const { error } = await hearFailure(openWire(wire, await refusing(529, {}, { "retry-after": "3" })));
    expect([error.fault, error.retryAfterMs]).toEqual(["server_error", 3000]);
  });

  it("shows no key, and little of a long refusal", async () => {
    const { error } = await hearFailure(
      openWire(wire, await refusing(400, openaiBody(`You sent ${KEY}\n\u001b[31m and Bearer abcdef ${"x".repeat(5000)}`))),
    );
    expect(error.message).toMatch(/You sent \[key\]/);
    expect(error.message).not.toMatch(/\p{Cc}|abcdef/u);
    expect(error.message.length).toBeLessThan(500);
  });

  it("keeps a key of any form out of a refusal", async () => {
    const value = "0a1b2c3d4e5f";
    const url = await refusing(400, openaiBody(`No such key: ${value}!`));
    const { error } = await hearFailure(
      openWire(wire, url, { asked: { name: "here", type: wire, model: "m", url, key: { from: "K", value } } }),
    );
    expect(error.message).toContain("No such key: [key]!");
  });

  it("reads only the beginning of a refusal without end", async () => {
    let sent = 0;
    server = await startRaw((response) => {
      response.writeHead(400, { "content-type": "application/json" });
      const pour = () => {
        for (let more = true; more && !response.destroyed; sent += 65_536) more = response.write("x".repeat(65_536));
        if (!response.destroyed && sent < MUCH) response.once("drain", pour);
      };
      pour();
    });
    const { error } = await hearFailure(openWire(wire, server.url, { timeoutMs: 30_000 }));
    expect(error.fault).toBe("bad_request");
    expect(sent).toBeLessThan(MUCH);
  });

  it("says which server is down and what to do", async () => {
    server = await startRaw(() => {});
    await server.stop();
    const { error } = await hearFailure(openWire(wire, server.url));
    expect(error.fault).toBe("unreachable");
    expect(error.message).toContain(new URL(server.url).host);
    expect(error.message).toMatch(wire === "ollama" ? /ollama serve/ : /base_url/);
  });
  it("says that a host does not exist", async () => {
    const { error } = await hearFailure(openWire(wire, "http://nowhere.invalid/v1"));
    expect(error.fault).toBe("unreachable");
    expect(error.message).toMatch(/nowhere\.invalid:80/);
  });

  it("says that a line was closed before any answer", async () => {
    server = await startRaw((response) => response.destroy());
    expect((await hearFailure(openWire(wire, server.url))).error.fault).toBe("unreachable");
  });
});

it("tells how to get a model of Ollama", async () => {
  const { error } = await hearFailure(openWire("ollama", await refusing(404, openaiBody("model 'qwen3:8b' not found"))));
  expect(error.message).toContain("`ollama pull qwen3:8b`");
});

it("says how to name a key when none was sent", async () => {
  const asked = { name: "here", type: "compatible", model: "x", url: await refusing(401, openaiBody("Unauthorized")) };
  const { error } = await hearFailure(openWire("compatible", "", { asked }));
  expect(error.message).toMatch(/api_key_env/);
});

describe("an error in the middle of a stream", () => {
  const streaming = async (text: string) => {
    server = await startRaw((response) => response.writeHead(200, SSE).end(text));
    return server.url;
  };
  const start = `event: message_start\ndata: ${JSON.stringify({ type: "message_start", message: { id: "m", usage: { input_tokens: 1, output_tokens: 1 } } })}\n\n`;
  const anthropicError = (type: string) => `event: error\ndata: ${JSON.stringify(anthropicBody(type, "Sorry"))}\n\n`;

  it.each<[string, Fault]>([
    ["overloaded_error", "server_error"],
    ["api_error", "server_error"],
    ["rate_limit_error", "rate_limited"],
    ["invalid_request_error", "bad_request"],
  ])("of Anthropic, %s, is %s, first or later", async (type, fault) => {
    for (const before of ["", start]) {
      const { error } = await hearFailure(openWire("anthropic", await streaming(before + anthropicError(type))));
      expect(error.fault).toBe(fault);
      expect(error.message).toContain("Sorry");
      await server!.stop();
    }
  });

  it.each(["chat", "compatible"] as const)("of %s", async (wire) => {
    const first = `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content: "Hi" } }] })}\n\n`;
    const late = `data: ${JSON.stringify(openaiBody("Rate limit", "rate_limit_exceeded", "rate_limit_error"))}\n\n`;
    for (const before of ["", first]) {
      const { error } = await hearFailure(openWire(wire, await streaming(before + late)));
      expect(error.fault).toBe("rate_limited");
      await server!.stop();
    }
  });

  it("of Responses", async () => {
    const failed = {
      type: "response.failed",
      sequence_number: 3,
      response: { error: { code: "server_error", message: "Sorry" }, incomplete_details: null, usage: null },
    };
    const plain = {
      type: "error",
      sequence_number: 2,
      error: { type: "rate_limit_error", code: "rate_limit_exceeded", message: "Slow down", param: null },
    };
    const created = { type: "response.created", response: { id: "r", created_at: 1, model: "x" } };
    const item = { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "msg" } };
    const text = (...events: any[]) => events.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join("");
    for (const [last, fault] of [
      [failed, "server_error"],
      [plain, "rate_limited"],
    ] as const)
      for (const before of [[created], [created, item]]) {
        const { error } = await hearFailure(openWire("responses", await streaming(text(...before, last))));
        expect(error.fault).toBe(fault);
        await server!.stop();
      }
  });

  it.each(WIRE_NAMES)("that is no JSON, from %s, is garbled", async (wire) => {
    // Events that are not known yet are legal in the Responses API.
    const misshapen = wire === "responses" ? [] : ['data: {"type":"message_start","message":7}\n\n'];
    for (const broken of ["data: {broken\n\n", "data: 17\n\n", ...misshapen]) {
      const { error } = await hearFailure(openWire(wire, await streaming(broken)));
      expect(error.fault, broken).toBe("garbled");
      await server!.stop();
    }
  });
  it.each(WIRE_NAMES)("a page in place of a stream, from %s, is no answer", async (wire) => {
    const { error } = await hearFailure(openWire(wire, await streaming("<html>Welcome to this network</html>")));
    expect(["cut", "garbled"]).toContain(error.fault);
  });
});
