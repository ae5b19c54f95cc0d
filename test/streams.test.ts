import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createRuntime } from "../src/index.ts";
import { room } from "./acp/editor.ts";
import { calls, ends, says, scripted } from "./e2e/scripted.ts";
import { box, jsonLines } from "./e2e/zeph.ts";
import { connected, place as mcpPlace, serving, textOf } from "./mcp/server-support.ts";
import { says as answers, asks, modelSaying } from "./talking.ts";
import { workspace } from "./workspace.ts";

const BOTH = "echo one; echo two >&2; echo three";
const TOKEN = `ghp_${"Zk3vT9xQ2mB7nL5cR8wY1uJ6hF4sD0aG2pE9"}`;
/** A secret on one stream, its value alone on the other; bytes that are no text on both. */
const SECRET = `echo 'GITHUB_TOKEN=${TOKEN}'; printf '\\377\\376\\000 %s' ${TOKEN} >&2; printf '\\200\\201\\n'`;
const MEGABYTES = 10;
const LARGE = `head -c ${MEGABYTES * 1024 * 1024} /dev/zero | tr '\\0' a; head -c ${MEGABYTES * 1024 * 1024} /dev/zero | tr '\\0' b >&2; exit 3`;
const ALLOWED = { permissions: { bash: [{ pattern: "*", action: "allow" }] } } as const;

describe("the two streams of a command", () => {
  it("are told by zeph call --json and zeph run --json, and the text has both", async () => {
    const alone = box();
    const { stdout } = await alone.run(["call", "bash", JSON.stringify({ command: BOTH }), "--yes", "--json"]);
    expect(jsonLines(stdout)[0]).toMatchObject({ stdout: "one\nthree\n", stderr: "two\n" });
    // Two pipes are read as they become readable, so the order of the text is not this test's.
    expect(jsonLines(stdout)[0].text.split("\n").sort()).toEqual(["one", "three", "two"]);
    const talking = scripted(box(), [[calls("bash", { command: BOTH }), ends("calls")], [says("ok")]]);
    const ran = await talking.run(["run", "go", "--yes", "--json"]);
    expect(jsonLines(ran.stdout).find(({ type }) => type === "tool_end")).toMatchObject({ stdout: "one\nthree\n", stderr: "two\n" });
    const audit = await talking.run(["audit", "tail", "--json"]);
    const lines = jsonLines(audit.stdout).filter(({ kind, tool }) => kind === "call" && tool === "bash");
    expect(lines[0]).toMatchObject({ stdout_bytes: 10, stderr_bytes: 4 });
  });

  it("are told to an editor, in rawOutput", async () => {
    const model = modelSaying([asks("bash", { command: `${BOTH}; ${SECRET}` })], [answers("ok")]);
    const { editor, place } = await room({ model, config: { autonomy: "full" } });
    await editor.prompt(await editor.begin(place.work), "go");
    const { rawOutput } = editor.of("tool_call_update").at(-1)!;
    expect(rawOutput).toMatchObject({ stdout: expect.stringContaining("one\nthree\n"), stderr: expect.stringContaining("two\n") });
    expect(JSON.stringify(editor.of("tool_call_update"))).not.toContain(TOKEN);
  });

  it("are told to an MCP client in _meta, and never as structuredContent", async () => {
    const { work, settings } = mcpPlace();
    const { url } = await serving({ cwd: work, settings: settings(ALLOWED) });
    const client = await connected(url);
    const answer = await client.callTool({ name: "bash", arguments: { command: `${BOTH}; ${SECRET}` } });
    expect(answer._meta?.["zeph/call"]).toMatchObject({
      stdout: expect.stringContaining("one\nthree\n"),
      stderr: expect.stringContaining("two\n"),
    });
    expect(answer).not.toHaveProperty("structuredContent");
    for (const line of ["one", "two", "three"]) expect(textOf(answer).split("\n")).toContain(line);
    expect(JSON.stringify(answer)).not.toContain(TOKEN);
  });

  it("are told of a background command that ends in its first second, with its sizes", async () => {
    const place = workspace();
    const zeph = await place.runtime({ config: { audit: { path: join(place.state, "audit.jsonl") }, tools: ALLOWED } });
    const { output } = await zeph.call("bash", { command: `${BOTH}; exit 3`, background: true });
    await zeph.close();
    expect(output).toMatchObject({
      raw: { run_id: "bg1", stdout: "one\nthree\n", stderr: "two\n", exit_code: 3 },
      streams: { stdout: "one\nthree\n", stderr: "two\n", stdoutBytes: 10, stderrBytes: 4 },
    });
    expect(place.audit()).toContain('"stdout_bytes":10,"stderr_bytes":4');
    place.remove();
  });

  it("are no part of what a tool without a command returns", async () => {
    const place = workspace([{ op: "file", path: "work/a.txt", content: "hello\n" }]);
    const zeph = await place.runtime();
    expect((await zeph.call("read", { path: "a.txt" })).output).not.toHaveProperty("streams");
    await zeph.close();
    place.remove();
  });
});

describe("with ten megabytes on each stream, bytes that are no text and a secret", () => {
  const runs = async (command: string, tools: object = {}) => {
    const place = workspace();
    const audit = join(place.state, "audit.jsonl");
    const zeph = await createRuntime({
      cwd: place.work,
      store: "memory",
      config: { audit: { path: audit }, tools: { ...ALLOWED, ...tools } },
    });
    const { output } = await zeph.call("bash", { command });
    await zeph.close();
    const lines = place
      .audit()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    place.remove();
    return { output: output!, line: lines.findLast(({ kind, tool }) => kind === "call" && tool === "bash") };
  };

  it("each is as long as a text may be, and the sizes are those of what was printed", async () => {
    const { output, line } = await runs(LARGE, { shell: { max_output_bytes: 64 * 1024 * 1024 }, overflow: { threshold: 5000 } });
    const { stdout, stderr } = output.streams!;
    for (const [text, letter] of [
      [stdout, "a"],
      [stderr, "b"],
    ] as const) {
      expect(text.length).toBeLessThan(5100);
      expect(text).toMatch(new RegExp(`^${letter}+\\n\\[… \\d+ characters left out …\\]\\n${letter}+$`));
    }
    const size = MEGABYTES * 1024 * 1024;
    expect(output).toMatchObject({ exitCode: 3, truncated: true, streams: { stdoutBytes: size, stderrBytes: size } });
    expect(line).toMatchObject({ exit_code: 3, truncated: true, stdout_bytes: size, stderr_bytes: size });
    expect(JSON.stringify(line).length).toBeLessThan(2000);
  }, 60_000);

  it("each takes no more of a reader than the text of a command may", async () => {
    const { output } = await runs("seq -s ' ' 100000; head -c 100000 /dev/zero | tr '\\0' b >&2");
    const { stdout, stderr } = output.streams!;
    expect(stdout.length).toBeGreaterThan(4000);
    expect(stdout.length).toBeLessThan(12_000);
    expect(stderr.length).toBeGreaterThan(12_000);
    expect(stderr.length).toBeLessThan(17_000);
  }, 60_000);

  it("counts what the capture did not keep", async () => {
    const { output, line } = await runs(LARGE, { shell: { max_output_bytes: 4096 } });
    const size = MEGABYTES * 1024 * 1024;
    expect(line).toMatchObject({ stdout_bytes: size, stderr_bytes: size });
    expect(output.streams!.stdout.length + output.streams!.stderr.length).toBeLessThan(5000);
  }, 60_000);

  it("a secret is in neither, and what is no text is replaced", async () => {
    const { output, line } = await runs(SECRET);
    expect(JSON.stringify(output)).not.toContain(TOKEN);
    expect(output.streams!.stdout).toContain("GITHUB_TOKEN=");
    expect(output.streams!.stderr.startsWith("\ufffd\ufffd\0 ")).toBe(true);
    expect(line).toMatchObject({ stderr_bytes: 4 + TOKEN.length });
    expect(JSON.stringify(line)).not.toContain(TOKEN);
  });
});
