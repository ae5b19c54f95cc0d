import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { calls, ends, says, scripted } from "../e2e/scripted.ts";
import { type Box, box, ended } from "../e2e/zeph.ts";
import { type ReceivedSpan, type Receiver, receiver } from "./receiver.ts";

const TRACE = "ab".repeat(16);
const PARENT = `00-${TRACE}-${"cd".repeat(8)}-01`;
const ALLOWED = '[tools.permissions]\nbash = [{ pattern = "*", action = "allow" }]\n';

const named = (spans: readonly ReceivedSpan[], name: string) => spans.find((span) => span.name === name)!;
const tree = (spans: readonly ReceivedSpan[]) =>
  spans
    .map(({ name, parentSpanId }) => {
      const above = spans.find(({ spanId }) => spanId === parentSpanId);
      return above ? `${name} < ${above.name}` : name;
    })
    .sort();
const to = ({ url }: Pick<Receiver, "url">, more: Record<string, string> = {}) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...more });
/** A model that reads a file, runs a command, and answers. */
const talking = (): Box => {
  const here = scripted(
    box(),
    [
      [calls("read", { path: "a.txt" }), calls("bash", { command: "echo hush" }), ends("calls", 100, 20)],
      [says("A private answer."), ends("stop", 200, 30)],
    ],
    ALLOWED,
  );
  here.write("a.txt", "a secret of the user\n");
  return here;
};

describe("A run with a collector", () => {
  it.each(["http/protobuf", "http/json"])(
    "sends its turn, its model requests, calls, gates and runs as one tree, as %s",
    async (protocol) => {
      const collector = await receiver();
      const env = to(collector, { OTEL_EXPORTER_OTLP_PROTOCOL: protocol, OTEL_RESOURCE_ATTRIBUTES: "team=a%20b", TRACEPARENT: PARENT });
      const run = await talking().runProcess(["run", "Do a private thing"], { env });
      expect(run).toMatchObject({ code: 0, stderr: expect.not.stringContaining("telemetry") });
      const spans = collector.spans();
      expect(tree(spans)).toEqual([
        "chat script/turns.json < invoke_agent zeph",
        "chat script/turns.json < invoke_agent zeph",
        "execute_tool bash < invoke_agent zeph",
        "execute_tool read < invoke_agent zeph",
        "gates < execute_tool bash",
        "gates < execute_tool read",
        "invoke_agent zeph",
        "run < execute_tool bash",
        "run < execute_tool read",
      ]);
      expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
      expect(named(spans, "invoke_agent zeph")).toMatchObject({
        parentSpanId: "cd".repeat(8),
        kind: 1,
        attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 300, "gen_ai.usage.output_tokens": 50 },
        resource: { "service.name": "zeph", "service.version": expect.any(String), team: "a b" },
      });
      expect(named(spans, "chat script/turns.json")).toMatchObject({ kind: 3, attributes: { "gen_ai.provider.name": "custom" } });
      const bash = spans.find(({ name, attributes }) => name === "run" && "zeph.exit_code" in attributes)!;
      expect(bash.attributes).toMatchObject({ "zeph.exit_code": 0, "zeph.cached": false, "zeph.sandbox": expect.any(String) });
      expect(named(spans, "gates").attributes).toMatchObject({ "zeph.decision": "allow", "zeph.grant": "preapproved" });
      for (const { text } of collector.requests) expect(text).not.toMatch(/private|secret|hush|a\.txt/);
    },
  );

  it("counts tokens and durations", async () => {
    const collector = await receiver();
    await talking().runProcess(["run", "Do it"], { env: to(collector, { OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: "delta" }) });
    const points = collector.points();
    const of = (metric: string, by: object = {}) =>
      points.filter((point) => point.metric === metric && Object.entries(by).every(([key, value]) => point.attributes[key] === value));
    const model = { "gen_ai.operation.name": "chat", "gen_ai.provider.name": "custom", "gen_ai.request.model": "script/turns.json" };
    expect(of("gen_ai.client.token.usage", { ...model, "gen_ai.token.type": "input" })).toMatchObject([
      { count: 2, sum: 300, temporality: 1 },
    ]);
    expect(of("gen_ai.client.token.usage", { ...model, "gen_ai.token.type": "output" })).toMatchObject([{ count: 2, sum: 50 }]);
    expect(of("gen_ai.client.operation.duration", model)).toMatchObject([{ count: 2 }]);
    expect(of("gen_ai.invoke_agent.duration")).toMatchObject([{ count: 1 }]);
    expect(of("gen_ai.execute_tool.duration", { "gen_ai.tool.name": "bash", "zeph.decision": "allow" })).toMatchObject([{ count: 1 }]);
  });

  it("sends what was said only when a variable asks for it, and then without secrets and thoughts", async () => {
    const collector = await receiver();
    const here = scripted(
      box(),
      [
        [
          { type: "thinking", text: "pondered" },
          calls("bash", { command: "echo ghp_0123456789abcdefghijABCDEFGHIJ012345", _tafc_think: "mused" }),
        ],
        [says("A private answer.")],
      ],
      ALLOWED,
    );
    const env = to(collector, { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" });
    await here.runProcess(["run", "Do a private thing"], { env });
    const spans = collector.spans();
    const bash = named(spans, "execute_tool bash").attributes;
    expect(bash["gen_ai.tool.call.arguments"]).toMatch(/^{"command":"echo \S+"}$/);
    expect(bash["gen_ai.tool.call.result"]).toBeTypeOf("string");
    const [first, second] = spans.filter(({ name }) => name === "chat script/turns.json").map(({ attributes }) => attributes);
    expect(first!["gen_ai.input.messages"]).toContain("Do a private thing");
    expect(second!["gen_ai.output.messages"]).toContain("A private answer.");
    for (const { text } of collector.requests) expect(text).not.toMatch(/abcdefghijABCDEFGHIJ|pondered|mused/);
  });
});

describe("A call with a collector", () => {
  it("that is denied says by which gate, and why in one word", async () => {
    const collector = await receiver();
    const call = await box().runProcess(["call", "read", '{"path":"/etc/shadow"}'], { env: to(collector) });
    expect(call.code).toBe(3);
    expect(named(collector.spans(), "execute_tool read")).toMatchObject({
      failed: true,
      attributes: { "zeph.decision": "deny", "zeph.gate": expect.any(String), "error.type": "policy_blocked" },
    });
    expect(tree(collector.spans())).toEqual(["execute_tool read", "gates < execute_tool read"]);
    expect(JSON.stringify(collector.spans())).not.toContain("shadow");
  });

  it("sends the headers of the variables with what is sent, compressed where that is asked for, and to the address of each signal", async () => {
    const [traces, metrics] = [await receiver(), await receiver()];
    const env = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${traces.url}/v1/traces`,
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${metrics.url}/v1/metrics`,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20hidden-token,x-a=1",
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: "x-a=2",
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
      OTEL_SERVICE_NAME: "mine",
    };
    await box().runProcess(["call", "read", '{"path":"/etc/shadow"}'], { env });
    expect(traces.requests).toMatchObject([
      { path: "/v1/traces", headers: { authorization: "Bearer hidden-token", "x-a": "1", "content-encoding": "gzip" } },
    ]);
    expect(metrics.requests).toMatchObject([{ path: "/v1/metrics", headers: { authorization: "Bearer hidden-token", "x-a": "2" } }]);
    expect(traces.spans()[0]!.resource).toMatchObject({ "service.name": "mine" });
  });

  it("shows no command any of these variables", async () => {
    const collector = await receiver();
    const here = box();
    here.config(ALLOWED);
    const env = to(collector, { OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20hidden-token", TRACEPARENT: PARENT });
    const { stdout } = await here.runProcess(["call", "bash", '{"command":"env; cat /proc/$PPID/environ 2>/dev/null; true"}'], { env });
    expect(stdout).toContain("PATH=");
    expect(stdout).not.toMatch(/OTEL_|hidden-token|TRACEPARENT/);
    // Where a file shows it all the same, it is a secret like a key.
    here.write("leak.txt", "it says hidden-token here\n");
    const leak = await here.runProcess(["call", "bash", '{"command":"cat leak.txt"}'], { env });
    expect(leak.stdout).toContain("it says");
    expect(leak.stdout).not.toContain("hidden-token");
  });

  it.each([
    ["OTEL_SDK_DISABLED", "true"],
    ["OTEL_TRACES_SAMPLER", "always_off"],
    ["OTEL_TRACES_EXPORTER", "none"],
  ])("sends no span with %s=%s", async (name, value) => {
    const collector = await receiver();
    await box().runProcess(["call", "read", '{"path":"/etc/shadow"}'], { env: to(collector, { [name]: value }) });
    expect(collector.spans()).toEqual([]);
    expect(collector.requests.length).toBe(name === "OTEL_SDK_DISABLED" ? 0 : 1);
  });

  it("says that grpc is not spoken, and does its work", async () => {
    const collector = await receiver();
    const env = to(collector, { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" });
    const call = await box().runProcess(["call", "read", '{"path":"/etc/shadow"}'], { env });
    expect(call).toMatchObject({ code: 3, stderr: expect.stringContaining("grpc is not spoken here; take http/protobuf") });
    expect(collector.requests).toEqual([]);
  });

  it("cannot be made to send anything by a file of the project", async () => {
    const collector = await receiver();
    const here = box();
    here.write(".env", `OTEL_EXPORTER_OTLP_ENDPOINT=${collector.url}\n`);
    here.write(".zeph/config.toml", `[env]\nOTEL_EXPORTER_OTLP_ENDPOINT = "${collector.url}"\n`);
    await here.runProcess(["call", "read", '{"path":"/etc/shadow"}']);
    await here.runProcess(["trust", "--list"]);
    expect(collector.requests).toEqual([]);
  });
});

/** Whoever waited for an answer would wait a minute. */
const SLOW = { OTEL_EXPORTER_OTLP_TIMEOUT: "60000", OTEL_EXPORTER_OTLP_HEADERS: "authorization=hidden-token" };

describe("A collector that is no good", () => {
  it.each([
    ["away", async () => "http://127.0.0.1:9"],
    ["failing", async () => (await receiver((response) => void response.writeHead(500).end("no"))).url],
    ["busy", async () => (await receiver((response) => void response.writeHead(503, { "retry-after": "30" }).end())).url],
    ["babbling", async () => (await receiver((response) => void response.end(Buffer.alloc(200_000, 255)))).url],
    ["no HTTP server", async () => garbage()],
    ["silent", async () => (await receiver(() => {})).url],
  ])("is %s: the call is made, its end is bounded, and nothing is said", async (_what, open) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: await open(), ...SLOW };
    const here = box();
    const began = performance.now();
    const call = await here.runProcess(["call", "read", '{"path":"/etc/shadow"}'], { env });
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(call.code).toBe(3);
    expect(call.stderr).not.toMatch(/telemetry|hidden-token/);
    const told = await here.runProcess(["call", "read", '{"path":"/etc/shadow"}'], { env: { ...env, ZEPH_DEBUG: "1" } });
    expect(told.stderr.match(/zeph: telemetry: /g)?.length ?? 0).toBeLessThanOrEqual(1);
    expect(told.stderr).not.toContain("hidden-token");
    if (_what === "away") expect(told.stderr).toContain("127.0.0.1:9/v1/");
  });

  it.each([
    ["listens", undefined],
    ["is silent", () => {}],
  ])("that %s holds up a run that is stopped with Ctrl-C no longer than a moment", async (_how, answer) => {
    const collector = await receiver(answer);
    const here = scripted(box(), [[calls("bash", { command: "touch begun; sleep 300" })]], ALLOWED);
    const child = here.start(["run", "Do it"], to(collector, SLOW));
    child.stdin.end();
    const end = ended(child);
    await expect.poll(() => existsSync(join(here.cwd, "begun"))).toBe(true);
    const began = performance.now();
    child.kill("SIGINT");
    expect((await end).code).toBe(130);
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(named(collector.spans(), "invoke_agent zeph")).toMatchObject({ failed: true, attributes: { "error.type": "cancelled" } });
  });
});

/** Something that talks, and not in HTTP. */
async function garbage(): Promise<string> {
  const server = createServer((socket) => socket.on("error", () => {}).end("\0\0\0 not http\r\n\r\n"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

describe("Without the variable", () => {
  it("nothing of OpenTelemetry is read", async () => {
    const here = box();
    const spy = here.write("spy.cjs", SPY);
    const seen = async (env: Record<string, string>) =>
      (await here.runProcess(["call", "read", '{"path":"spy.cjs"}'], { env: { NODE_OPTIONS: `--require=${spy}`, ...env } })).stderr;
    expect(await seen({})).not.toMatch(/READ .*(?:telemetry\.cjs|opentelemetry)/);
    const collector = await receiver();
    expect(await seen(to(collector))).toMatch(/READ .*telemetry\.cjs/);
  });
});

/** Tells which files of the package are loaded as modules. */
const SPY = `const Module = require("node:module");
const load = Module._load;
Module._load = function (name, ...rest) {
  process.stderr.write("READ " + name + "\\n");
  return load.call(this, name, ...rest);
};
`;

describe("zeph doctor", () => {
  const doctor = async (env: Record<string, string>) => {
    const { stdout } = await box().run(["doctor", "--json"], { env });
    const { findings } = JSON.parse(stdout) as { findings: { about: string; state: string; text: string }[] };
    expect(stdout).not.toContain("hidden-token");
    return findings.filter(({ about }) => about === "telemetry").map(({ state, text }) => `${state} ${text}`);
  };
  it("says where spans and metrics go, and whether anybody takes them", async () => {
    const collector = await receiver();
    expect(await doctor({})).toEqual(["ok off: OTEL_EXPORTER_OTLP_ENDPOINT is not set"]);
    expect(await doctor(to(collector, SLOW))).toEqual([
      `ok spans to ${collector.url}/v1/traces (http/protobuf); it answers`,
      `ok metrics to ${collector.url}/v1/metrics (http/protobuf); it answers`,
    ]);
    expect(collector.requests).toHaveLength(2);
    const refusing = await receiver((response) => void response.writeHead(401).end());
    expect(await doctor(to(refusing, { ...SLOW, OTEL_METRICS_EXPORTER: "none" }))).toEqual([
      `warn spans to ${refusing.url}/v1/traces (http/protobuf): it answered 401`,
    ]);
    expect((await doctor({ OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example", ...SLOW }))[0]).toBe(
      "ok spans to https://collector.example/v1/traces (http/protobuf); it was not asked (--online asks)",
    );
    expect((await doctor(to(collector, { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" })))[0]).toMatch(/^warn .*grpc is not spoken here/);
  });
});
