import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { workspace } from "./workspace.ts";

const place = workspace([]);
const asked: string[] = [];
let server: Server;
beforeAll(async () => {
  server = createServer((req, res) => {
    asked.push(`${req.headers.host}${req.url}`);
    if (req.url === "/go") return res.writeHead(302, { location: "https://evil.example/data" }).end();
    res.writeHead(200, { "content-type": "text/plain" }).end("a page");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server.close();
  place.remove();
});

const web = {
  lookup: async () => ["93.184.216.34"],
  dial: async () =>
    new Promise<ReturnType<typeof connect>>((resolve, reject) => {
      const socket = connect((server.address() as AddressInfo).port, "127.0.0.1", () => resolve(socket));
      socket.on("error", reject);
    }),
};

describe("A redirect leads nowhere the call could not have gone itself", () => {
  const policy = (rules: object[], default_effect = "allow") => ({ policy: { enabled: true, default_effect, rules } });
  const scoped = (limits: object) => ({ scoped: { enabled: true, constraints: [{ tool: "fetch", ...limits }] } });
  it.each<[string, object, string]>([
    ["a policy that denies", policy([{ effect: "deny", tool: "*", paths: ["https://evil.example/*"] }]), "denied by policy"],
    [
      "a policy that allows another",
      policy([{ effect: "allow", tool: "fetch", paths: ["https://good.example/*"] }], "deny"),
      "denied by policy",
    ],
    ["an expression", policy([{ effect: "deny", tool: "fetch", args_match: "evil\\.example" }]), "denied by policy"],
    [
      "authorization",
      { authorization: { enabled: true, rules: [{ action: "deny", tools: ["fetch"], paths: ["https://evil.example/*"] }] } },
      "denied by policy",
    ],
    ["domains", scoped({ allowed_domains: ["good.example"] }), "allowed_domains"],
    ["text that must not occur", scoped({ deny_patterns: ["evil.example"] }), "deny_patterns"],
  ])("because of %s", async (_, tools, says) => {
    const zeph = await place.runtime({ web, config: { tools: { permissions: { fetch: [{ pattern: "*", action: "allow" }] }, ...tools } } });
    asked.length = 0;
    const outcome = await zeph.call("fetch", { url: "https://good.example/go" });
    expect(outcome).toMatchObject({ ok: false, error: { category: "policy_blocked", message: expect.stringContaining(says) } });
    expect(asked).toEqual(["good.example/go"]);
    expect((await zeph.call("fetch", { url: "https://good.example/page" })).ok).toBe(true);
    await zeph.close();
  });
});
