import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Answer, Question } from "../../src/core/event.ts";
import { openRuntime } from "../../src/runtime/create.ts";
import { listening, PUBLIC } from "./stand-in.ts";

let port = 0;
const seen: string[] = [];
const server = createServer((request, response) => {
  seen.push(`${request.headers.host} ${request.url}`);
  if (request.url?.startsWith("/r.git/info/refs")) return response.end(`${"0".repeat(39)}1\trefs/heads/main\n`);
  response.end("a page\n");
});
beforeAll(async () => {
  port = await listening(server);
});
afterAll(() => void server.close());

interface Options {
  readonly answer?: (question: Question) => Answer | null | Promise<Answer>;
  readonly sandbox?: object;
  readonly registries?: readonly string[];
}

/** A runtime in a fresh folder, whose internet is the server above. */
async function place({ answer, sandbox = {}, registries = [] }: Options = {}) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-egress-test-")));
  const work = join(base, "work");
  const settings = join(base, "config.toml");
  const audit = join(base, "audit.jsonl");
  mkdirSync(work);
  writeFileSync(settings, `[audit]\npath = ${JSON.stringify(audit)}\n`);
  const asked: Question[] = [];
  const inside = await openRuntime({
    cwd: work,
    store: "memory",
    config: settings,
    set: Object.entries(sandbox).map(([key, value]) => `tools.sandbox.${key}=${JSON.stringify(value)}`),
    ...(answer && {
      confirm: (question: Question) => {
        asked.push(question);
        return answer(question);
      },
    }),
    egress: {
      registries: async () => registries,
      wires: { lookup: async () => [PUBLIC], dial: () => connect({ port, host: "127.0.0.1", allowHalfOpen: true }) },
    },
  });
  onTestFinished(async () => {
    await inside.zeph.close();
    rmSync(base, { recursive: true, force: true });
  });
  const run = async (command: string) => {
    const outcome = await inside.zeph.call("bash", { command });
    const text = `${outcome.ok ? "" : outcome.error.message}\n${outcome.output?.text ?? ""}`;
    return { outcome, text, category: outcome.ok ? null : outcome.error.category };
  };
  const lines = () =>
    readFileSync(audit, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ kind }) => kind === "egress");
  return { run, asked, lines, settings: () => readFileSync(settings, "utf8"), zeph: inside.zeph, work };
}

/** Sends forty requests and ends at once, without an answer. Given are a proxy variable or nothing, and how many connections stay idle beside them. */
const SENDS_AND_ENDS = `
import base64, os, socket, sys
*given, idle = sys.argv[1:]
head = b"GET http://a.example/late HTTP/1.1\\r\\nHost: a.example\\r\\n"
if given: head += b"Proxy-Authorization: Basic " + base64.b64encode(given[0].split("//")[1].split("@")[0].encode()) + b"\\r\\n"
opened = [socket.create_connection(("127.0.0.1", 3128)) for _ in range(int(idle))]
for _ in range(40):
    opened.append(socket.socket())
    opened[-1].setblocking(False)
    try: opened[-1].connect(("127.0.0.1", 3128))
    except BlockingIOError: pass
    opened[-1].setblocking(True)
    try: opened[-1].sendall(head + b"\\r\\n")
    except OSError: pass
os._exit(0)
`;

function createAnswer() {
  let give: (answer: Answer) => void = () => {};
  const said = new Promise<Answer>((resolve) => {
    give = resolve;
  });
  return { said, give };
}

describe("A command that wants to reach a name nobody opened", () => {
  it("is refused where nobody can be asked: it needs a yes, and the audit log says so", async () => {
    const { run, lines } = await place();
    const { category, text } = await run("curl -fsS http://a.example/");
    expect(category).toBe("confirmation_required");
    expect(text).toContain("The network is closed to a.example:80 behind the walls");
    expect(lines()).toMatchObject([
      { type: "egress", host: "a.example", port: 80, verdict: "refused", why: expect.stringContaining("allow_domains") },
    ]);
  });

  it("is told so in a note when it goes on without", async () => {
    const { run } = await place();
    const { category, text } = await run("curl -fsS http://a.example/ 2>/dev/null || true");
    expect(category).toBeNull();
    expect(text).toContain("The network is closed to a.example:80");
  });

  it("asks once for all its connections, and the next command asks again", async () => {
    const { run, asked, lines } = await place({ answer: () => "once" });
    expect((await run("curl -fsS http://a.example/ & curl -fsS http://a.example/; wait; curl -fsSp http://a.example/x")).text).toContain(
      "a page (×3)",
    );
    expect(asked).toMatchObject([
      {
        tool: "bash",
        wants: expect.stringMatching(/^`curl .*` wants to reach a\.example:80\.$/),
        always_rule: expect.stringContaining("a.example"),
        touches: [{ kind: "url", url: "http://a.example/" }],
      },
    ]);
    await run("curl -fsS http://a.example/");
    expect(asked.length).toBe(2);
    expect(lines().map(({ verdict, address }) => [verdict, address])).toEqual(Array(4).fill(["ok", PUBLIC]));
    expect(lines()[0]).toMatchObject({
      sent: expect.any(Number),
      received: expect.any(Number),
      ms: expect.any(Number),
      call_id: asked[0]!.call_id,
    });
  });

  it("is asked about for each command, also while another one that got a yes still runs", async () => {
    const answers: Answer[] = ["once"];
    const { zeph, run, asked, work } = await place({ answer: () => answers.shift() ?? "no" });
    const loop = "until [ -e end ]; do curl -fsS http://a.example/ >> pages && touch reached; sleep 0.1; done";
    const background = await zeph.call("bash", { command: loop, background: true });
    expect(background.ok).toBe(true);
    await expect.poll(() => existsSync(join(work, "reached"))).toBe(true);
    const clients = [
      "curl -fsS",
      "curl -fsSp",
      "curl -fsS -x $ALL_PROXY",
      "curl -fsS -x 127.0.0.1:3128",
      "curl -fsS -x socks5h://127.0.0.1:3128",
    ];
    for (const client of clients) expect((await run(`${client} http://a.example/beside`)).text, client).toContain("said no");
    rmSync(join(work, "reached"));
    await expect.poll(() => existsSync(join(work, "reached"))).toBe(true);
    writeFileSync(join(work, "end"), "");
    expect(asked.length).toBe(1 + clients.length);
    expect(seen.filter((line) => line.endsWith("/beside"))).toEqual([]);
  });

  it.each(["none", "its own"])(
    "is asked about when it comes late: what an ended command has sent is not taken for another's (credential: %s)",
    async (credential) => {
      const answers: Answer[] = ["once"];
      const { zeph, run, work } = await place({ answer: () => answers.shift() ?? "no" });
      writeFileSync(join(work, "send.py"), SENDS_AND_ENDS);
      const loop = "until [ -e end ]; do curl -fsS http://a.example/ >> pages && touch reached; sleep 0.1; done";
      await zeph.call("bash", { command: loop, background: true });
      await expect.poll(() => existsSync(join(work, "reached"))).toBe(true);
      // With all places of the network taken, the requests wait until those of the ended command are free.
      for (const idle of [0, 0, 0, 250, 250]) await run(`python3 send.py ${credential === "none" ? "" : "$http_proxy"} ${idle}`);
      rmSync(join(work, "reached"));
      await expect.poll(() => existsSync(join(work, "reached"))).toBe(true);
      writeFileSync(join(work, "end"), "");
      expect(seen.filter((line) => line.endsWith("/late"))).toEqual([]);
    },
  );

  it("asks no more in a session after that answer, and always writes it down", async () => {
    const session = await place({ answer: () => "session" });
    await session.run("curl -fsS http://a.example/");
    await session.run("curl -fsS http://a.example/");
    expect(session.asked.length).toBe(1);
    expect(session.settings()).not.toContain("a.example");

    const always = await place({ answer: () => "always" });
    await always.run("curl -fsS http://a.example/");
    expect(always.settings()).toContain('[tools.sandbox]\nallow_domains = ["a.example"]');
  });

  it("asks about all registries when it wants one of them", async () => {
    const { run, asked, settings } = await place({ answer: () => "always", registries: ["a.example", "b.example"] });
    await run("curl -fsS http://a.example/ http://b.example/");
    expect(asked.map(({ why }) => why.join(" "))).toEqual([expect.stringContaining("@registries: a.example, b.example")]);
    expect(settings()).toContain('allow_domains = ["@registries"]');
  });

  it("writes ten lines for a name and port that is refused, and one with the count of the others", async () => {
    const { run, lines } = await place({ answer: () => "no" });
    await run("for i in $(seq 25); do curl -s http://a.example/; done; curl -s http://b.example/; true");
    const told = lines().map(({ host, times }) => [host, times]);
    expect(told).toEqual([...Array(10).fill(["a.example", undefined]), ["b.example", undefined], ["a.example", 15]]);
    expect(lines().at(-1)).toMatchObject({
      verdict: "refused",
      port: 80,
      why: expect.stringContaining("the user said no"),
      call_id: expect.any(String),
    });
  });

  it("loses none of its time while the question is open, and has no more of it afterwards", async () => {
    const answered = createAnswer();
    const { zeph, asked } = await place({ answer: () => answered.said });
    const running = zeph.call("bash", { command: "curl -fsS http://a.example/; sleep 60", timeout: 6 });
    await expect.poll(() => asked.length).toBe(1);
    // Longer than the command may take.
    await new Promise((resolve) => setTimeout(resolve, 7000));
    answered.give("once");
    const outcome = await running;
    expect(outcome.output?.text).toContain("a page");
    expect(outcome.ok ? "" : outcome.error.category).toBe("timeout");
  });

  it("is refused by a no, and is not one that needs a yes", async () => {
    const { run } = await place({ answer: () => "no" });
    const { category, text } = await run("curl -fsS http://a.example/");
    expect(category).not.toBe("confirmation_required");
    expect(text).toContain("the user said no");
  });
});

describe("A name in allow_domains", () => {
  const sandbox = { allow_domains: ["a.example", "*.b.example"] };

  it.each([
    ["curl", "curl -fsS http://a.example/"],
    ["curl through a tunnel", "curl -fsSp http://x.b.example/"],
    ["curl by SOCKS5", "curl -fsS -x socks5h://127.0.0.1:3128 http://a.example/"],
    ["Python", `python3 -c 'import urllib.request as u; print(u.urlopen("http://a.example/").read().decode())'`],
    ["git", "git ls-remote http://a.example/r.git | sed 's/.*refs/a page/'"],
  ])("is open to %s", async (_, command) => {
    const { run } = await place({ sandbox });
    expect((await run(command)).text).toContain("a page");
  });

  it("is closed again by deny_domains", async () => {
    const { run } = await place({ sandbox: { ...sandbox, deny_domains: ["a.example"] } });
    expect((await run("curl -sS http://a.example/")).text).toContain("deny_domains");
  });

  it.each([
    "curl -sS -x http://127.0.0.1:3128 http://169.254.169.254/",
    "curl -sSp -x http://127.0.0.1:3128 http://127.0.0.1:PORT/",
    "curl -sS -x http://127.0.0.1:3128 http://[::1]:PORT/",
    "curl -sS -x http://127.0.0.1:3128 http://0x7f000001:PORT/",
    "curl -sS --noproxy '*' http://127.0.0.1:PORT/",
    "curl -sS -H 'Host: a.example' -x http://127.0.0.1:3128 http://closed.example/",
    "curl -sS --noproxy '*' --resolve a.example:80:127.0.0.1 http://a.example/",
    "curl -sS -x socks5h://127.0.0.1:3128 http://127.0.0.1:PORT/",
    "curl -sS -x socks5://127.0.0.1:3128 http://a.example/",
    "exec 3<>/dev/tcp/127.0.0.1/3128; printf 'GET http://a.example@closed.example/ HTTP/1.1\\r\\n\\r\\n' >&3; cat <&3",
    "exec 3<>/dev/tcp/127.0.0.1/3128; printf 'GET http://a.example:PORT/ HTTP/1.1\\r\\n\\r\\n' >&3; cat <&3",
  ])("opens nothing else: %s", async (command) => {
    const { run } = await place({ sandbox });
    expect((await run(command.replace("PORT", String(port)))).text).not.toContain("a page");
  });

  it.each([
    [["a.example"], "ask"],
    [[], "allow"],
  ] as const)("is a way out for the sentinel, and what came from it is a stranger's text: %j, %s", async (allow_domains, verdict) => {
    const { zeph, work } = await place({ sandbox: { allow_domains }, answer: () => "once" });
    writeFileSync(join(work, ".env"), "SECRET=1\n");
    const model = { phase: "executor", conversationId: "c" } as const;
    expect((await zeph.judge("bash", { command: "ls" }, model)).verdict).toBe("allow");
    await zeph.call("bash", { command: "curl -fsS http://a.example/" }, model);
    await zeph.call("bash", { command: "cat .env" }, model);
    expect((await zeph.judge("bash", { command: "ls" }, model)).verdict).toBe(verdict);
  });

  it("leaves a name beside it out of the server's hearing", () => {
    expect(seen.filter((line) => !/^(a|b|x\.b)\.example /.test(line))).toEqual([]);
  });
});
