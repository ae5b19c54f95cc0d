import { describe, expect, it } from "vitest";
import { connected, place, REVISIONS, serving, textOf } from "./server-support.ts";

type Connected = Awaited<ReturnType<typeof connected>>;

const read = async (client: Connected, uri: string): Promise<string> => {
  const { contents } = await client.readResource({ uri });
  return contents.map((one) => ("text" in one ? one.text : "")).join("\n");
};
const prompt = async (client: Connected, name: string, args: Record<string, string> = {}): Promise<string> => {
  const { messages } = await client.getPrompt({ name, arguments: args });
  return messages.map(({ content }) => (content.type === "text" ? content.text : "")).join("\n");
};
const RULES = {
  permissions: {
    write: [
      { pattern: "*.lock", action: "deny" },
      { pattern: "src/**", action: "allow" },
      { pattern: "elsewhere/**", action: "allow", caller: "somebody-else" },
    ],
  },
  shell: { blocked_commands: ["npm publish"] },
};
const KEY = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;

describe.each(REVISIONS)("what a session tells of itself, to a client of %s", (revision) => {
  it("is listed, and nothing else is found", async () => {
    const { work, settings } = place();
    const { url } = await serving({ cwd: work, settings: settings() });
    const client = await connected(url, { revision });
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(["zeph://audit/today", "zeph://policy"]);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([]);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["review-denials", "explain-call"]);
    for (const uri of ["zeph://audit", "zeph://audit/today/..", "file:///etc/passwd", "__proto__"])
      await expect(client.readResource({ uri }), uri).rejects.toThrow();
    await expect(client.getPrompt({ name: "constructor" })).rejects.toThrow(/no prompt "constructor"/);
  });

  it("is the calls of this session alone, with why one was refused and without secrets", async () => {
    const { work, settings } = place();
    const { url } = await serving({ cwd: work, settings: settings(RULES) });
    const [mine, other] = [
      await connected(url, { revision, query: "?session=mine" }),
      await connected(url, { revision, query: "?session=other" }),
    ];
    await other.callTool({ name: "bash", arguments: { command: "echo of-the-other-session" } });
    await mine.callTool({ name: "bash", arguments: { command: `echo mine ${KEY}` } });
    const denied = await mine.callTool({ name: "write", arguments: { path: "a.lock", content: "x" } });
    expect(textOf(denied)).toContain("*.lock");
    const today = await read(mine, "zeph://audit/today");
    expect(today).toMatch(/2 calls, 1 of them not made/);
    expect(today).toMatch(/ bash \{"command":"echo mine .*→ done/);
    expect(today).toMatch(/ write .*a\.lock.*→ refused: .*\*\.lock/);
    expect(today).not.toContain("of-the-other-session");
    expect(today).not.toContain(KEY);
    expect(await read(other, "zeph://audit/today")).not.toContain("mine");
    const review = await prompt(mine, "review-denials");
    expect(review).toContain("a.lock");
    expect(review).not.toContain("echo mine");
    const [id] = / (\S+) bash /.exec(today)?.slice(1) ?? [];
    expect(await prompt(mine, "explain-call", { call_id: id! })).toMatch(/tool: bash[\s\S]*how it ended: done/);
    expect(await prompt(mine, "explain-call")).toMatch(/tool: write[\s\S]*how it ended: refused/);
    // Another session's call is no call of this one.
    expect(await prompt(other, "explain-call", { call_id: id! })).toContain("has made no such call");
  });

  it("is the rules in words, as they stand for this session", async () => {
    const { work, settings } = place();
    const { url } = await serving({ cwd: work, settings: settings(RULES) });
    const client = await connected(url, { revision });
    const policy = await read(client, "zeph://policy");
    const offered = (await client.listTools()).tools.map(({ name }) => name);
    for (const name of ["update_plan", "search_tools", "load_skill"])
      expect([name, policy.includes(name)]).toEqual([name, offered.includes(name)]);
    expect(policy).toContain(`It works in ${work}.`);
    expect(policy).toContain('autonomy is "supervised"');
    expect(policy).toMatch(
      /- write: the first of these rules that fits; otherwise asked about\n {4}deny {2}\*\.lock\n {4}allow src\/\*\*\n- /,
    );
    expect(policy).toMatch(/- read: allowed\n/);
    expect(policy).toMatch(/- edit: asked about\n/);
    expect(policy).toMatch(/Commands that are never run:\n- npm publish\n/);
    expect(policy).not.toContain("--asked-by-client");
    // A rule about another caller is nobody's business here.
    expect(policy).not.toContain("elsewhere");
  });
});
