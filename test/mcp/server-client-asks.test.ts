import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connected, place, serving, textOf } from "./server-support.ts";

/** A session whose client says that it asks, and one whose does not, in the same folder. */
async function both(tools: object = {}, rest: object = {}) {
  const at = place();
  const settings = at.settings(tools, rest);
  const asked = await serving({ cwd: at.work, settings, asks: "the client" });
  const plain = await serving({ cwd: at.work, settings });
  return { ...at, asked: await connected(asked.url), plain: await connected(plain.url) };
}
type Connected = Awaited<ReturnType<typeof connected>>;
const call = async (client: Connected, name: string, args: object) => {
  const result = await client.callTool({ name, arguments: args as Record<string, unknown> });
  return { isError: result.isError === true, text: textOf(result) };
};
const HELD = expect.stringMatching(/^\[tool_error\]\ncategory: (?:confirmation_required|policy_blocked)\n/);
const last = (lines: readonly Record<string, unknown>[]) => lines.filter(({ kind }) => kind === "call").at(-1)!;

describe("zeph mcp --asked-by-client", () => {
  it("a file of the workspace is written without a second question, and the log says why", async () => {
    const { work, asked, plain, audit } = await both();
    expect(await call(plain, "write", { path: "a.txt", content: "one" })).toMatchObject({ isError: true });
    expect(existsSync(join(work, "a.txt"))).toBe(false);
    expect(await call(asked, "write", { path: "a.txt", content: "one" })).toMatchObject({ isError: false });
    expect(readFileSync(join(work, "a.txt"), "utf8")).toBe("one");
    expect(last(audit())).toMatchObject({ tool: "write", outcome: "ok", grant: "client" });
    expect(await call(asked, "edit", { path: "a.txt", old_string: "one", new_string: "two" })).toMatchObject({ isError: false });
    expect(await call(asked, "delete_path", { path: "a.txt" })).toMatchObject({ isError: false });
    expect(existsSync(join(work, "a.txt"))).toBe(false);
  });

  it("a command behind walls that no rule speaks of runs, and no other one", async () => {
    const permissions = { bash: [{ pattern: "ls *", action: "allow" }] };
    const { work, root, asked, plain } = await both({ permissions });
    mkdirSync(join(root, "outside"));
    const command = "touch made.txt";
    expect(await call(plain, "bash", { command })).toMatchObject({ isError: true });
    expect(await call(asked, "bash", { command })).toMatchObject({ isError: false });
    expect(existsSync(join(work, "made.txt"))).toBe(true);
    for (const other of [
      `touch ${join(root, "outside", "x")}`,
      "cat ../outside/x",
      "cat /etc/hostname",
      "curl http://127.0.0.1:9/",
      // What it runs is not known.
      'eval "$WORD"',
    ])
      expect([other, await call(asked, "bash", { command: other })]).toMatchObject([other, { text: HELD }]);
  });

  it("lifts no denial, and no question that a rule, a pattern or another gate asks", async () => {
    const permissions = {
      write: [
        { pattern: "secret*", action: "deny" },
        { pattern: "asked*", action: "ask" },
      ],
      move_path: [{ pattern: "asked*", action: "ask" }],
    };
    const { work, asked, root } = await both({ permissions, shell: { blocked_commands: ["shred"] } });
    for (const name of ["there.txt", "asked-too.txt", "secret-too.txt"]) writeFileSync(join(work, name), "x");
    mkdirSync(join(root, "outside"));
    for (const [name, args] of [
      ["write", { path: "secret.txt", content: "x" }],
      ["write", { path: "asked.txt", content: "x" }],
      // Of its two places a rule speaks of the second alone.
      ["move_path", { source: "there.txt", destination: "asked.txt" }],
      // A rule for write speaks of what other tools would write there.
      ["edit", { path: "asked-too.txt", old_string: "x", new_string: "y" }],
      ["delete_path", { path: "secret-too.txt" }],
      ["copy_path", { source: "there.txt", destination: "secret-copy.txt" }],
      ["move_path", { source: "there.txt", destination: "secret-moved.txt" }],
      ["write", { path: join(root, "outside", "x"), content: "x" }],
      ["write", { path: ".git/config", content: "x" }],
      ["bash", { command: "shred there.txt" }],
      ["bash", { command: "git push --force origin main" }],
      ["fetch", { url: "http://127.0.0.1:9/" }],
    ] as const)
      expect([name, args, await call(asked, name, args)]).toMatchObject([name, args, { text: HELD }]);
    expect(readFileSync(join(work, "there.txt"), "utf8")).toBe("x");
    // And where none of them speaks, it does.
    expect(await call(asked, "write", { path: "free.txt", content: "x" })).toMatchObject({ isError: false });
  });

  it("nothing runs without walls because of it", async () => {
    const permissions = { bash: [{ pattern: "ls *", action: "allow" }] };
    const { work, asked } = await both({ permissions, sandbox: { enabled: false } });
    expect(await call(asked, "bash", { command: "touch bare.txt" })).toMatchObject({ text: HELD });
    expect(existsSync(join(work, "bare.txt"))).toBe(false);
  });

  it("readonly stays readonly, and the session can read that its client asks", async () => {
    const { asked } = await both({}, { autonomy: "readonly" });
    expect(await call(asked, "write", { path: "a.txt", content: "x" })).toMatchObject({ isError: true });
    const { contents } = await asked.readResource({ uri: "zeph://policy" });
    expect(JSON.stringify(contents)).toContain("--asked-by-client");
  });
});
