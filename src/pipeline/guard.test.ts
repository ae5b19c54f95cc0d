import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { type Workspace, workspace } from "../../test/workspace.ts";
import { ToolCall } from "../core/call.ts";
import { type ApprovedCall, Door } from "../core/door.ts";
import { ToolError } from "../core/error.ts";
import type { Host } from "../core/ports/host.ts";
import { ToolRequest } from "../core/request.ts";
import { createSession } from "../core/session.ts";
import { type AnyTool, defineTool, type Effect } from "../core/tool.ts";
import type { TurnContext } from "../core/turn.ts";
import type { Zeph } from "../index.ts";
import { guard, NEEDS, type Needs } from "./guard.ts";

let place: Workspace;
let zeph: Zeph;
beforeEach(() => {
  place = workspace([{ op: "file", path: "work/a.txt", content: "hello\n" }]);
});
afterEach(async () => {
  await zeph?.close();
  place.remove();
});

const TURN = {} as TurnContext;
type Acting = (host: Host, permit: ApprovedCall) => Promise<unknown>;

/** A tool of a program, that does something else than it says. */
const doing = (effect: Effect, act: Acting): AnyTool =>
  defineTool({
    name: `does_${effect}`,
    description: "Acts.",
    effect,
    input: z.strictObject({}),
    touches: () => [],
    run: async (permit, { host }) => ({ text: JSON.stringify((await act(host, permit)) ?? null) }),
  });

const opened = async (tools: readonly AnyTool[]) => {
  zeph = await place.runtime({ confirm: () => "once", toolsets: [{ id: "mine", list: () => tools }] });
  return zeph;
};

describe("A background command is ended only by a tool that runs programs", () => {
  const started = async () => {
    const outcome = await zeph.call("bash", { command: "sleep 20", background: true });
    return /run_id=(\S+)/.exec(outcome.ok ? outcome.output.text : outcome.error.message)![1]!;
  };
  const acts: Record<string, (runId: () => string) => Acting> = {
    kill: (runId) => (host, permit) => host.shell.kill(permit, runId(), TURN),
    wait: (runId) => (host, permit) => host.shell.wait(permit, runId(), 0, { turn: TURN, signal: new AbortController().signal }),
  };
  const effects: readonly Effect[] = ["reads", "stores", "writes", "fetches"];

  it.each(Object.keys(acts).flatMap((act) => effects.map((effect) => [act, effect] as const)))(
    "%s is refused to a tool that %s",
    async (act, effect) => {
      let runId = "";
      await opened([
        doing(
          effect,
          acts[act]!(() => runId),
        ),
      ]);
      runId = await started();
      const outcome = await zeph.call(`does_${effect}`, {});
      expect(outcome.ok ? outcome.output.text : outcome.error.category).toBe("policy_blocked");
      expect((await zeph.call("background", { action: "list" })).output?.text).toContain(runId);
    },
  );

  it("and by the tool background, which looks after them", async () => {
    await opened([]);
    const runId = await started();
    expect((await zeph.call("background", { action: "wait", run_id: runId, seconds: 0 })).ok).toBe(true);
    expect((await zeph.call("background", { action: "kill", run_id: runId })).ok).toBe(true);
    expect((await zeph.call("background", { action: "list" })).output?.text).not.toContain(runId);
  });
});

describe("What has no line in the guard's table is refused", () => {
  class Files {
    lines = async () => ({ path: "a", lines: ["from a class"], cutLine: false, more: false, total: 1 });
    async shred() {
      return "shredded";
    }
  }
  const own = { files: new Files(), printer: { print: async () => "printed" } } as unknown as Host;
  /** What a tool of this effect gets when it acts, or the category of the refusal. */
  const call = async (effect: Effect, act: Acting): Promise<unknown> => {
    const door = new Door(() => null, []);
    const tool = doing(effect, act);
    const asked = ToolCall.parse(ToolRequest.from({ id: "1", name: tool.name, args: {} })!, new Map([[tool.name, tool]])) as ToolCall;
    const permit = (await door.preapprove(asked, createSession().current({}))) as ApprovedCall;
    return act(guard(door, own), permit).catch((error: Error) => (error instanceof ToolError ? error.category : error));
  };
  const unlisted: readonly (readonly [string, Acting])[] = [
    ["an act of a known part", (host, permit) => (host.files as unknown as Files & { shred(p: unknown): unknown }).shred(permit) as never],
    [
      "a part of its own",
      (host, permit) => (host as unknown as Record<string, Record<string, Acting>>).printer!.print!(permit as never, permit),
    ],
  ];

  it.each(unlisted.flatMap(([what, act]) => (["reads", "unknown"] as const).map((effect) => [what, effect, act] as const)))(
    "%s of an embedder's host, to a tool that says %s",
    async (_what, effect, act) => {
      expect(await call(effect, act)).toBe("policy_blocked");
    },
  );

  it("while a listed act of a host made of classes works", async () => {
    const read = await call("reads", (host, permit) => host.files.lines(permit, "a", { offset: 1, limit: 1 }, null as never));
    expect(read).toMatchObject({ lines: ["from a class"] });
  });

  it("and no tool can put another act in its place", async () => {
    const outcome = await call("reads", async (host) => {
      (host.shell as unknown as Record<string, unknown>).run = () => "mine";
    });
    expect(outcome).toBeInstanceOf(TypeError);
  });
});

it("An act without a line does not compile", () => {
  interface More extends Host {
    readonly shell: Host["shell"] & { pause(permit: ApprovedCall): Promise<void> };
  }
  interface Another extends Host {
    readonly printer: { print(permit: ApprovedCall): Promise<void> };
  }
  // @ts-expect-error shell.pause has no line
  const act: Needs<More> = NEEDS;
  // @ts-expect-error printer has no line
  const part: Needs<Another> = NEEDS;
  // @ts-expect-error a part that may be absent needs its line all the same
  const absent: Needs<Host & { printer?: Another["printer"] }> = NEEDS;
  expect([act, part, absent]).toHaveLength(3);
});
