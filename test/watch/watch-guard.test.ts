import { describe, expect, it } from "vitest";
import { sampleQuestion } from "./memory-sources.ts";
import { openClient } from "./watch-client.ts";

const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

describe("a request of somebody else's page", () => {
  it("it is refused under every name but ours, letter by letter", async () => {
    const client = await openClient();
    await client.enter();
    const { port } = new URL(client.page.origin);
    for (const host of [
      `localhost:${port}`,
      `127.0.0.1:${port}`,
      "evil.example",
      `${client.name}.`,
      client.name.replace(/:\d+$/, ""),
      `x${client.name}`,
    ])
      expect([host, (await client.ask("/log", { headers: { host } })).status]).toEqual([host, 403]);
    expect((await client.ask("/log")).status).toBe(200);
    const mac = await openClient({ platform: "darwin" });
    await mac.enter();
    expect((await mac.ask("/log", { headers: { host: mac.name.replace("127.0.0.1", "localhost") } })).status).toBe(403);
    expect((await mac.ask("/log")).status).toBe(200);
  });

  it("it is refused with any other Origin", async () => {
    const client = await openClient();
    await client.enter();
    const { origin } = client.page;
    for (const other of [
      "null",
      "http://evil.example",
      origin.replace("http:", "https:"),
      origin.replace(/\d+$/, "1"),
      `${origin}/`,
      origin.toUpperCase(),
    ])
      expect([other, (await client.ask("/log", { headers: { origin: other } })).status]).toEqual([other, 403]);
    expect((await client.ask("/log", { headers: { origin } })).status).toBe(200);
  });

  it("it is refused where the browser says that another site made it", async () => {
    const client = await openClient();
    await client.enter();
    for (const way of ["cross-site", "same-site", "", "SAME-ORIGIN", "same-origin, none"])
      expect([way, (await client.ask("/log", { headers: { "sec-fetch-site": way } })).status]).toEqual([way, 403]);
    for (const way of ["same-origin", "none"]) expect((await client.ask("/log", { headers: { "sec-fetch-site": way } })).status).toBe(200);
  });

  it("it is refused before its code is looked at", async () => {
    const { page, post } = await openClient();
    const token = page.link().split("#t=")[1]!;
    for (const headers of [
      { origin: "http://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { host: "evil.example" },
      { origin: null },
    ])
      expect((await post("/enter", { token }, { headers })).status).toBe(403);
    expect((await post("/enter", { token })).status).toBe(204);
  });
});

describe("a form", () => {
  it("it is taken with our Origin and the mark of its reader alone", async () => {
    const client = await openClient();
    await client.enter();
    client.sources.ask(sampleQuestion());
    const mark = await client.mark();
    const form = { call: "asked-1", answer: "once" };
    expect((await client.post("/answer", { ...form, mark }, { headers: { origin: null } })).status).toBe(403);
    expect((await client.post("/answer", { ...form, mark }, { headers: { origin: "null" } })).status).toBe(403);
    expect((await client.post("/answer", form)).status).toBe(403);
    expect((await client.post("/answer", { ...form, mark: `${mark.slice(0, -1)}!` })).status).toBe(403);
    expect(client.sources.answers).toEqual([]);
    expect((await client.post("/answer", { ...form, mark })).status).toBe(303);
    expect(client.sources.answers).toHaveLength(1);
  });

  it("the mark of one reader is worth nothing to another", async () => {
    const client = await openClient();
    await client.enter();
    const first = await client.mark();
    await client.enter();
    expect(await client.mark()).not.toBe(first);
    expect((await client.post("/verify", { mark: first })).status).toBe(403);
  });

  it("it has a bounded size and number of fields, and is a form", async () => {
    const client = await openClient();
    await client.enter();
    const mark = await client.mark();
    expect((await client.post("/verify", { mark, text: "x".repeat(200_000) })).status).toBe(413);
    expect((await client.post("/enter", { token: "x".repeat(200_000) })).status).toBe(413);
    const endless = await client.ask("/verify", {
      method: "POST",
      headers: { origin: client.page.origin, "content-type": "application/x-www-form-urlencoded", "transfer-encoding": "chunked" },
      body: `mark=${mark}&text=${"x".repeat(200_000)}`,
    });
    expect(endless.status).toBe(413);
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`f${n}`, "1"]));
    expect((await client.post("/verify", { mark, ...many })).status).toBe(400);
    expect((await client.post("/verify", { mark }, { headers: { "content-type": "text/plain" } })).status).toBe(415);
    expect((await client.post("/verify", { mark }, { headers: { "content-type": "application/json" } })).status).toBe(415);
    expect((await client.post("/verify", { mark })).status).toBe(303);
  });
});

describe("at 127.0.0.1, where other programs are sent our cookie", () => {
  it("a form also carries the key that only the tab has that came in", async () => {
    const client = await openClient({ platform: "darwin" });
    const entered = await client.post("/enter", { token: client.page.link().split("#t=")[1]! });
    expect([entered.status, entered.text]).toEqual([200, expect.stringMatching(/^[\w-]{43}$/)]);
    const cookie = entered.headers["set-cookie"]![0]!.split(";")[0]!;
    const { text } = await client.ask("/log", { headers: { cookie } });
    expect(text).not.toContain(entered.text);
    const mark = /name="mark" value="([\w-]+)"/.exec(text)![1]!;
    const headers = { cookie };
    expect((await client.post("/verify", { mark }, { headers })).status).toBe(403);
    expect((await client.post("/verify", { mark, tab: mark }, { headers })).status).toBe(403);
    expect((await client.post("/verify", { mark, tab: entered.text }, { headers })).status).toBe(303);
  });
});

describe("a program that is not the person's", () => {
  it("it posts nothing: it does not come in, and it does not answer", async () => {
    let refused: string | null = "another user of this machine sent it";
    const client = await openClient({ refusePeer: ({ localPort, remotePort }) => (localPort && remotePort ? refused : null) });
    const token = client.page.link().split("#t=")[1]!;
    const first = await client.post("/enter", { token });
    expect([first.status, first.text]).toEqual([403, "Forbidden: another user of this machine sent it.\n"]);
    refused = null;
    await client.enter();
    client.sources.ask(sampleQuestion());
    const form = { call: "asked-1", answer: "once", mark: await client.mark() };
    refused = "a program that an agent started sent it";
    expect((await client.post("/answer", form)).status).toBe(403);
    expect(client.sources.answers).toEqual([]);
  });
});

describe("every answer", () => {
  it("it carries the headers that keep other pages and scripts out", async () => {
    const client = await openClient();
    const before = [
      await client.ask("/"),
      await client.ask("/log"),
      await client.ask("/style.css"),
      await client.ask("/", { headers: { host: "x" } }),
    ];
    await client.enter();
    const after = [
      await client.ask("/"),
      await client.ask("/log?format=csv"),
      await client.ask("/nothing"),
      await client.post("/verify", { mark: await client.mark() }),
      await client.post("/enter", { token: "wrong" }),
    ];
    const events = await client.open("/events");
    events.destroy();
    for (const { headers } of [...before, ...after, events]) expect(headers).toMatchObject(HEADERS);
  });

  it("no page has a script, a style or a handler inside of it, and none names another machine", async () => {
    const client = await openClient();
    const door = await client.ask("/");
    await client.enter();
    client.sources.ask(sampleQuestion());
    const pages = [door, ...(await Promise.all(["/", "/log", "/log/call-4"].map((path) => client.ask(path))))];
    for (const { text } of pages) {
      expect(text).toMatch(/<title>.*Zeph watch<\/title>/);
      expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?! type="module" src="\/(?:client|door)\.js"><\/script>)/i);
      expect(text).not.toMatch(/(?:src|href|action)="(?!\/|#|data:,")/);
    }
  });

  it("unknown addresses are 404, and methods that are not theirs 405 with those that are", async () => {
    const client = await openClient();
    await client.enter();
    for (const path of ["/nothing", "/log/a/b", "/log/", "/log/unknown-call", "/../etc/passwd", "/console"])
      expect([path, (await client.ask(path)).status]).toEqual([path, 404]);
    // Pages of earlier versions.
    for (const [path, command] of [
      ["/memory", "zeph memory"],
      ["/schedule/x/remove", "zeph schedule"],
      ["/savings?days=7", "zeph filter savings"],
    ] as const)
      expect(await client.ask(path)).toMatchObject({ status: 404, text: expect.stringContaining(`In a terminal: ${command}`) });
    for (const [path, method, allow] of [
      ["/log", "POST", "GET"],
      ["/log", "DELETE", "GET"],
      ["/answer", "GET", "POST"],
      ["/verify", "PUT", "POST"],
      ["/enter", "GET", "POST"],
    ] as const) {
      const answer = await client.ask(path, { method, headers: { origin: client.page.origin } });
      expect([path, method, answer.status, answer.headers.allow]).toEqual([path, method, 405, allow]);
    }
    expect((await client.ask("http://evil.example/")).status).toBe(400);
    expect((await client.ask("//evil.example/")).status).toBe(400);
  });

  it("a NUL character in an address is refused, wherever it stands", async () => {
    const client = await openClient();
    await client.enter();
    for (const path of ["/log/%00", "/kept/a%00", "/log?tool=%00", "/report/%00?x", "/%00"])
      expect((await client.ask(path)).status).toBe(400);
    expect((await client.ask("/log?q=%2500")).status).toBe(200);
  });

  it("half a character in an address is refused, wherever it stands", async () => {
    const client = await openClient();
    await client.enter();
    for (const path of ["/log/%ed%a0%80", "/log?tool=%ed%a0%80", "/log?tool=a%ff", "/%c3"])
      expect((await client.ask(path)).status).toBe(400);
    expect((await client.ask("/log?q=%c3%a4")).status).toBe(200);
  });

  it("a page that fails says so without secrets, and the next one works", async () => {
    const client = await openClient();
    await client.enter();
    const { totals } = client.sources.log;
    (client.sources.log as { totals: unknown }).totals = () => Promise.reject(new Error("cannot read with hunter2"));
    const failed = await client.ask("/");
    expect([failed.status, failed.text]).toEqual([500, "This page could not be made: cannot read with [secret]\n"]);
    (client.sources.log as { totals: unknown }).totals = totals;
    expect((await client.ask("/")).status).toBe(200);
  });
});
