import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createAuthFetch, mayBeAsked } from "./auth-fetch.ts";

async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.each([
  ["https://login.example/token", "https://mcp.example/mcp", true],
  ["http://login.example/token", "https://mcp.example/mcp", false],
  ["http://127.0.0.1:8080/token", "https://mcp.example/mcp", false],
  ["http://169.254.169.254/latest", "http://127.0.0.1/mcp", false],
  ["http://127.0.0.1:8080/token", "http://localhost:3000/mcp", true],
  ["http://intranet:8080/token", "http://intranet:8080/mcp", true],
  ["http://intranet:8081/token", "http://intranet:8080/mcp", false],
  ["https://user@login.example/", "https://mcp.example/mcp", false],
  ["https://:pass@login.example/", "https://mcp.example/mcp", false],
  ["https://user:pass@login.example/", "https://mcp.example/mcp", false],
  ["file:///etc/passwd", "https://mcp.example/mcp", false],
  ["javascript:alert(1)", "https://mcp.example/mcp", false],
])("%s, named by %s: %s", async (url, server, may) => {
  expect(mayBeAsked(new URL(url), new URL(server))).toBe(may);
  if (!may)
    await expect(createAuthFetch(server, () => Promise.reject(new Error("it was asked")))(url)).rejects.toThrow(
      "has to be reached by https",
    );
});

it("the fetch of a login follows a redirect of a question within the origin, and no other", async () => {
  const other = await serving((_, res) => res.end("elsewhere"));
  const here: string = await serving((req, res) => {
    if (req.url === "/end") return res.end("here");
    const to = { "/within": "/end", "/away": `${other}/`, "/round": "/round" }[req.url!]!;
    res.writeHead(307, { location: to }).end();
  });
  const fetch = createAuthFetch(`${here}/mcp`);
  expect(await (await fetch(`${here}/within`)).text()).toBe("here");
  expect((await fetch(`${here}/away`)).status).toBe(307);
  expect((await fetch(`${here}/round`)).status).toBe(307);
  expect((await fetch(`${here}/within`, { method: "POST", body: "secret" })).status).toBe(307);
});

it("the fetch of a login reads only so much", async () => {
  const here = await serving((_, res) => {
    const more = () => {
      while (res.write("x".repeat(100_000)));
      res.once("drain", more);
    };
    more();
  });
  await expect(createAuthFetch(`${here}/mcp`)(`${here}/`)).rejects.toThrow("more than 1000000 bytes");
});

it("the fetch of a login ends with the signal", async () => {
  const here = await serving(() => {});
  await expect(createAuthFetch(`${here}/mcp`)(`${here}/`, { signal: AbortSignal.timeout(50) })).rejects.toThrow();
});

it("what could not be reached is named, and why", async () => {
  const gone = createServer();
  await new Promise<void>((done) => gone.listen(0, "127.0.0.1", done));
  const { port } = gone.address() as AddressInfo;
  await new Promise((done) => gone.close(done));
  const fetch = createAuthFetch("http://127.0.0.1:3000/mcp");
  await expect(fetch(`http://127.0.0.1:${port}/token?secret=1`)).rejects.toThrow(new TypeError(`ECONNREFUSED at http://127.0.0.1:${port}`));
  await expect(fetch("http://127.0.0.1:1/token")).rejects.toThrow("bad port at http://127.0.0.1:1");
});
