import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { systemPrompt } from "../src/agent/prompt.ts";
import { answerText } from "../src/core/answer.ts";
import { OF_FOLDERS, OF_MARKS, OF_TMP } from "../src/core/told.ts";
import { INSTRUCTIONS } from "../src/front/mcp-server/greeting.ts";
import { room } from "./acp/editor.ts";
import { connected, serving, textOf } from "./mcp/server-support.ts";
import { agentIn, all, asks, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const CALLS: readonly (readonly [tool: string, args: object])[] = [
  ["bash", { command: "cd src" }],
  ["read", { file_path: "store.js", explanation: "why" }],
  ["edit", { path: "src/store.js", old_string: "2\t  one", new_string: "x" }],
  ["write", { path: "src", content: "x" }],
  ["list_directory", { path: "nowhere" }],
  ["grep", { pattern: "(", path: "src" }],
  ["bash", { command: "cat store.js none; exit 3" }],
];
const tools = {
  permissions: Object.fromEntries(
    ["bash", "read", "edit", "write", "list_directory", "grep"].map((tool) => [tool, [{ pattern: "*", action: "allow" as const }]]),
  ),
};
const fill = (work: string) => {
  mkdirSync(join(work, "src"), { recursive: true });
  writeFileSync(join(work, "src/store.js"), "one\n  one\n");
};
const scripted = () => modelSaying(...CALLS.map((call) => [asks(...call)]), [says("done")]);
const readBy = (model: ReturnType<typeof modelSaying>): readonly string[] =>
  model.given.at(-1)!.messages.flatMap((message) => (message.role === "tool" ? [message.text] : []));

it("a model reads the same of a call over an agent, an editor and an MCP client", async () => {
  const place = workspace([]);
  onTestFinished(place.remove);
  fill(place.work);
  const ofAgent = scripted();
  const agent = await agentIn(place, ofAgent, { config: { tools, audit: { path: join(place.state, "audit.jsonl") } } });
  onTestFinished(() => agent.close());
  await all(agent.send("go"));

  const ofEditor = scripted();
  const { editor, place: edited } = await room({ model: ofEditor, config: { tools } });
  fill(edited.work);
  await editor.prompt(await editor.begin(edited.work), "go");

  const served = workspace([]);
  onTestFinished(served.remove);
  fill(served.work);
  const { url } = await serving({
    cwd: served.work,
    settings: { config: { tools, audit: { path: join(served.state, "audit.jsonl") } }, store: join(served.state, "zeph.db") },
  });
  const client = await connected(url);
  const ofClient: string[] = [];
  for (const [name, args] of CALLS) ofClient.push(textOf(await client.callTool({ name, arguments: { ...args } })));

  const texts = (said: readonly string[], work: string) => said.map((text) => text.replaceAll(work, "$W"));
  const said = texts(readBy(ofAgent), place.work);
  expect(said).toHaveLength(CALLS.length);
  expect(said[1]).toContain("bash is in src: name it src/store.js");
  expect(texts(readBy(ofEditor), edited.work)).toEqual(said);
  expect(texts(ofClient, served.work)).toEqual(said);
});

it("a place outside of the workspace is told in the same words by file tools and by commands", async () => {
  const place = workspace([]);
  onTestFinished(place.remove);
  fill(place.work);
  const zeph = await place.runtime({ config: { tools } });
  onTestFinished(() => zeph.close());
  const told = async (path: string) => {
    const of = [await zeph.callAny("read", { path }), await zeph.callAny("bash", { command: `cat ${path}` })];
    return of.map((outcome) => answerText(outcome));
  };
  const [read, cat] = await told("/opt/nothing");
  expect(read).toContain("/opt/nothing is outside the workspace: file tools cannot see it (tools.file.allowed_paths).");
  if (!cat!.includes("wall")) return;
  expect(cat).toContain("/opt/nothing is outside the workspace: commands cannot see it (tools.sandbox.allow_read).");
  for (const text of await told("/tmp/nothing-here")) expect(text).toContain(OF_TMP);
  // The workspace of this test lies in /tmp.
  expect((await told(`${place.work}/none`)).join("\n")).not.toMatch(/wall|outside/);
});

it("what each is told at the beginning of folders and marks is the same", () => {
  const prompt = systemPrompt({ cwd: "/w", platform: "linux" }, {}, "");
  for (const text of [OF_FOLDERS, OF_MARKS, "[background complete]"]) {
    expect(prompt).toContain(text);
    expect(INSTRUCTIONS).toContain(text);
  }
});
