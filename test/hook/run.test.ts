import { afterAll, expect, it } from "vitest";
import { answerHook } from "../../src/runtime/hook/answer-hook.ts";
import type { RuntimeInternals } from "../../src/runtime/runtime.ts";
import { workspace } from "../workspace.ts";
import { openRuled, partsOf, recordedInputs } from "./client-inputs.ts";

const place = workspace([{ op: "file", path: "work/a.txt", content: "hello\n" }]);
const opened: RuntimeInternals[] = [];
afterAll(async () => {
  for (const { zeph } of opened) await zeph.close();
  place.remove();
});
const open = async (...[action = "allow", tools]: [action?: "allow" | "ask" | "deny", tools?: object]) => {
  const runtime = await openRuled(place, action, tools);
  opened.push(runtime);
  return runtime;
};
const [bash, , , ofMcp] = [0, 1, 2, 6].map((n) => recordedInputs(place.work)[n]!);
const sent = (input: object, client = "claude", event = "pre") => ({ v: 1 as const, client, event, cwd: place.work, input, tty: false });
const calling = (command: string) => ({ ...bash!.input, tool_input: { command } });

it("a runtime that cannot be opened, or takes too long, is a denial", async () => {
  const parts = partsOf(await open());
  const failing = await answerHook(sent(bash!.input), { ...parts, runtimeFor: () => Promise.reject(new Error("no disk")) });
  expect(JSON.parse(failing.stdout).hookSpecificOutput).toMatchObject({
    permissionDecision: "deny",
    permissionDecisionReason: expect.stringContaining("no disk"),
  });
  const hanging = await answerHook(sent(bash!.input), { ...parts, runtimeFor: () => new Promise(() => {}), limits: { openMs: 1 } });
  expect(hanging.stdout).toContain('"permissionDecision":"deny"');
});

it("a judgement that takes too long is a denial", async () => {
  const runtime = await open();
  const slow = { ...runtime, zeph: { ...runtime.zeph, decide: () => new Promise<never>(() => {}) } };
  const { stdout } = await answerHook(sent(bash!.input), partsOf(slow as RuntimeInternals, { limits: { openMs: 60_000, judgeMs: 1 } }));
  expect(stdout).toContain('"permissionDecision":"deny"');
  expect(stdout).toContain("no answer within");
});

it("arguments that are not known ask, though every rule allows, and the log says that the client changed", async () => {
  const runtime = await open();
  const lines: string[] = [];
  const { decide } = runtime.zeph;
  const heard = {
    ...runtime,
    zeph: {
      ...runtime.zeph,
      decide: (...all: Parameters<typeof decide>) => {
        lines.push(all[2]?.note ?? "");
        return decide(...all);
      },
    },
  };
  const input = { ...bash!.input, tool_input: { command: "ls", sudo: true } };
  const { stdout } = await answerHook(sent(input), partsOf(heard as RuntimeInternals));
  expect(JSON.parse(stdout).hookSpecificOutput.permissionDecision).toBe("ask");
  expect(lines).toEqual(['client changed: "sudo" is not known', 'client changed: "sudo" is not known']);
});

it("a tool that nobody knows is asked about, and one that touches nothing is left to the client", async () => {
  const parts = partsOf(await open());
  const named = (tool_name: string) => answerHook(sent({ ...bash!.input, tool_name, tool_input: {} }), parts);
  expect((await named("Teleport")).stdout).toContain('"permissionDecision":"ask"');
  expect((await named("TodoWrite")).stdout).toBe("");
  expect(ofMcp?.client).toBe("claude");
});

it("a patch is judged as the edits it makes, as the argument of a tool and as a here-document in a command", async () => {
  const parts = partsOf(
    await open("allow", { permissions: { bash: [{ pattern: "*", action: "allow" }], delete_path: [{ pattern: "*", action: "deny" }] } }),
  );
  const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-hello\n+bye\n*** Delete File: old.txt\n*** End Patch";
  const codex = recordedInputs(place.work).find(({ client }) => client === "codex")!.input;
  const say = async (tool_name: string, command: string) =>
    (await answerHook(sent({ ...codex, tool_name, tool_input: { command } }, "codex"), parts)).stdout;
  for (const [tool, text] of [
    ["apply_patch", patch],
    ["Bash", `apply_patch <<'EOF'\n${patch}\nEOF`],
    ["Bash", `cd . && apply_patch <<'EOF'\n${patch}\nEOF\n`],
  ] as const)
    expect(await say(tool, text)).toContain("for delete_path forbids");
  expect(await say("Bash", `apply_patch <<'EOF'\n${patch.replace("*** Delete File: old.txt\n", "")}\nEOF`)).toBe("");
  for (const odd of [`true; apply_patch <<'EOF'\n${patch}\nEOF`, `apply_patch '${patch}'`, `apply_patch <<'EOF'\n${patch}\nEOF\nls`])
    expect(await say("Bash", odd)).toContain("called in a way that is not known");
  expect(await say("apply_patch", "*** Begin Patch\n*** Rename File: a\n*** End Patch")).toContain("not known");
});

it("a question that a client cannot put is a denial with a ticket, and passes once a person has said yes", async () => {
  const parts = partsOf(await open("ask"));
  const kept: unknown[] = [];
  const yes = new Set<string>();
  const tickets = {
    keep: async ({ why: _why, ...question }: object & { why: string }) => {
      kept.push(question);
      return "7f3a";
    },
    take: async ({ why: _why, ...question }: object & { why: string }) => yes.delete(JSON.stringify(question)),
  };
  const codex = recordedInputs(place.work).find(({ client }) => client === "codex")!.input;
  const say = async () => (await answerHook(sent(codex, "codex"), { ...parts, tickets })).stdout;
  expect(await say()).toContain("`zeph hook approve 7f3a`, then repeat the same call");
  yes.add(JSON.stringify(kept[0]));
  expect(await say()).toBe("");
  expect(await say()).toContain("zeph hook approve");
});

it("gemini is asked only where somebody sits before it", async () => {
  const parts = partsOf(await open("ask"));
  const gemini = recordedInputs(place.work).find(({ client }) => client === "gemini")!.input;
  const say = async (tty: boolean) => JSON.parse((await answerHook({ ...sent(gemini, "gemini"), tty }, parts)).stdout).decision;
  expect([await say(true), await say(false)]).toEqual(["ask", "deny"]);
});

it("a command that only starts a shell is denied to codex, and what a shell is given is not", async () => {
  const parts = partsOf(await open());
  const codex = recordedInputs(place.work).find(({ client }) => client === "codex")!.input;
  const say = async (command: string) =>
    (await answerHook(sent({ ...codex, tool_input: { command } }, "codex"), parts)).stdout.includes("only starts a shell");
  for (const command of ["bash", "bash -i", "cd x && python3", "/bin/sh", "sqlite3", "python3.12 -i"])
    expect([command, await say(command)]).toEqual([command, true]);
  for (const command of ["bash x.sh", "python3 -c 'print(1)'", "echo 1 | bash", "python3 <<E\n1\nE", "ls", "node a.js", "sh < x"])
    expect([command, await say(command)]).toEqual([command, false]);
});

it("an output loses its secrets where the client takes another one, and is withheld where it could not be searched", async () => {
  const runtime = await open();
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const [post] = recordedInputs(place.work).filter(({ client, event }) => client === "claude" && event === "post");
  const input = { ...post!.input, tool_response: { ...(post!.input.tool_response as object), stdout: `token ${secret}\n` } };
  const { stdout } = await answerHook(sent(input, "claude", "post"), partsOf(runtime));
  expect(stdout).not.toContain(secret);
  expect(JSON.parse(stdout).hookSpecificOutput.updatedToolOutput).toMatchObject({
    stdout: expect.stringContaining("[redacted"),
    interrupted: false,
  });
  const broken = {
    ...runtime,
    redact: () => {
      throw new Error("broken");
    },
  };
  expect((await answerHook(sent(input, "claude", "post"), partsOf(broken))).stdout).toContain("withheld");
  expect((await answerHook(sent(post!.input, "claude", "post"), partsOf(runtime))).stdout).toBe("");
});

it("an output of any shape loses its secrets, and keeps its shape", async () => {
  const token = `ghp_${"a1B2c3D4e5F6g7H8i9".repeat(2)}`;
  const runtime = await open();
  const answer = async (response: unknown, client = "claude", more: object = {}) => {
    const input = { ...ofMcp!.input, ...more, tool_response: response };
    return (
      await answerHook(
        sent({ ...input, hook_event_name: client === "claude" ? "PostToolUse" : "AfterTool" }, client, "post"),
        partsOf(runtime),
      )
    ).stdout;
  };
  for (const shape of [
    [{ type: "text", text: `key ${token}` }],
    { result: `key ${token}` },
    { mode: "content", deep: [{ rows: [[token]] }] },
  ]) {
    const said = JSON.parse(await answer(shape)).hookSpecificOutput.updatedToolOutput;
    expect(JSON.stringify(said)).not.toContain(token);
    expect(JSON.stringify(said)).toContain("[redacted:");
    expect(Object.keys(said)).toEqual(Object.keys(shape));
  }
  expect(await answer([{ type: "text", text: "plain" }])).toBe("");
  const gemini = await answer({ llmContent: [{ text: token }] }, "gemini");
  expect(gemini).toContain("[redacted:");
  expect(gemini).not.toContain(token);
});

it("a long output is shortened in mode filter, and left as it is in mode guard", async () => {
  const runtime = await open();
  const [post] = recordedInputs(place.work).filter(({ client, event }) => client === "claude" && event === "post");
  const stdout = Array.from({ length: 400 }, (_, n) => `npm warn deprecated package-${n}@1.0.0: no longer supported`).join("\n");
  const input = { ...post!.input, tool_input: { command: "npm install" }, tool_response: { stdout, stderr: "" } };
  const say = async (mode: "guard" | "filter") =>
    (await answerHook(sent(input, "claude", "post"), partsOf(runtime, { modeOf: () => mode }))).stdout;
  expect(await say("guard")).toBe("");
  const shownOf = async (): Promise<string> => JSON.parse(await say("filter")).hookSpecificOutput.updatedToolOutput.stdout;
  expect((await shownOf()).length).toBeLessThan(stdout.length / 2);
  const steps = Array.from({ length: 5000 }, (_, n) => `step ${n} of the work is ${(n * 7919) % 10_007}`).join("\n");
  Object.assign(input, { tool_input: { command: "make" }, tool_response: { stdout: steps, stderr: "" } });
  const shown = await shownOf();
  const [, handle] = /\n\[whole output: zeph filter --raw (raw#\d{6})\]$/.exec(shown)!;
  expect((await runtime.store.overflow.find(handle!))!.text).toBe(steps);
  // What it asks for then comes as it is, and an output that was not shortened names no other.
  Object.assign(input, { tool_input: { command: `zeph filter --raw ${handle} | head -300` } });
  expect(await say("filter")).toBe("");
  Object.assign(input, { tool_input: { command: "ls" }, tool_response: { stdout: "a\nb\n", stderr: "" } });
  expect(await say("filter")).toBe("");
});

it("in mode filter nothing is judged", async () => {
  const parts = partsOf(await open("deny"), { modeOf: () => "filter" });
  expect((await answerHook(sent(calling("sudo ls")), parts)).stdout).toBe("");
});
