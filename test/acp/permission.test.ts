import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methods, type RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { asks, modelSaying, says } from "../talking.ts";
import { contentText, room, until } from "./editor.ts";

const LONG = `echo ${"x".repeat(3000)}; touch \u202e"\`\`\`evil"`;
const answer = (optionId: string): RequestPermissionResponse => ({ outcome: { outcome: "selected", optionId } });
const ASKING = { tools: { permissions: { bash: [{ pattern: "*", action: "ask" }], write: [{ pattern: "*", action: "ask" }] } } };

describe("a question", () => {
  test("comes after its call was told, with the whole command in title, input and content", async () => {
    const { editor, place } = await room({
      model: modelSaying([asks("bash", { command: LONG })], [says("ok")]),
      config: ASKING,
      permit: () => answer("no"),
    });
    await editor.prompt(await editor.begin(place.work), "go");
    expect(editor.order.filter((one) => /tool_call|permission/.test(one))).toEqual(["tool_call", "request_permission", "tool_call_update"]);
    const [{ toolCall, options }] = editor.asked as [(typeof editor.asked)[number]];
    expect(toolCall).toMatchObject({
      toolCallId: editor.of("tool_call")[0]!.toolCallId,
      kind: "execute",
      status: "pending",
      rawInput: { command: LONG },
    });
    // What would turn the text around is spelled out.
    const shown = LONG.replace("\u202e", "\\u202e");
    expect(toolCall.title).toBe(shown);
    expect(contentText(toolCall.content)).toContain(shown);
    expect(contentText(toolCall.content)).toContain("````sh\n");
    expect(contentText(toolCall.content)).toMatch(/^bash needs a yes\.\n.*The rule "\*" for bash asks/s);
    expect(options.map(({ optionId, kind }) => [optionId, kind])).toEqual([
      ["once", "allow_once"],
      ["session", "allow_always"],
      ["always", "allow_always"],
      ["no", "reject_once"],
    ]);
    expect(options[2]!.name).toMatch(/^Always: allow exactly this command/);
  });

  test("about a change shows what the file says and would say, as a diff of the editor's own", async () => {
    const { editor, place } = await room({
      model: modelSaying([asks("write", { path: "a", content: "1\n2\n" })], [says("ok")]),
      config: ASKING,
      permit: () => answer("no"),
    });
    writeFileSync(join(place.work, "a"), "1\n");
    await editor.prompt(await editor.begin(place.work), "go");
    const [{ toolCall }] = editor.asked as [(typeof editor.asked)[number]];
    expect(toolCall.content![0]).toEqual({ type: "diff", path: join(place.work, "a"), oldText: "1\n", newText: "1\n2\n" });
  });

  test.each([
    ["once", answer("once"), true, /completed/],
    ["no", answer("no"), false, /refused|said no|declined/i],
  ])("answered with %s", async (_name, said, isWritten, ended) => {
    const { editor, place } = await room({
      model: modelSaying([asks("write", { path: "a", content: "x" })], [says("ok")]),
      config: ASKING,
      permit: () => said,
    });
    await editor.prompt(await editor.begin(place.work), "go");
    expect(existsSync(join(place.work, "a"))).toBe(isWritten);
    const last = editor.of("tool_call_update").at(-1)!;
    expect(`${last.status} ${contentText(last.content)}`).toMatch(ended);
  });

  test.each<[string, () => RequestPermissionResponse]>([
    ["that the editor drops", () => ({ outcome: { outcome: "cancelled" } })],
    ["answered with an option that was not offered", () => answer("everything")],
  ])("%s is not answered, which is not a no", async (_name, permit) => {
    const { editor, place } = await room({
      model: modelSaying([asks("write", { path: "a", content: "x" })], [says("ok")]),
      config: ASKING,
      permit,
    });
    await editor.prompt(await editor.begin(place.work), "go");
    expect(existsSync(join(place.work, "a"))).toBe(false);
    const last = editor.of("tool_call_update").at(-1)!;
    expect(last).toMatchObject({ status: "failed", rawOutput: { error: { category: "confirmation_required" } } });
    expect(contentText(last.content)).not.toMatch(/said no|refused/i);
  });

  test("for the session is not put again, for always neither", async () => {
    const turns = [asks("write", { path: "a", content: "1" })];
    const { editor, place } = await room({
      model: modelSaying(turns, [asks("write", { path: "a", content: "2" })], [says("ok")]),
      config: ASKING,
      permit: () => answer("session"),
    });
    await editor.prompt(await editor.begin(place.work), "go");
    expect(editor.asked).toHaveLength(1);
  });

  test("several at once are put one after the other", async () => {
    let open = 0;
    let most = 0;
    const calls = ["a", "b", "c"].map((path) => asks("write", { path, content: "x" }));
    const { editor, place } = await room({
      model: modelSaying(calls, [says("ok")]),
      config: ASKING,
      async permit() {
        open++;
        most = Math.max(most, open);
        await new Promise((resolve) => setTimeout(resolve, 30));
        open--;
        return answer("once");
      },
    });
    await editor.prompt(await editor.begin(place.work), "go");
    expect(editor.asked).toHaveLength(3);
    expect(most).toBe(1);
  });

  test("that is open ends with the turn, and no other is put", async () => {
    const calls = ["a", "b"].map((path) => asks("write", { path, content: "x" }));
    const { editor, place } = await room({
      model: modelSaying(calls, [says("ok")], [says("next")]),
      config: ASKING,
      permit: () => new Promise(() => {}),
    });
    const sessionId = await editor.begin(place.work);
    const turn = editor.prompt(sessionId, "go");
    await until("it is asked", () => editor.asked.length === 1);
    await editor.agent.notify("session/cancel", { sessionId });
    expect(await turn).toBe("cancelled");
    expect(editor.asked).toHaveLength(1);
    const last = new Map(editor.of("tool_call_update").map((one) => [one.toolCallId, one.status]));
    expect([...last.values()]).toEqual(editor.of("tool_call").map(() => "failed"));
    expect(await editor.prompt(sessionId, "and now?")).toBe("end_turn");
  });

  test("that is answered after the turn was cancelled allows nothing", async () => {
    let answer = (_: RequestPermissionResponse) => {};
    const { editor, place } = await room({
      model: modelSaying([asks("write", { path: "late.txt", content: "x" })], [says("next")]),
      config: ASKING,
      permit: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    });
    const sessionId = await editor.begin(place.work);
    const turn = editor.prompt(sessionId, "go");
    await until("it is asked", () => editor.asked.length === 1);
    await editor.agent.notify("session/cancel", { sessionId });
    answer({ outcome: { outcome: "selected", optionId: "session" } });
    expect(await turn).toBe("cancelled");
    await editor.prompt(sessionId, "and now?");
    expect(existsSync(join(place.work, "late.txt"))).toBe(false);
  });

  test("in one session does not hold up another", async () => {
    const model = modelSaying([asks("write", { path: "a", content: "x" })], [asks("write", { path: "b", content: "x" })], [says("ok")]);
    const { editor, place } = await room({
      model,
      config: ASKING,
      permit: ({ toolCall }) => (toolCall.title === "Write a" ? new Promise(() => {}) : answer("once")),
    });
    const [one, two] = [await editor.begin(place.work), await editor.begin(place.work)] as const;
    void editor.prompt(one, "go").catch(() => {});
    await until("the first is asked", () => editor.asked.length === 1);
    expect(await editor.prompt(two, "go")).toBe("end_turn");
  });
});

describe("what an editor is shown of a call", () => {
  const SECRET = `ghp_${"a1B2c3D4e5".repeat(3)}f6G7h8`;

  test("holds no secret in its title or its input, when it begins, when it is asked about and when it is shown again", async () => {
    const command = `curl -H "Authorization: token ${SECRET}" https://api.example`;
    const args = { path: "a.env", content: `TOKEN=${SECRET}\nplain` };
    const { editor, place, again } = await room({
      model: modelSaying(
        [asks("bash", { command }), asks("write", args), asks("fetch", { url: `https://api.example/?token=${SECRET}` })],
        [says("ok")],
      ),
      config: ASKING,
      permit: () => answer("no"),
    });
    const sessionId = await editor.begin(place.work);
    await editor.prompt(sessionId, "go");
    const second = await again();
    await second.agent.request(methods.agent.session.load, { sessionId, cwd: place.work, mcpServers: [] });
    const shown = [...editor.of("tool_call"), ...second.of("tool_call"), ...editor.asked.map(({ toolCall }) => toolCall)];
    expect(shown.length).toBeGreaterThan(5);
    for (const { title, rawInput } of shown) expect(JSON.stringify([title, rawInput])).not.toContain(SECRET);
    expect(JSON.stringify(editor.of("tool_call")[0]!.rawInput)).toContain("redacted");
    expect(JSON.stringify(editor.of("tool_call")[1]!.rawInput)).toContain("plain");
  });

  test("is all of it where a yes is wanted, and too much of it is asked of nobody", async () => {
    const middle = "THE-MIDDLE";
    const long = (n: number) => `${"a\n".repeat(n)}${middle}${"b\n".repeat(n)}`;
    const { editor, place } = await room({
      model: modelSaying(
        [asks("write", { path: "a", content: long(20_000) }), asks("write", { path: "b", content: long(200_000) })],
        [says("ok")],
      ),
      config: ASKING,
      permit: () => answer("once"),
    });
    await editor.prompt(await editor.begin(place.work), "go");
    expect(editor.asked).toHaveLength(1);
    expect(contentText(editor.asked[0]!.toolCall.content)).toContain(middle);
    expect(contentText(editor.asked[0]!.toolCall.content)).not.toContain("left out");
    expect([existsSync(join(place.work, "a")), existsSync(join(place.work, "b"))]).toEqual([true, false]);
    expect(editor.text()).toMatch(/write needs a yes, and nobody was asked: its question has \d+ characters/);
  });
});
