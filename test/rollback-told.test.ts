import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ToolRequest } from "../src/core/request.ts";
import { chooseTheme } from "../src/front/cli/tui/theme.ts";
import { callHead } from "../src/front/cli/tui/view/call.ts";
import { room } from "./acp/editor.ts";
import { calls, ends, says, scripted } from "./e2e/scripted.ts";
import { box, jsonLines } from "./e2e/zeph.ts";
import { agentIn, all, says as answers, asks, modelSaying } from "./talking.ts";
import { workspace } from "./workspace.ts";

const FAILS = { command: "echo new > a.txt; echo new > made.txt; exit 1" };
const UNDOES = { shell: { transactional: true, auto_rollback: true } };
const UNDOES_TOML = "[tools.shell]\ntransactional = true\nauto_rollback = true\n";
const LINE = /exit 1, [\d.]+ m?s, rolled back: 1 restored, 1 removed/;
const WORDS = "rolled back after exit code 1: 1 restored, 1 removed";

it("a rollback is told by zeph run: in the line of the call, and as an event", async () => {
  const here = scripted(box(), [[calls("bash", FAILS), ends("calls")], [says("ok")]], UNDOES_TOML);
  here.write("a.txt", "old\n");
  expect((await here.run(["run", "go", "--yes"])).stderr).toMatch(new RegExp(`^bash .*: ${LINE.source}`, "m"));
  expect(readFileSync(join(here.cwd, "a.txt"), "utf8")).toBe("old\n");
  const { stdout } = await here.run(["run", "go", "--yes", "--json"]);
  const events = jsonLines(stdout);
  const told = events.findIndex(({ type }) => type === "rollback");
  expect(events[told]).toEqual({ type: "rollback", call_id: expect.any(String), tool: "bash", rollback: WORDS });
  expect(events[told + 1]).toMatchObject({ type: "tool_end", call_id: events[told].call_id, rollback: WORDS });
});

it("and on the screen of the chat, in the line of the call", () => {
  const outcome = {
    ok: true,
    callId: "c",
    output: { text: "", exitCode: 1, rollback: WORDS },
    grant: { kind: "preapproved" },
    decision: { verdict: "allow" },
    cached: false,
  } as const;
  const request = ToolRequest.from({ id: "c", name: "bash", args: FAILS })!;
  expect(callHead({ request, outcome, ms: 258, n: 1 }, 200, chooseTheme({ LANG: "C.UTF-8" }, "none"))).toContain(
    "exit 1, 258 ms, rolled back: 1 restored, 1 removed",
  );
});

it("and to an editor, in the title of the call", async () => {
  const model = modelSaying([asks("bash", FAILS)], [answers("ok")]);
  const { editor, place } = await room({ model, config: { autonomy: "full", tools: UNDOES } });
  writeFileSync(join(place.work, "a.txt"), "old\n");
  await editor.prompt(await editor.begin(place.work), "go");
  expect(editor.of("tool_call_update").at(-1)!.title).toMatch(LINE);
});

it("and to a program, once and before the end of the call; a command that is not undone tells none", async () => {
  const place = workspace([{ op: "file", path: "work/a.txt", content: "old\n" }]);
  const model = modelSaying([asks("bash", FAILS)], [asks("bash", { command: "exit 3" })], [answers("ok")]);
  const config = { tools: { ...UNDOES, permissions: { bash: [{ pattern: "*", action: "allow" }] } } };
  const agent = await agentIn(place, model, { config });
  const events = await all(agent.send("go"));
  await agent.close();
  place.remove();
  const types = events.map(({ type }) => type).filter((type) => type === "rollback" || type === "tool_end");
  expect(types).toEqual(["rollback", "tool_end", "tool_end"]);
});
