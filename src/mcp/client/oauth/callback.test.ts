import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { openCallback } from "./callback.ts";

const never = new AbortController().signal;
const waiting = (more: { port?: number; timeoutMs?: number; signal?: AbortSignal } = {}) =>
  openCallback({ state: "s1", signal: never, ...more });

/** The status, with any host in the header. */
const ask = (url: string, { host = new URL(url).host, method = "GET" } = {}) =>
  new Promise<number>((done, failed) => {
    request(url, { method, headers: { host } }, (res) => done(res.resume().statusCode!))
      .on("error", failed)
      .end();
  });

describe("the callback", () => {
  it("listens on this machine, takes the first answer with the state, and is gone", async () => {
    const { url, answer } = await waiting();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    expect(await ask(`${url}?state=s1&code=c1`)).toBe(200);
    expect((await answer).get("code")).toBe("c1");
    await expect(ask(`${url}?state=s1&code=c2`)).rejects.toThrow();
  });

  it("takes nothing else", async () => {
    const { url, answer, close } = await waiting();
    const good = `${url}?state=s1&code=c1`;
    expect(await ask(good, { method: "POST" })).toBe(404);
    expect(await ask(good, { host: "evil.example" })).toBe(404);
    expect(await ask(good.replace("/callback", "/"))).toBe(404);
    await expect(ask(good.replace("127.0.0.1", "127.0.0.2"), { host: new URL(url).host })).rejects.toThrow("ECONNREFUSED");
    expect(await ask(`${url}?code=c1`)).toBe(400);
    expect(await ask(`${url}?state=&code=c1`)).toBe(400);
    expect(await ask(`${url}?state=s1&state=s1&code=c1`)).toBe(400);
    close();
    await expect(answer).rejects.toThrow("given up");
  });

  it("shows a page that says nothing of what came, and runs nothing", async () => {
    const { url } = await waiting();
    const page = await fetch(`${url}?state=s1&error=<script>alert(1)</script>`);
    expect(await page.text()).toBe("The login was not completed. You can close this page.\n");
    expect(page.headers.get("content-type")).toContain("text/plain");
    expect(page.headers.get("content-security-policy")).toBe("default-src 'none'");
  });

  it("waits only so long, and only until it is cancelled", async () => {
    await expect((await waiting({ timeoutMs: 20 })).answer).rejects.toThrow("Nobody signed in");
    const stop = new AbortController();
    const { answer, url } = await waiting({ signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(answer).rejects.toThrow("enough");
    await expect(ask(url)).rejects.toThrow();
    await expect(waiting({ signal: stop.signal })).rejects.toThrow("enough");
  });

  it("takes the port it had, or another when that is taken", async () => {
    const first = await waiting();
    const port = Number(new URL(first.url).port);
    const second = await waiting({ port });
    expect(new URL(second.url).port).not.toBe(String(port));
    first.close();
    second.close();
    await first.answer.catch(() => {});
    const again = await waiting({ port });
    expect(again.url).toBe(first.url);
    again.close();
  });
});
