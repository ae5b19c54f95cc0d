import { describe, expect, it } from "vitest";
import type { Pin, Store } from "../../../src/core/ports/store.ts";
import type { WithStore } from "./with-store.ts";

const pin = (tool: string, definition = `{"name":"${tool}"}`): Omit<Pin, "since"> => ({ tool, hash: `${tool}-hash`, definition });
const toolsOf = (pins: readonly Pin[]) => pins.map(({ tool }) => tool);

/** Definitions that were agreed to. */
export function describePins(name: string, withStore: WithStore): void {
  describe(`${name}: pins`, () => {
    it(
      "keeps what was agreed to, by server and by tool",
      withStore(async ({ pins }) => {
        await pins.put("files", [pin("write"), pin("read")]);
        await pins.put("other", [pin("read", "{}")]);
        const found = await pins.of("files");
        expect(found).toEqual([
          { ...pin("read"), since: expect.any(Number) },
          { ...pin("write"), since: expect.any(Number) },
        ]);
        expect(Math.abs(found[0]!.since - Date.now())).toBeLessThan(60_000);
        expect(await pins.of("other")).toMatchObject([{ tool: "read", definition: "{}" }]);
        expect(await pins.of("none")).toEqual([]);
        expect(await pins.servers()).toEqual(["files", "other"]);
      }),
    );

    it(
      "replaces those of the same tool, and no other",
      withStore(async ({ pins }) => {
        await pins.put("files", [pin("read"), pin("write")]);
        await pins.put("files", [{ tool: "read", hash: "new", definition: "new" }]);
        expect(await pins.of("files")).toMatchObject([{ tool: "read", hash: "new", definition: "new" }, pin("write")]);
        await pins.put("files", []);
        expect(await pins.of("files")).toHaveLength(2);
      }),
    );

    it(
      "forgets some, or all, and says how many there were",
      withStore(async ({ pins }) => {
        await pins.put("files", [pin("a"), pin("b"), pin("c")]);
        await pins.put("other", [pin("a")]);
        expect(await pins.forget("files", ["a", "none"])).toBe(1);
        expect(toolsOf(await pins.of("files"))).toEqual(["b", "c"]);
        expect(await pins.forget("files", [])).toBe(0);
        expect(await pins.forget("files")).toBe(2);
        expect(await pins.forget("files")).toBe(0);
        expect(await pins.servers()).toEqual(["other"]);
        expect(toolsOf(await pins.of("other"))).toEqual(["a"]);
      }),
    );

    it(
      "tells names apart that differ in case",
      withStore(async ({ pins }) => {
        await pins.put("Files", [pin("Read")]);
        await pins.put("files", [pin("read"), pin("READ")]);
        expect(toolsOf(await pins.of("Files"))).toEqual(["Read"]);
        expect(toolsOf(await pins.of("files"))).toEqual(["READ", "read"]);
      }),
    );

    it.each([
      ["a megabyte", `{"description":"${"ü".repeat(500_000)}"}`],
      ["characters beyond the first plane, combined, right to left, hidden", "🧪 e\u0301 עברית \u202e \u200b \ufeff \u{e0041}"],
      ["quotes and SQL", `'; drop table mcp_pins; --"`],
      ["nothing", ""],
    ])("keeps %s in a definition as it was", (_what, definition) =>
      withStore(async ({ pins }) => {
        await pins.put("s", [pin("t", definition)]);
        expect((await pins.of("s"))[0]!.definition === definition).toBe(true);
      })(),
    );

    // JSON spells a NUL out, so a definition never holds one. Cut off at it, one tool could pass for another.
    it(
      "refuses a NUL, and keeps nothing of what came with it",
      withStore(async ({ pins }) => {
        await pins.put("s", [pin("read")]);
        for (const odd of [pin("read\0evil", "{}"), pin("evil", "a\0b"), { ...pin("evil"), hash: "\0" }])
          await expect(pins.put("s", [{ ...pin("read"), hash: "other" }, odd])).rejects.toThrow("NUL");
        expect(await pins.of("s")).toEqual([{ ...pin("read"), since: expect.any(Number) }]);
      }),
    );

    it(
      "puts many at once, or none of them",
      withStore(async ({ pins }) => {
        const many = Array.from({ length: 1000 }, (_, n) => pin(`t${String(n).padStart(4, "0")}`));
        await pins.put("s", many);
        expect(await pins.of("s")).toHaveLength(1000);
        const broken = [pin("fresh"), { tool: "bad", hash: "h", definition: null as unknown as string }];
        await expect(pins.put("s", broken)).rejects.toThrow();
        expect(toolsOf(await pins.of("s"))).not.toContain("fresh");
      }),
    );
  });
}

/** What was agreed to through one connection counts in another. */
export async function sharedPins(first: Store, second: Store): Promise<void> {
  await first.pins.put("shared", [pin("read")]);
  expect(await second.pins.of("shared")).toMatchObject([pin("read")]);
  await second.pins.put("shared", [{ ...pin("read"), hash: "second" }]);
  expect(await first.pins.of("shared")).toMatchObject([{ hash: "second" }]);
  expect(await second.pins.forget("shared")).toBe(1);
  expect(await first.pins.servers()).not.toContain("shared");
}
