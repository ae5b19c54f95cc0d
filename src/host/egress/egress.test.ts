import { once } from "node:events";
import { statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { PUBLIC, type StandIn, standIn, talkTo } from "../../../test/egress/stand-in.ts";
import type { EgressAnswer, EgressCommand } from "./approvals.ts";
import type { EgressRun } from "./egress.ts";

const TUNNEL = "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n";
const ESTABLISHED = "HTTP/1.1 200 Connection established\r\n\r\n";

/** What the proxy answers to this, until it hangs up. */
async function answerTo({ client }: StandIn, sent: string): Promise<string> {
  const talk = await client();
  talk.say(Buffer.from(sent, "latin1"));
  return talk.rest();
}

/** Answers one request in the way of HTTP, and closes. */
const page = (socket: Socket): void =>
  void socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"));

const settled = async ({ lines }: StandIn, count = 1) => expect.poll(() => lines.length).toBe(count);

describe("A tunnel through the proxy", () => {
  it("carries bytes both ways to exactly one checked address, and its line counts them", async () => {
    const here = await standIn({ lookup: async () => [PUBLIC, "93.184.215.15"] });
    const talk = await here.client();
    talk.say(TUNNEL);
    await talk.hears(ESTABLISHED);
    talk.say("ping");
    expect(await talk.hears("ping")).toBe(`${ESTABLISHED}ping`);
    talk.socket.end();
    await talk.rest();
    await settled(here);
    expect(here.dialled).toEqual([PUBLIC]);
    expect(here.lines[0]).toMatchObject({
      host: "a.example",
      port: 443,
      address: PUBLIC,
      verdict: "ok",
      sent: 4,
      received: 4,
      ms: expect.any(Number),
    });
  });

  it("stays open for the answer when the client has said its last", async () => {
    const here = await standIn({
      server: (socket) => void socket.on("end", () => socket.end("late answer")),
    });
    const talk = await here.client();
    talk.say(TUNNEL);
    await talk.hears(ESTABLISHED);
    talk.socket.end("question");
    expect(await talk.rest()).toBe(`${ESTABLISHED}late answer`);
    expect(here.heard).toEqual(["question"]);
  });

  it("stays open for the client when the server has said its last", async () => {
    const here = await standIn({ server: (socket) => void socket.end("bye") });
    const talk = await here.client();
    talk.say(TUNNEL);
    await talk.hears(`${ESTABLISHED}bye`);
    talk.say("and this");
    talk.socket.end();
    await settled(here);
    expect(here.heard).toEqual(["and this"]);
    expect(here.lines[0]).toMatchObject({ sent: 8, received: 3 });
  });

  it("carries megabytes whole, faster than the one side reads", async () => {
    const here = await standIn({ server: (socket) => void socket.on("end", () => socket.end(Buffer.alloc(5_000_000, "b"))) });
    const talk = await here.client();
    talk.say(TUNNEL);
    await talk.hears(ESTABLISHED);
    talk.socket.pause();
    talk.socket.end(Buffer.alloc(5_000_000, "a"));
    await expect.poll(() => here.heard[0]?.length).toBe(5_000_000);
    talk.socket.resume();
    expect((await talk.rest()).length).toBe(ESTABLISHED.length + 5_000_000);
    await settled(here);
    expect(here.lines[0]).toMatchObject({ sent: 5_000_000, received: 5_000_000 });
  });

  it("ends for the server when the client is gone, and for the client when the server is", async () => {
    const ended: string[] = [];
    const here = await standIn({ server: (socket) => void socket.on("end", () => ended.push("server")) });
    const talk = await here.client();
    talk.say(TUNNEL);
    await talk.hears(ESTABLISHED);
    talk.socket.destroy();
    await expect.poll(() => ended).toEqual(["server"]);
    const other = await standIn({ server: (socket) => void socket.resetAndDestroy() });
    expect(await answerTo(other, TUNNEL)).toContain("HTTP/1.1 ");
  });

  it.each([
    ["closes it", (socket: Socket) => void socket.end()],
    ["resets it", (socket: Socket) => void socket.resetAndDestroy()],
  ])("has failed where the server %s without an answer", async (_, leave) => {
    const here = await standIn({ server: (socket) => void socket.once("data", () => leave(socket)) });
    const talk = await here.client();
    talk.say(TUNNEL);
    await talk.hears(ESTABLISHED);
    talk.say("question");
    await talk.rest();
    talk.socket.end();
    await settled(here);
    expect(here.lines[0]).toMatchObject({ verdict: "ok", received: 0, failed: expect.stringMatching(/^no answer came$|ECONNRESET/) });
  });

  it("has failed where the server breaks it off in the middle of an answer", async () => {
    const here = await standIn({
      server(socket) {
        socket.write("half");
        // With more on its way that nobody reads, this is a reset.
        socket.once("data", () => socket.destroy());
      },
    });
    const talk = await here.client();
    talk.say(TUNNEL);
    await talk.hears(`${ESTABLISHED}half`);
    talk.say(Buffer.alloc(4_000_000, "q"));
    await settled(here);
    expect(here.lines[0]).toMatchObject({
      received: 4,
      failed: expect.stringMatching(/^the server broke it off \((?:ECONNRESET|EPIPE)\)$/),
    });
  });

  it("has failed where nothing comes for too long, or the command goes away before an answer", async () => {
    const here = await standIn({ server: () => {}, limits: { idleMs: 300 } });
    const talk = await here.client();
    talk.say(TUNNEL);
    await talk.rest();
    await settled(here);
    const other = await standIn({ server: (socket) => void socket.on("end", () => socket.end()) });
    const leaving = await other.client();
    leaving.say(TUNNEL);
    await leaving.hears(ESTABLISHED);
    leaving.say("question");
    await expect.poll(() => other.heard).toEqual(["question"]);
    leaving.socket.destroy();
    await settled(other);
    expect([here.lines[0], other.lines[0]]).toMatchObject([{ failed: "no answer came in 0 s" }, { failed: "no answer came", sent: 8 }]);
  });

  it("has not failed where a server resets what both had ended", async () => {
    const here = await standIn({ server: (socket) => void socket.once("data", () => socket.end("answer")) });
    const talk = await here.client();
    talk.say(TUNNEL);
    await talk.hears(ESTABLISHED);
    talk.say("question");
    await talk.hears(`${ESTABLISHED}answer`);
    talk.socket.end();
    await settled(here);
    expect(here.lines[0]).not.toHaveProperty("failed");
  });

  it("says nothing to a server before it stands", async () => {
    const here = await standIn();
    expect(await answerTo(here, `${TUNNEL}early`)).toMatch(/^HTTP\/1\.1 400 /);
    expect([here.dialled, here.heard]).toEqual([[], []]);
  });
});

describe("A plain request through the proxy", () => {
  it("reaches the server as the one request it is, with the host that was judged", async () => {
    const here = await standIn({ server: page });
    const sent =
      "POST http://a.example/x?y HTTP/1.1\r\nHost: evil.example\r\nProxy-Authorization: Basic eA==\r\nContent-Length: 2\r\n\r\nab";
    expect(await answerTo(here, sent)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*hi$/s);
    expect(here.heard).toEqual(["POST /x?y HTTP/1.1\r\nHost: a.example\r\nContent-Length: 2\r\nConnection: close\r\n\r\nab"]);
    await settled(here);
    expect(here.lines[0]).toMatchObject({ port: 80, verdict: "ok" });
  });

  it.each([
    ["glued to the first", "GET http://a.example/ HTTP/1.1\r\n\r\nGET http://b.example/secret HTTP/1.1\r\n\r\n"],
    ["behind a body", "POST http://a.example/ HTTP/1.1\r\nContent-Length: 2\r\n\r\nabGET /secret HTTP/1.1\r\n\r\n"],
    ["behind chunks", "POST http://a.example/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /secret HTTP/1.1\r\n\r\n"],
    [
      "in a length and chunks",
      "POST http://a.example/ HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /secret HTTP/1.1\r\n\r\n",
    ],
    ["in a header", "GET http://a.example/ HTTP/1.1\r\nX: a\nGET /secret HTTP/1.1\r\n\r\n"],
    ["in its address", "GET http://a.example/\r\nGET /secret HTTP/1.1\r\n\r\n"],
  ])("never carries a second one: %s", async (_, sent) => {
    const here = await standIn({ server: () => {}, allow: ["a.example", "b.example"] });
    await answerTo(here, sent);
    expect(here.heard.join("")).not.toContain("secret");
  });

  it("carries no second one that comes after the answer, either", async () => {
    const here = await standIn({
      server: (socket) => void socket.on("data", () => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")),
    });
    const talk = await here.client();
    talk.say("GET http://a.example/ HTTP/1.1\r\n\r\n");
    await talk.hears("hi");
    talk.say("GET http://a.example/secret HTTP/1.1\r\n\r\n");
    await talk.rest();
    expect(here.heard).toEqual([expect.not.stringContaining("secret")]);
  });
});

const socks = (host: string, port: number) =>
  Buffer.concat([Buffer.from([5, 1, 0, 3, host.length]), Buffer.from(host), Buffer.from([port >> 8, port & 255])]);

describe("SOCKS5 through the proxy", () => {
  it("carries bytes by name", async () => {
    const here = await standIn();
    const talk = await here.client();
    talk.say(Buffer.from([5, 2, 0, 1]));
    await talk.hears("\x05\x00");
    talk.say(socks("a.example", 443));
    await talk.hears("\x05\x00\x05\x00\x00\x01");
    talk.say("ping");
    await talk.hears("ping");
    talk.socket.end();
    await settled(here);
    expect(here.lines[0]).toMatchObject({ host: "a.example", verdict: "ok", sent: 4 });
  });

  it.each([
    ["an IPv4 address", Buffer.from([5, 1, 0, 1, 127, 0, 0, 1, 0, 80])],
    ["an IPv6 address", Buffer.from([5, 1, 0, 4, ...new Array(15).fill(0), 1, 0, 80])],
    ["an IPv4 address in disguise", Buffer.from([5, 1, 0, 4, ...new Array(10).fill(0), 255, 255, 127, 0, 0, 1, 0, 80])],
    ["an address as a name", socks("169.254.169.254", 80)],
    ["a name that is closed", socks("b.example", 443)],
  ])("refuses %s", async (_, request) => {
    const here = await standIn();
    const talk = await here.client();
    talk.say(Buffer.concat([Buffer.from([5, 1, 0]), request]));
    expect(await talk.rest()).toBe("\x05\x00\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00");
    expect(here.dialled).toEqual([]);
    expect(here.lines).toMatchObject([{ verdict: "refused" }]);
  });

  it.each([
    ["with a ticket of Kerberos only", Buffer.from([5, 1, 1]), "\x05\xff"],
    ["with a password in another form", Buffer.from([5, 1, 2, 7, 1, 97, 1, 98]), "\x05\x02"],
    ["to listen", Buffer.from([5, 1, 0, 5, 2, 0, 1, 1, 1, 1, 1, 0, 80]), "\x05\x00"],
    ["in another version", Buffer.from([5, 1, 0, 4, 1, 0, 3, 1, 97, 0, 80]), "\x05\x00"],
  ])("is hung up on %s", async (_, sent, said) => {
    const here = await standIn();
    const talk = await here.client();
    talk.say(sent);
    expect(await talk.rest()).toBe(said);
  });
});

describe("The credential of a command", () => {
  const basic = (credential: string) => `Proxy-Authorization: Basic ${Buffer.from(`zeph:${credential}`).toString("base64")}\r\n`;
  const tunnel = (credential: string) => `CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n${basic(credential)}\r\n`;
  const bySocks = (credential: string) =>
    Buffer.concat([
      Buffer.from([5, 2, 0, 2, 1, 4]),
      Buffer.from("zeph"),
      Buffer.from([credential.length]),
      Buffer.from(credential),
      socks("a.example", 443),
    ]);
  const established = async (here: StandIn, bytes: string) => {
    const talk = await here.client();
    talk.say(bytes);
    return (await talk.hears("\r\n\r\n")).startsWith(ESTABLISHED);
  };
  const OPENED_BY_SOCKS = "\x05\x02\x01\x00\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00";

  it("says whose connection it is: a yes for one command opens nothing for another that runs beside it", async () => {
    const answers: EgressAnswer[] = ["once", "no"];
    const here = await standIn({ allow: [], ask: async () => answers.shift()! });
    const [first, second] = ["npm ci", "sh x.sh"].map((text) => here.command(text)) as [EgressCommand, EgressCommand];
    const [one, other] = [here.egress.begin(first), here.egress.begin(second)];
    const talk = await here.client();
    talk.say(tunnel(one.credential));
    await talk.hears(ESTABLISHED);
    expect(await answerTo(here, tunnel(other.credential))).toContain("the user said no");
    expect(here.asked.map(({ commands }) => commands)).toEqual([[first], [second]]);
    const again = await here.client();
    again.say(bySocks(one.credential));
    await again.hears(OPENED_BY_SOCKS);
    expect(here.asked.length).toBe(2);
    expect((await other.end()).refusals).toMatchObject([{ host: "a.example" }]);
    expect((await one.end()).refusals).toEqual([]);
  });

  it("ends with its command", async () => {
    const here = await standIn({ allow: [], ask: async () => "once" });
    const run = here.egress.begin(here.command());
    const talk = await here.client();
    talk.say(tunnel(run.credential));
    await talk.hears(ESTABLISHED);
    await run.end();
    expect(await talk.rest()).toBe(ESTABLISHED);
    // Another one that has a yes of its own for the same name lends it to nobody.
    const later = here.egress.begin(here.command("later"));
    expect(await established(here, tunnel(later.credential))).toBe(true);
    for (const credential of [run.credential, "", "0".repeat(32)]) expect(await answerTo(here, tunnel(credential))).toContain("403 Closed");
    expect(here.asked.length).toBe(2);
  });

  it("is asked for anew where it is missing and a command has just ended: what that one sent may come late", async () => {
    const answers: EgressAnswer[] = ["once", "no"];
    const here = await standIn({ allow: [], ask: async () => answers.shift() ?? "once", limits: { leftoverMs: 200 } });
    const [one, other] = ["one", "other"].map((text) => here.egress.begin(here.command(text))) as [EgressRun, EgressRun];
    expect(await established(here, tunnel(one.credential))).toBe(true);
    // It came while both ran, and says what it wants when one of them is gone.
    const early = await here.client();
    await other.end();
    early.say(TUNNEL);
    expect(await early.rest()).toContain("the user said no");
    expect(await established(here, TUNNEL)).toBe(true);
    expect(await established(here, tunnel(one.credential))).toBe(true);
    expect(here.asked.length).toBe(3);
    // When nothing can be on its way any more, the one that runs is the only one that may have sent it.
    await expect
      .poll(async () => {
        const before = here.asked.length;
        expect(await established(here, TUNNEL)).toBe(true);
        return here.asked.length - before;
      })
      .toBe(0);
  });

  it("may be missing: then each command that runs needs a yes", async () => {
    const answers: EgressAnswer[] = ["once", "once"];
    const here = await standIn({ allow: [], ask: async () => answers.shift()! });
    const commands = ["a", "b"].map((text) => here.command(text));
    here.egress.begin(commands[0]!);
    const alone = await here.client();
    alone.say(TUNNEL);
    await alone.hears(ESTABLISHED);
    here.egress.begin(commands[1]!);
    const beside = await here.client();
    beside.say(TUNNEL);
    await beside.hears(ESTABLISHED);
    expect(here.asked.map(({ commands }) => commands)).toEqual([[commands[0]], [commands[1]]]);
  });

  it("is not sent on to the server", async () => {
    const here = await standIn({ server: page });
    const run = here.egress.begin(here.command());
    await answerTo(here, `GET http://a.example/ HTTP/1.1\r\n${basic(run.credential)}\r\n`);
    expect(here.heard[0]).toContain("GET / HTTP/1.1");
    expect(here.heard[0]).not.toMatch(/proxy-authorization/i);
  });

  it("that stands there twice is no request", async () => {
    const here = await standIn();
    const run = here.egress.begin(here.command());
    const twice = `GET http://a.example/ HTTP/1.1\r\n${basic(run.credential)}${basic("x")}\r\n`;
    expect(await answerTo(here, twice)).toContain("two headers proxy-authorization");
  });
});

describe("A name that is closed", () => {
  it.each([
    "127.0.0.1:80",
    "[::1]:80",
    "169.254.169.254:80",
    "[::ffff:169.254.169.254]:80",
    "2130706433:80",
    "0x7f000001:80",
    "0177.0.0.1:80",
    "localhost:80",
    "localhost.:443",
    "metadata.internal:80",
    "a.example:22",
    "a.example.:8443",
    "b.example:443",
    "a.example%00.b.example:443",
  ])("is answered with 403 and a reason, and nothing is looked up or dialled: %s", async (target) => {
    const looked: string[] = [];
    const here = await standIn({
      lookup: async (host) => {
        looked.push(host);
        return [PUBLIC];
      },
    });
    const told = await answerTo(here, `CONNECT ${target} HTTP/1.1\r\nHost: a.example\r\n\r\n`);
    expect(told).toMatch(/^HTTP\/1\.1 403 Closed by Zeph: \S.*\r\n/);
    expect([looked, here.dialled]).toEqual([[], []]);
    expect(here.lines).toMatchObject([{ verdict: "refused", why: expect.any(String) }]);
    expect(here.lines[0]).not.toHaveProperty("address");
  });

  it("is told to the client in words that name the setting", async () => {
    const here = await standIn();
    expect(await answerTo(here, "GET http://b.example/ HTTP/1.1\r\n\r\n")).toContain("b.example is not open");
  });

  it.each(["127.0.0.1", "::1", "169.254.169.254", "10.0.0.1", "::ffff:8.8.8.8", "fd00:ec2::254", "0.0.0.0", "203.0.113.9"])(
    "is one that stands for %s, alone or beside a public address",
    async (address) => {
      for (const answers of [[address], [PUBLIC, address], [address, PUBLIC]]) {
        const here = await standIn({ lookup: async () => answers });
        expect(await answerTo(here, TUNNEL)).toMatch(/^HTTP\/1\.1 502 Not reached: a\.example stands for /);
        expect(here.dialled).toEqual([]);
      }
    },
  );

  it("stays closed when its second answer is another: it is looked up once, and what was checked is dialled", async () => {
    const answers = [[PUBLIC], ["127.0.0.1"]];
    const here = await standIn({ lookup: async () => answers.shift() ?? [] });
    const talk = await here.client();
    talk.say(TUNNEL);
    await talk.hears(ESTABLISHED);
    expect(here.dialled).toEqual([PUBLIC]);
    expect(answers.length).toBe(1);
    expect(await answerTo(here, TUNNEL)).toContain("loopback");
    expect(here.dialled).toEqual([PUBLIC]);
  });

  it.each([
    ["has no address", { lookup: async () => [] }],
    ["cannot be looked up", { lookup: () => Promise.reject(new Error("SERVFAIL")) }],
    ["does not answer", { port: 1 }],
  ])("is answered with 502 when it %s", async (_, options) => {
    const here = await standIn(options);
    expect(await answerTo(here, TUNNEL)).toMatch(/^HTTP\/1\.1 502 /);
    expect(here.lines).toMatchObject([{ verdict: "refused" }]);
  });
});

describe("A registry of the person's own tools", () => {
  const registries = async () => ["a.example"];

  it("may lie inside their network, but never on this machine or its link", async () => {
    const inside = await standIn({ registries, lookup: async () => ["10.1.2.3"] });
    const talk = await inside.client();
    talk.say(TUNNEL);
    await talk.hears(ESTABLISHED);
    for (const address of ["127.0.0.1", "169.254.169.254", "fd00:ec2::254", "100.100.100.200", "::1", "0.0.0.0"]) {
      const here = await standIn({ registries, lookup: async () => ["10.1.2.3", address] });
      expect(await answerTo(here, TUNNEL)).toMatch(/^HTTP\/1\.1 502 /);
      expect(here.dialled).toEqual([]);
    }
  });

  it("is open with the others when `@registries` is", async () => {
    const here = await standIn({ allow: ["@registries"], registries });
    const talk = await here.client();
    talk.say(TUNNEL);
    await talk.hears(ESTABLISHED);
    expect(await answerTo(here, "CONNECT b.example:443 HTTP/1.1\r\n\r\n")).toMatch(/^HTTP\/1\.1 403 /);
    expect(here.asked).toEqual([]);
  });
});

describe("The proxy", () => {
  it("lies where only its owner can go", async () => {
    const { egress } = await standIn();
    expect(statSync(dirname(egress.socket)).mode & 0o777).toBe(0o700);
  });

  it("hangs up on whoever takes too long for a head, byte by byte or with nothing", async () => {
    const here = await standIn({ limits: { headMs: 300 } });
    const [slow, silent] = [await here.client(), await here.client()];
    const timer = setInterval(() => slow.say("C"), 20);
    await Promise.all([slow.rest(), silent.rest()]);
    clearInterval(timer);
    expect(here.lines).toEqual([]);
  });

  it("hangs up on a head without an end", async () => {
    const here = await standIn();
    const talk = await here.client();
    talk.say(`GET http://a.example/ HTTP/1.1\r\n${"X: a\r\n".repeat(20_000)}`);
    expect(await talk.rest()).toBe("");
  });

  it("reads a head that comes in single bytes", async () => {
    const here = await standIn();
    const talk = await here.client();
    for (const letter of TUNNEL) {
      talk.say(letter);
      await new Promise(setImmediate);
    }
    await talk.hears(ESTABLISHED);
  });

  it("holds so many connections and no more, and takes new ones when they are gone", async () => {
    const here = await standIn({ limits: { connections: 8 } });
    const most = 2000;
    const sockets: Socket[] = [];
    for (let n = 0; n < most; n++) {
      const socket = connect(here.egress.socket);
      socket.on("error", () => {}).resume();
      sockets.push(socket);
      if (n % 100 === 99) await once(socket, "close").catch(() => {});
    }
    for (const socket of sockets) socket.destroy();
    await expect
      .poll(async () => {
        const talk = await talkTo(here.egress.socket);
        talk.say(TUNNEL);
        return talk.hears(ESTABLISHED).catch(() => "");
      })
      .toBe(ESTABLISHED);
  });

  it("opens nothing any more once a connection could not be recorded", async () => {
    const here = await standIn({
      audit() {
        throw new Error("the disk is full");
      },
    });
    await answerTo(here, "CONNECT b.example:443 HTTP/1.1\r\n\r\n");
    expect(await answerTo(here, TUNNEL)).toContain("403 Closed by Zeph: connections cannot be recorded (the disk is full)");
    expect(here.dialled).toEqual([]);
  });

  it("ends every connection when it is closed, and leaves nothing behind", async () => {
    const here = await standIn();
    const talk = await here.client();
    talk.say(TUNNEL);
    await talk.hears(ESTABLISHED);
    await here.egress.close();
    await talk.rest();
    expect(() => statSync(here.egress.socket)).toThrow("ENOENT");
  });
});
