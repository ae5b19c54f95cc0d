import { expect, it } from "vitest";
import { baseUrlOf } from "./base-url.ts";
import { proxyFor } from "./proxy.ts";

const through = (address: string, env: Record<string, string>) => proxyFor(address, env)?.href ?? null;

it.each([
  ["https://api.example/v1", { HTTPS_PROXY: "http://p.example:3128" }, "http://p.example:3128/"],
  ["https://api.example/v1", { https_proxy: "p.example:3128" }, "http://p.example:3128/"],
  ["https://api.example/v1", { https_proxy: "http://small.example", HTTPS_PROXY: "http://large.example" }, "http://small.example/"],
  ["https://api.example/v1", { HTTP_PROXY: "http://p.example" }, null],
  ["http://api.example/v1", { HTTP_PROXY: "http://p.example", HTTPS_PROXY: "http://q.example" }, "http://p.example/"],
  ["http://api.example/v1", { http_proxy: "  " }, null],
  ["http://127.0.0.1:11434/v1", { HTTP_PROXY: "http://p.example" }, null],
  ["http://localhost/v1", { HTTP_PROXY: "http://p.example" }, null],
] as const)("a request to %s with %o goes through %s", (address, env, proxy) => {
  expect(through(address, env)).toBe(proxy);
});

it.each([
  ["*", null],
  ["api.example", null],
  ["other.example, .example", null],
  ["example", null],
  ["API.EXAMPLE:443", null],
  ["*.example", null],
  ["api.example:8080", "http://p.example/"],
  ["pi.example", "http://p.example/"],
  ["notexample", "http://p.example/"],
  [",, ", "http://p.example/"],
])("NO_PROXY=%s: a request to api.example goes through %s", (list, proxy) => {
  expect(through("https://api.example/v1", { HTTPS_PROXY: "http://p.example", NO_PROXY: list })).toBe(proxy);
  expect(through("https://api.example/v1", { HTTPS_PROXY: "http://p.example", no_proxy: list })).toBe(proxy);
});

it("a proxy that is none, or of a kind nobody speaks here, is an error that does not show it: it may hold a password", () => {
  expect(() => through("https://api.example", { HTTPS_PROXY: "http://u:hunter2@" })).toThrow(/^HTTPS_PROXY is not the address of a proxy/);
  expect(() => through("https://api.example", { https_proxy: "socks5://u:hunter2@p.example" })).toThrow(
    /^HTTPS_PROXY names a proxy of the kind socks5; only/,
  );
});

it("an address of a model is the configured one, else the person's variable, else the usual one", () => {
  const env = { ANTHROPIC_BASE_URL: "https://gate.example/", OPENAI_BASE_URL: "https://other.example/v1", OLLAMA_HOST: "box:1" };
  expect(baseUrlOf({ name: "a", type: "anthropic", base_url: "https://mine.example/" }, env)).toEqual({
    url: "https://mine.example",
    from: "base_url",
  });
  expect(baseUrlOf({ name: "a", type: "anthropic" }, env)).toEqual({ url: "https://gate.example", from: "ANTHROPIC_BASE_URL" });
  expect(baseUrlOf({ name: "a", type: "openai" }, env)).toEqual({ url: "https://other.example/v1", from: "OPENAI_BASE_URL" });
  expect(baseUrlOf({ name: "a", type: "ollama" }, env)).toEqual({ url: "http://box:1/v1", from: "OLLAMA_HOST" });
  expect(baseUrlOf({ name: "a", type: "openai" }, {})).toMatchObject({ from: "default" });
  for (const given of ["no address", "file:///etc/passwd", "https://key@gate.example"])
    expect(() => baseUrlOf({ name: "a", type: "anthropic" }, { ANTHROPIC_BASE_URL: given })).toThrow(
      /^ANTHROPIC_BASE_URL is not an address without a key in it/,
    );
});
