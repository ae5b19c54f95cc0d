import { describe, expect, it } from "vitest";
import { browser } from "./walls-browse.ts";
import { type Handler, httpsStand, PUBLIC } from "./walls-stands.ts";

const stand = httpsStand();

describe("redirects", () => {
  const chain = (...to: string[]): Handler => {
    let n = 0;
    return (_req, res) => {
      const location = to[n++];
      if (location !== undefined) res.writeHead(302, { location });
      res.end("end");
    };
  };
  it("are followed three times, each with a lookup and a socket of its own", async () => {
    stand.handle = chain("https://b.test/", "//c.test/x", "y?z=1");
    const by = stand.open();
    expect(await by.page("https://a.test/")).toMatchObject({ url: "https://c.test/y?z=1", text: "end" });
    expect(by.looked).toEqual(["a.test", "b.test", "c.test", "c.test"]);
    expect(by.egress.map(({ hop, status, host }) => [hop, status, host])).toEqual([
      [0, 302, "a.test"],
      [1, 302, "b.test"],
      [2, 302, "c.test"],
      [3, 200, "c.test"],
    ]);
  });
  it("a fourth is the end, and nobody looks where it leads", async () => {
    stand.handle = chain("https://b.test/", "https://c.test/", "https://d.test/", "https://e.test/");
    const by = stand.open();
    expect(await by.failure("https://a.test/")).toMatchObject({
      category: "permanent_failure",
      message: expect.stringContaining("more than 3 times"),
    });
    expect(by.looked).not.toContain("e.test");
  });
  it("to itself ends too", async () => {
    stand.handle = (_req, res) => void res.writeHead(301, { location: "/" }).end();
    expect(await stand.open().failure("https://a.test/")).toMatchObject({ category: "permanent_failure" });
    expect(stand.site.dialled).toHaveLength(4);
  });
  it.each([[""], [undefined]])("with location %j is no page", async (location) => {
    stand.handle = (_req, res) => void res.writeHead(302, location === undefined ? {} : { location }).end();
    expect(await stand.open().failure("https://a.test/")).toMatchObject({
      category: "permanent_failure",
      message: expect.stringContaining("without saying where"),
    });
  });
  it.each([
    ["http://b.test/", "scheme"],
    ["file:///etc/passwd", "scheme"],
    ["https://user:pw@b.test/", "userinfo"],
    ["https://b.test:8443/", "port"],
    ["https://localhost/", "private_name"],
    ["https://0x7f.1/", "private_address"],
    ["https://[::ffff:8.8.8.8]/", "private_address"],
    ["https://%5B::1]/", "url"],
    ["https://evil.test/", "denied_domains"],
  ])("to %s are refused, and the log says why", async (location, rule) => {
    stand.handle = chain(location);
    const by = stand.open({ config: { denied_domains: ["evil.test"] } });
    expect(await by.failure("https://a.test/")).toMatchObject({
      category: "policy_blocked",
      message: expect.stringMatching(/^The page redirects/),
    });
    expect(by.looked).toEqual(["a.test"]);
    expect(stand.site.dialled).toHaveLength(1);
    expect(by.egress).toHaveLength(2);
    expect(by.egress[1]).toMatchObject({ hop: 1, blocked: expect.stringMatching(new RegExp(`^${rule}: `)) });
    expect(by.egress[1]).not.toHaveProperty("address");
    expect(JSON.stringify(by.egress)).not.toContain("pw");
  });
  it("are asked about one by one, before anything is looked up", async () => {
    stand.handle = chain("https://B.test./one#x", "https://c.test/two?token=abc");
    const about: string[] = [];
    const by = stand.open({
      mayFollow: async (permit, url) => {
        about.push(`${permit.call.tool.name} ${url}`);
        return url.startsWith("https://c.test/") ? { rule: "fetch(https://c.test/*)", why: "Your rules deny it." } : null;
      },
    });
    expect(await by.failure("https://a.test/")).toMatchObject({
      category: "policy_blocked",
      message: "The page redirects to https://c.test/two?token=***, which is not allowed. Your rules deny it.",
    });
    expect(about).toEqual(["surf https://b.test/one", "surf https://c.test/two?token=abc"]);
    expect(by.looked).toEqual(["a.test", "b.test"]);
    expect(stand.site.dialled).toHaveLength(2);
    expect(by.egress).toHaveLength(3);
    expect(by.egress[2]).toMatchObject({ hop: 2, host: "c.test", blocked: "fetch(https://c.test/*): Your rules deny it." });
    expect(by.egress[2]).not.toHaveProperty("address");
  });
  it("are not followed when nobody can say whether they may be", async () => {
    stand.handle = chain("https://b.test/");
    const by = stand.open({ mayFollow: () => Promise.reject(new Error("The rules cannot be read.")) });
    await expect(by.page("https://a.test/")).rejects.toThrow("The rules cannot be read.");
    expect(by.looked).toEqual(["a.test"]);
  });
  it("may be written in UTF-8, or in what was there before it", async () => {
    stand.handle = chain(Buffer.from("/grüße").toString("latin1"));
    expect(await stand.open().page("https://a.test/")).toMatchObject({ url: "https://a.test/gr%C3%BC%C3%9Fe" });
    stand.handle = chain("/gr\u00fc\u00dfe");
    expect(await stand.open().page("https://a.test/")).toMatchObject({ url: "https://a.test/gr%C3%BC%C3%9Fe" });
    stand.handle = chain(Buffer.from("https://①②⑦.0.0.1/").toString("latin1"));
    const by = stand.open();
    expect(await by.failure("https://a.test/")).toMatchObject({ category: "policy_blocked" });
    expect(by.egress[1]).toMatchObject({ host: "127.0.0.1", blocked: expect.stringMatching(/^private_address/) });
  });
  it("are not read from other answers", async () => {
    stand.handle = (_req, res) =>
      void res.writeHead(200, { location: "https://127.0.0.1/", refresh: "0;url=https://127.0.0.1/" }).end("ok");
    expect(await stand.open().page("https://a.test/")).toMatchObject({ text: "ok", status: 200 });
  });
});

describe("in a lookup", () => {
  it("one private answer among public ones refuses the hop, and the asker does not learn it", async () => {
    const by = stand.open({ lookup: async () => [PUBLIC, "1.1.1.1", "10.1.2.3"] });
    const { category, message } = await by.failure("https://a.test/");
    expect(category).toBe("policy_blocked");
    expect(message).toBe("a.test stands for a private address. Only public addresses are allowed.");
    expect(by.egress).toMatchObject([{ blocked: expect.stringContaining("10.1.2.3") }]);
    expect(stand.site.dialled).toEqual([]);
  });
  it("are looked up once a hop: an answer that changes afterwards changes nothing", async () => {
    stand.handle = (_req, res) => void res.end("ok");
    const answers = [[PUBLIC], ["127.0.0.1"]];
    const by = stand.open({ lookup: async () => answers.shift() ?? ["127.0.0.1"] });
    expect((await by.page("https://a.test/")).text).toBe("ok");
    expect(by.looked).toHaveLength(1);
    expect(stand.site.dialled.map(({ address }) => address)).toEqual([PUBLIC]);
    expect(await by.failure("https://a.test/")).toMatchObject({ category: "policy_blocked" });
    expect(stand.site.dialled).toHaveLength(1);
  });
  it("with several addresses are tried in turn", async () => {
    stand.handle = (_req, res) => void res.end("ok");
    const tried: string[] = [];
    const by = browser({
      wires: {
        lookup: async () => ["1.1.1.1", "8.8.8.8"],
        dial: (to) => {
          tried.push(to.address);
          return to.address === "1.1.1.1" ? Promise.reject(Object.assign(new Error("no"), { code: "ECONNREFUSED" })) : stand.site.dial(to);
        },
      },
    });
    expect((await by.page("https://a.test/")).text).toBe("ok");
    expect(tried).toEqual(["1.1.1.1", "8.8.8.8"]);
    expect(by.egress).toMatchObject([{ address: "8.8.8.8" }]);
  });
  it.each<[string, () => Promise<any>]>([
    ["no answer", async () => []],
    ["no list", async () => "1.1.1.1"],
    ["a failure", () => Promise.reject(Object.assign(new Error("x"), { code: "ENOTFOUND" }))],
    [
      "a throw",
      () => {
        throw new Error("x");
      },
    ],
  ])("%s is a failure of the network", async (_name, lookup) => {
    const by = stand.open({ lookup });
    expect(await by.failure("https://a.test/")).toMatchObject({ category: "network_error", message: expect.stringContaining("a.test") });
    expect(by.egress).toMatchObject([{ hop: 0 }]);
    expect(by.egress[0]).not.toHaveProperty("blocked");
    expect(stand.site.dialled).toEqual([]);
  });
  it.each<[string, unknown]>([
    ["garbage", "93.184.215"],
    ["a zone", "2606:4700::1%eth0"],
    ["an octal", "093.184.215.14"],
    ["a number", 134744072],
    ["nothing", null],
  ])("%s as an answer is refused", async (_name, answer) => {
    const by = stand.open({ lookup: async () => [answer as string] });
    expect(await by.failure("https://a.test/")).toMatchObject({ category: "policy_blocked" });
    expect(stand.site.dialled).toEqual([]);
  });
  it("a dialler that fails, or gives no socket, is a failure of the network", async () => {
    for (const dial of [() => Promise.reject(new Error("x")), async () => undefined, async () => ({ on: 1 })]) {
      const by = browser({ wires: { lookup: async () => [PUBLIC], dial } });
      expect(await by.failure("https://a.test/")).toMatchObject({ category: "network_error" });
    }
  });
});
