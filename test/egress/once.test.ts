import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Question } from "../../src/core/event.ts";
import type { ServedProgram } from "../../src/core/ports/served.ts";
import { openCommandEgress } from "../../src/host/egress/command-egress.ts";
import { sandboxConfig } from "../../src/host/sandbox/config.ts";
import { openServedPrograms } from "../../src/host/serving/served-programs.ts";
import { createStartProgram } from "../../src/host/serving/walls.ts";
import { openRuntime, type RuntimeInternals } from "../../src/runtime/create.ts";
import { execCommand } from "../../src/runtime/hook/exec/exec-command.ts";
import { fakeTerminal } from "../sandbox/editor-fake.ts";
import { available } from "../sandbox/support.ts";
import { listening, PUBLIC } from "./stand-in.ts";

let port = 0;
const seen: string[] = [];
const server = createServer((request, response) => {
  seen.push(request.url ?? "");
  response.end("a page\n");
});
beforeAll(async () => {
  port = await listening(server);
});
afterAll(() => void server.close());

type Run = (command: string) => Promise<string>;
interface Way {
  readonly name: string;
  readonly options?: () => object;
  start(inside: RuntimeInternals): Run;
}

const runByTool =
  ({ zeph }: RuntimeInternals): Run =>
  async (command) => {
    const outcome = await zeph.call("bash", { command });
    return `${outcome.ok ? "" : outcome.error.message}\n${outcome.output?.text ?? ""}`;
  };

const WAYS: readonly Way[] = [
  { name: "bash", start: runByTool },
  { name: "the terminal of an editor", options: () => ({ editor: { terminal: fakeTerminal() } }), start: runByTool },
  {
    name: "zeph exec",
    start: (inside) => async (command) => {
      let text = "";
      const print = (bytes: Uint8Array) => {
        text += Buffer.from(bytes).toString();
      };
      const job = {
        ...{ command, caller: { kind: "exec" } as const, env: {}, stdin: false, agreed: true, note: null, print },
        attach: () => {},
      };
      await execCommand(inside, job, new AbortController().signal);
      return text;
    },
  },
];

/** The internet is the server above, and a person says "once" to the command of the owner and no to any other. */
async function openPlace({ options, start }: Way) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-once-test-")));
  const work = join(base, "work");
  mkdirSync(work);
  writeFileSync(join(base, "config.toml"), `[audit]\npath = ${JSON.stringify(join(base, "audit.jsonl"))}\n`);
  const asked: string[] = [];
  const inside = await openRuntime({
    cwd: work,
    store: "memory",
    config: join(base, "config.toml"),
    confirm: ({ wants = "" }: Question) => {
      asked.push(wants);
      return /owner\.sh/.test(wants) || !/ wants to reach /.test(wants) ? "once" : "no";
    },
    egress: {
      registries: async () => [],
      wires: { lookup: async () => [PUBLIC], dial: () => connect({ port, host: "127.0.0.1", allowHalfOpen: true }) },
    },
    ...options?.(),
  });
  onTestFinished(async () => {
    await inside.zeph.close();
    rmSync(base, { recursive: true, force: true });
  });
  const write = (name: string, text: string) => writeFileSync(join(work, name), text);
  return { run: start(inside), asked, work, write, inside };
}

/** Reaches the name, leaves its credential and a connection that has said nothing yet behind, and lives until it is told to end. */
const OWNER = `
echo $http_proxy > credential
curl -fsS http://a.example/owner && touch reached
exec 9<>/dev/tcp/127.0.0.1/3128
until [ -e end ]; do sleep 0.05; done
`;
const PROXY = "127.0.0.1:3128";
/** What another command can say to the proxy, and whose credentials it can find. */
const THIEF = `
i=0
try() { i=$((i+1)); curl -sS -m 5 "$@" http://a.example/thief-$1-$i; }
try -x http://${PROXY}; try -p -x http://${PROXY}; try -x socks5h://${PROXY}; try -x $http_proxy; try -x \${http_proxy/:*@/:00000000000000000000000000000000@}
for one in $(cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | sed -n 's/^http_proxy=//p' | sort -u); do try -x $one; done
exec 9<>/dev/tcp/127.0.0.1/3128; printf 'GET http://a.example/thief-raw HTTP/1.1\\r\\nHost: a.example\\r\\n\\r\\n' >&9; head -c 300 <&9
echo TRIED
`;
const LATE = `
curl -sS -m 5 -x $(cat credential) http://a.example/thief-late
curl -sSp -m 5 -x $(cat credential) http://a.example/thief-late
for n in 1 2 3 4 5 6; do curl -sS -m 5 -x http://${PROXY} http://a.example/thief-late; done
echo TRIED
`;

describe.runIf(available).each(WAYS.map((way) => [way.name, way] as const))("A yes for once, by %s", (_, way) => {
  it("opens the name to no other command: while the one that asked runs, and right after it has ended", async () => {
    const { run, work, write, asked } = await openPlace(way);
    for (const [name, text] of Object.entries({ owner: OWNER, thief: THIEF, late: LATE })) write(`${name}.sh`, text);
    const owner = run("bash owner.sh");
    await expect.poll(() => existsSync(join(work, "reached"))).toBe(true);
    expect(await run("bash thief.sh")).toContain("TRIED");
    write("end", "");
    await owner;
    expect(await run("bash late.sh")).toContain("TRIED");
    expect(seen.splice(0)).toEqual(["/owner"]);
    expect(asked.filter((wants) => wants.includes("wants to reach")).length).toBeGreaterThan(1);
  });
  it.each([["closed"], [["b.example"]]] as const)("opens it to no MCP server with the network %j", async (network) => {
    const { run, work, write } = await openPlace(way);
    write("owner.sh", OWNER);
    write("thief.sh", THIEF);
    const owner = run("bash owner.sh");
    await expect.poll(() => existsSync(join(work, "reached"))).toBe(true);
    expect(await runServed(work, "bash thief.sh", network)).toContain("TRIED");
    write("end", "");
    await owner;
    expect(seen.splice(0)).toEqual(["/owner"]);
  });
});

/** What a program prints that is served to the workspace, and may reach these names. */
async function runServed(work: string, command: string, network: ServedProgram["network"]): Promise<string> {
  const setting = { cwd: work, home: join(work, "../home"), own: [], keys: [], allowedPaths: [], env: process.env };
  const programs = openServedPrograms(
    createStartProgram({
      sandbox: sandboxConfig().parse({}),
      setting,
      openNames: (allow) =>
        openCommandEgress({
          rules: () => ({ allow, deny: [] }),
          ask: null,
          registries: async () => [],
          audit: () => {},
          wires: { lookup: async () => [PUBLIC], dial: () => connect({ port, host: "127.0.0.1", allowHalfOpen: true }) },
          home: setting.home,
          workspaces: () => [],
        }),
    }),
  );
  onTestFinished(() => programs.close());
  const served = await programs.serve({ argv: ["/bin/bash", "-c", `cd ${work} && ${command}`], env: {}, network });
  let text = "";
  served.onOutput = (chunk) => {
    text += Buffer.from(chunk).toString();
  };
  await served.ended;
  return text;
}
