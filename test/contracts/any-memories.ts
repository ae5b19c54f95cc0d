import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/core/ports/model.ts";
import { anyCharacter } from "../any-character.ts";
import { found } from "./store/memories.ts";
import type { WithStore } from "./store/with-store.ts";

/** What holds of every text, and after any sequence of steps. */
export function describeAnyMemories(name: string, withStore: WithStore): void {
  describe(`${name}: search of anything`, () => {
    it(
      "fails for no text at all",
      withStore(async ({ memories, conversations }) => {
        const { id } = await conversations.create("/w", "t");
        const of = Float32Array.of(1, 0);
        await fc.assert(
          fc.asyncProperty(
            fc.string({ unit: anyCharacter, maxLength: 200 }),
            fc.string({ unit: "grapheme", minLength: 1 }),
            async (text, content) => {
              if (content.trim() && !content.includes("\0")) await memories.save({ content, workspace: "/w", untrusted: false });
              await conversations.append(id, [user(content)]);
              const { hits, damaged } = await memories.search({ text, workspace: "/w", limit: 10, vector: { embedder: "e", of } });
              expect(hits.length).toBeLessThanOrEqual(10);
              expect(damaged).toBe(0);
              if (/^\p{L}{2,}$/u.test(content.normalize("NFC")))
                expect(await found(memories, content, "/w"), content).toContain(content.toWellFormed());
            },
          ),
          { numRuns: 50 },
        );
      }),
    );

    it(
      "no longer finds what was forgotten or deleted, in any index",
      withStore(async ({ memories, conversations }) => {
        const embedder = "e";
        await fc.assert(
          fc.asyncProperty(fc.array(fc.constantFrom("save", "say", "forget", "delete"), { minLength: 5, maxLength: 30 }), async (steps) => {
            await memories.forget("all");
            const talks: string[] = [];
            const kept = new Map<string, string>();
            const said = new Map<string, string>();
            for (const [n, step] of steps.entries()) {
              if (step === "save") {
                const { id } = await memories.save({ content: `zebra saved ${n}`, workspace: "/w", untrusted: false });
                await memories.addVector(id, embedder, Float32Array.of(1, n / 100));
                kept.set(id, `zebra saved ${n}`);
              } else if (step === "say") {
                const { id } = await conversations.create("/w", "t");
                await conversations.append(id, [user(`zebra said ${n}`)]);
                talks.push(id);
                said.set(id, `zebra said ${n}`);
              } else if (step === "forget") {
                const [id] = kept.keys();
                if (id) await memories.forget({ id });
                kept.delete(id ?? "");
              } else {
                const id = talks.shift();
                if (id) await conversations.delete(id);
                said.delete(id ?? "");
              }
            }
            const expected = [...kept.values(), ...said.values()].sort();
            expect((await found(memories, "zebra", "/w")).sort()).toEqual(expected);
            const near = { embedder, of: Float32Array.of(1, 0) };
            expect((await found(memories, "nothing", "/w", near)).sort()).toEqual([...kept.values()].sort());
            for (const id of talks) await conversations.delete(id);
          }),
          { numRuns: 25 },
        );
      }),
    );
  });
}

const user = (text: string): Message => ({ role: "user", text });
