import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ToolCall } from "../core/call.ts";
import { type ApprovedCall, Door } from "../core/door.ts";
import type { Host } from "../core/ports/host.ts";
import { ToolRequest } from "../core/request.ts";
import { createSession } from "../core/session.ts";
import { type AnyTool, defineTool, type Effect } from "../core/tool.ts";
import { guard } from "./guard.ts";

const EFFECTS: readonly Effect[] = ["reads", "stores", "writes", "runs", "fetches", "unknown"];
/** Written down a second time on purpose: who may do what is a promise, and the table that keeps it must not change unseen. */
const MAY: Record<string, readonly Effect[]> = {
  "files.lines files.text files.list search.grep search.find shell.list": EFFECTS,
  "files.write files.replace files.makeDirectory files.remove files.move files.copy": ["writes", "unknown"],
  "shell.run shell.rehearse shell.start shell.wait shell.kill diagnostics.check": ["runs", "unknown"],
  "web.page web.select": ["fetches", "unknown"],
};
const CASES = Object.entries(MAY).flatMap(([names, effects]) => names.split(" ").map((name) => [name, effects] as const));

const toolThat = (effect: Effect) =>
  defineTool({
    name: `does_${effect}`,
    description: "",
    effect,
    input: z.strictObject({}),
    touches: () => [],
    run: async () => ({ text: "" }),
  });
const door = new Door(() => null, []);
async function permitFor(tool: AnyTool, by: Door = door): Promise<ApprovedCall> {
  const call = ToolCall.parse(ToolRequest.from({ id: "1", name: tool.name, args: {} })!, new Map([[tool.name, tool]])) as ToolCall;
  return (await by.preapprove(call, createSession().current({}))) as ApprovedCall;
}
/** A host whose every act says its name and what it was given. */
const host = Object.fromEntries(
  [...new Set(CASES.map(([name]) => name.split(".")[0]!))].map((part) => [
    part,
    Object.fromEntries(
      CASES.filter(([name]) => name.startsWith(`${part}.`)).map(([name]) => [
        name.split(".")[1]!,
        async (_permit: ApprovedCall, ...rest: unknown[]) => [name, ...rest],
      ]),
    ),
  ]),
) as unknown as Host;
const actOf = (guarded: Host, name: string) => {
  const [part, act] = name.split(".") as [string, string];
  return Reflect.get(Reflect.get(guarded, part), act) as (...args: unknown[]) => Promise<unknown>;
};

describe("A guarded host", () => {
  it.each(CASES)("lets only tools that were judged for it use %s, and hands on what it is given", async (name, may) => {
    const act = actOf(guard(door, host), name);
    for (const effect of EFFECTS) {
      const asked = act(await permitFor(toolThat(effect)), "a", 2);
      if (may.includes(effect)) await expect(asked).resolves.toEqual([name, "a", 2]);
      else
        await expect(asked).rejects.toMatchObject({
          category: "policy_blocked",
          message: `does_${effect} was judged as a tool that ${effect}, so it may not use ${name}.`,
        });
    }
  });

  it("lets the tool that looks after background runs wait for them and end them, and nothing else, and no other tool of its name", async () => {
    const minder = toolThat("reads");
    const guarded = guard(door, host, minder);
    const permit = await permitFor(minder);
    const allowed = await Promise.all(
      CASES.map(
        async ([name]) =>
          [
            name,
            await actOf(
              guarded,
              name,
            )(permit).then(
              () => true,
              () => false,
            ),
          ] as const,
      ),
    );
    const looks = CASES.filter(([, may]) => may.includes("reads")).map(([name]) => name);
    expect(
      allowed
        .filter(([, isAllowed]) => isAllowed)
        .map(([name]) => name)
        .sort(),
    ).toEqual([...looks, "shell.wait", "shell.kill"].sort());
    await expect(actOf(guarded, "shell.kill")(await permitFor(toolThat("reads")))).rejects.toMatchObject({ category: "policy_blocked" });
  });

  it("takes the permits of its own door only, and none of a call that is over", async () => {
    const guarded = guard(door, host);
    const permit = await permitFor(toolThat("reads"));
    await expect(guarded.files.text(await permitFor(toolThat("reads"), new Door(() => null, [])), "a")).rejects.toThrow("did not issue");
    await expect(guarded.files.text(permit, "a")).resolves.toEqual(["files.text", "a"]);
    door.retire(permit);
    await expect(guarded.files.text(permit, "a")).rejects.toThrow("did not issue");
  });

  it("refuses acts that have no line, inherited ones and whole parts too, to every tool", async () => {
    class Files {
      async text() {
        return "text";
      }
      async shred() {
        return "shredded";
      }
    }
    class More extends Files {
      async own() {
        return "own";
      }
    }
    const guarded = guard(door, { files: new More(), extra: { boom: async () => "boom" } } as unknown as Host);
    const permit = await permitFor(toolThat("unknown"));
    for (const name of ["files.shred", "files.own", "extra.boom"])
      await expect(actOf(guarded, name)(permit)).rejects.toMatchObject({
        category: "policy_blocked",
        message: `${name} is not an act that tools may use on a host.`,
      });
    await expect(actOf(guarded, "files.text")(permit)).resolves.toBe("text");
    expect([Object.isFrozen(guarded), Object.isFrozen(guarded.files), Object.hasOwn(guarded.files, "constructor")]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
