import { describe, expect, it } from "vitest";
import { chooseLoopback } from "../../src/front/watch/server/loopback-address.ts";
import { createMemorySources, sampleQuestion } from "./memory-sources.ts";
import { codeOf, openClient } from "./watch-client.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe("the address", () => {
  it("it is a random one of 127.0.0.0/8 where the system answers for all of it, and 127.0.0.1 on macOS", async () => {
    for (const platform of ["linux", "win32"] as const) {
      const some = Array.from({ length: 200 }, () => chooseLoopback(platform));
      for (const address of some) expect(address).toMatch(/^127\.(?:\d{1,2}|1\d\d|2[0-4]\d|25[0-4])\.\d{1,3}\.\d{1,3}$/);
      for (const address of some) expect(address.startsWith("127.0.")).toBe(false);
      expect(new Set(some).size).toBeGreaterThan(150);
    }
    expect(chooseLoopback("darwin")).toBe("127.0.0.1");
    const { page } = await openClient({ platform: "darwin" });
    expect(page.origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it("a page listens on loopback alone", async () => {
    const { page } = await openClient();
    expect(new URL(page.origin).hostname).toMatch(/^127\./);
  });
});

describe("coming in", () => {
  it("a link carries 256 random bits in its fragment", async () => {
    const { page } = await openClient();
    const link = page.link();
    expect(link).toMatch(/^http:\/\/127\.[\d.]+:\d+\/#t=[\w-]{43}$/);
    expect(page.link()).not.toBe(link);
  });

  it("a code opens the page once, sets a cookie that no script reads, and is noted in the log", async () => {
    const { page, post, sources, cookieName } = await openClient();
    const token = codeOf(page.link());
    const first = await post("/enter", { token });
    expect(first.status).toBe(204);
    expect(first.headers["set-cookie"]).toEqual([expect.stringMatching(/^zeph-\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/)]);
    expect(first.headers["set-cookie"]![0]).toContain(`${cookieName}=`);
    expect(sources.notes).toEqual(["the page of zeph watch was opened by maria"]);
    const second = await post("/enter", { token });
    expect(second.status).toBe(403);
    expect(second.headers["set-cookie"]).toBeUndefined();
    expect(sources.notes).toHaveLength(1);
  });

  it("a code is good for a minute", async () => {
    let now = 1_000_000;
    const { page, post } = await openClient({ now: () => now });
    const late = codeOf(page.link());
    now += MINUTE;
    expect((await post("/enter", { token: late })).status).toBe(403);
    const early = codeOf(page.link());
    now += MINUTE - 1;
    expect((await post("/enter", { token: early })).status).toBe(204);
  });

  it("a new link makes the one before void", async () => {
    const { page, post } = await openClient();
    const before = codeOf(page.link());
    page.link();
    expect((await post("/enter", { token: before })).status).toBe(403);
  });

  it("wrong codes are counted: after ten not even the right one opens, until there is a new link", async () => {
    const { page, post, sources } = await openClient();
    const token = codeOf(page.link());
    for (let n = 0; n < 10; n += 1) expect((await post("/enter", { token: `wrong-${n}` })).status).toBe(403);
    const worn = await post("/enter", { token });
    expect(worn.status).toBe(429);
    expect(worn.text).toContain("Only a new link opens the page");
    expect((await post("/enter", { token: codeOf(page.link()) })).status).toBe(204);
    expect(sources.notes.join()).not.toContain("wrong");
  });

  it("an entry that cannot be noted in the log is none", async () => {
    const sources = { ...createMemorySources(), note: () => Promise.reject(new Error("the disk is full")) };
    const { page, post } = await openClient({ sources });
    const answer = await post("/enter", { token: codeOf(page.link()) });
    expect(answer.status).toBe(500);
    expect(answer.headers["set-cookie"]).toBeUndefined();
  });

  it("without scripts the code is typed into a form, which leads on to the page", async () => {
    const { page, ask, post } = await openClient();
    const door = await ask("/");
    expect(door.text).toContain('<form class="filters" method="post" action="/enter">');
    expect(door.text).toContain('name="token"');
    const entered = await post("/enter", { token: codeOf(page.link()) }, { headers: { accept: "text/html,*/*" } });
    expect([entered.status, entered.headers.location]).toEqual([303, "/"]);
    expect(entered.headers["set-cookie"]).toHaveLength(1);
  });

  it("nobody who has not come in sees anything: no page, no event, no answer", async () => {
    const { ask, post, sources } = await openClient();
    sources.ask(sampleQuestion());
    for (const path of ["/log", "/log/call-4", "/events", "/nothing", "/log?format=csv", "/kept"]) {
      const answer = await ask(path);
      expect([path, answer.status]).toEqual([path, 401]);
      expect(answer.text).not.toContain("git push");
    }
    const front = await ask("/");
    expect(front.status).toBe(200);
    expect(front.text).not.toContain("parser");
    expect((await post("/answer", { call: "asked-1", answer: "once" })).status).toBe(401);
    expect(sources.answers).toEqual([]);
    expect(sources.followers()).toBe(0);
  });

  it("a session ends after twelve hours", async () => {
    let now = 1_000_000;
    const client = await openClient({ now: () => now });
    await client.enter();
    now += 12 * HOUR - 1;
    expect((await client.ask("/log")).status).toBe(200);
    now += 1;
    expect((await client.ask("/log")).status).toBe(401);
  });

  it("a session ends with the process: another page does not know it", async () => {
    const first = await openClient();
    const second = await openClient();
    const entered = await first.post("/enter", { token: codeOf(first.page.link()) });
    const id = entered.headers["set-cookie"]![0]!.split(";")[0]!.split("=")[1]!;
    expect((await second.ask("/log", { headers: { cookie: `${second.cookieName}=${id}` } })).status).toBe(401);
    expect((await first.ask("/log", { headers: { cookie: `${first.cookieName}=${id}` } })).status).toBe(200);
  });

  it("of more than sixteen sessions the oldest ends", async () => {
    const client = await openClient();
    const cookies: string[] = [];
    for (let n = 0; n < 17; n += 1) {
      const entered = await client.post("/enter", { token: codeOf(client.page.link()) });
      cookies.push(entered.headers["set-cookie"]![0]!.split(";")[0]!);
    }
    const statuses = await Promise.all(cookies.map(async (cookie) => (await client.ask("/log", { headers: { cookie } })).status));
    expect(statuses).toEqual([401, ...Array(16).fill(200)]);
  });

  it("of two cookies of our name neither counts", async () => {
    const client = await openClient();
    const entered = await client.post("/enter", { token: codeOf(client.page.link()) });
    const cookie = entered.headers["set-cookie"]![0]!.split(";")[0]!;
    expect((await client.ask("/log", { headers: { cookie: `${cookie}; ${client.cookieName}=other` } })).status).toBe(401);
    expect((await client.ask("/log", { headers: { cookie: `other=1; ${cookie}` } })).status).toBe(200);
  });
});
