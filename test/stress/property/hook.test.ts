import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CLIENT_NAMES, type HookOutput } from "../../../src/hook/client.ts";
import { HOOK_CLIENTS } from "../../../src/hook/find-client.ts";
import { answerHook, type HookInput } from "../../../src/runtime/hook/answer-hook.ts";
import type { RuntimeInternals } from "../../../src/runtime/runtime.ts";
import { openRuled, partsOf, type Recorded, recordedInputs } from "../../hook/client-inputs.ts";
import { workspace } from "../../workspace.ts";

const place = workspace([{ op: "file", path: "work/a.txt", content: "hello\n" }]);
let lenient: RuntimeInternals;
beforeAll(async () => {
  lenient = await openRuled(place, "allow");
});
afterAll(async () => {
  await lenient.zeph.close();
  place.remove();
});

const inputs = recordedInputs(place.work);
const sent = ({ client, event, input }: Omit<Recorded, "input"> & { readonly input: unknown }): HookInput => ({
  v: 1,
  client,
  event,
  cwd: place.work,
  input,
  tty: true,
});

/** Exit 0 with one object or nothing, or exit 2 with a reason. */
function expectAnswer({ stdout, stderr, exit }: HookOutput): void {
  if (exit === 0) expect(stdout === "" || typeof JSON.parse(stdout) === "object").toBe(true);
  else expect([exit, stderr.trim() !== ""]).toEqual([2, true]);
}

/** Whether the client is kept from running the call by itself. */
const isHeld = ({ stdout, exit }: HookOutput): boolean =>
  exit === 2 || /"(permissionDecision|decision|verdict|permission)":"(deny|ask)"/.test(stdout);

const mode = fc.constantFrom("guard", "walls", "filter") as fc.Arbitrary<"guard" | "walls" | "filter">;

describe("a hook", () => {
  it("answers whatever it is sent with JSON, nothing or exit code 2, and holds what it cannot read", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...CLIENT_NAMES, "nobody"),
        fc.constantFrom("pre", "post", "other"),
        fc.oneof(fc.json(), fc.string(), fc.jsonValue()),
        mode,
        async (client, event, input, mode) => {
          const answer = await answerHook({ ...sent(inputs[0]!), client, event, input }, partsOf(lenient, { modeOf: () => mode }));
          expectAnswer(answer);
          if (event === "pre") expect(isHeld(answer)).toBe(true);
        },
      ),
      { numRuns: 300 },
    ));

  it("answers a recorded input with one field changed to anything in the same way", () =>
    fc.assert(
      fc.asyncProperty(fc.constantFrom(...inputs), fc.nat(), fc.jsonValue(), mode, async (one, at, value, mode) => {
        const fields = leavesOf(one.input);
        const input = withLeaf(one.input, fields[at % fields.length]!, value);
        expectAnswer(await answerHook(sent({ ...one, input }), partsOf(lenient, { modeOf: () => mode })));
      }),
      { numRuns: 200 },
    ));

  it("holds a call with any field of another type, whatever the rules allow", async () => {
    for (const one of inputs.filter(({ event }) => event === "pre"))
      for (const leaf of leavesOf(one.input))
        for (const value of othersThan(leaf.reduce<any>((node, key) => node[key], one.input))) {
          const input = withLeaf(one.input, leaf, value);
          const answer = await answerHook(sent({ ...one, input }), partsOf(lenient));
          expect({ client: one.client, leaf, value, held: isHeld(answer) }).toEqual({ client: one.client, leaf, value, held: true });
        }
  });

  it("holds a call that lacks a field a judgement needs", async () => {
    for (const one of inputs.filter(({ event }) => event === "pre")) {
      const { fields, tools } = HOOK_CLIENTS[one.client as "claude"];
      for (const [name, type] of Object.entries(fields.pre)) {
        if (type.endsWith("?")) continue;
        const { [name]: _gone, ...input } = one.input;
        expect([one.client, name, isHeld(await answerHook(sent({ ...one, input }), partsOf(lenient)))]).toEqual([one.client, name, true]);
      }
      expect(Object.keys(tools).length).toBeGreaterThan(0);
    }
  });
});

type Leaf = readonly (string | number)[];

/** Every place in a value, the inner ones too. */
const leavesOf = (value: unknown, at: Leaf = []): Leaf[] =>
  typeof value === "object" && value !== null
    ? [
        ...(at.length > 0 ? [at] : []),
        ...Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...at, Array.isArray(value) ? Number(key) : key])),
      ]
    : [at];

function withLeaf(value: unknown, [key, ...rest]: Leaf, other: unknown): Record<string, unknown> {
  const copy: any = structuredClone(value);
  copy[key!] = rest.length === 0 ? other : withLeaf(copy[key!], rest, other);
  return copy;
}

const VALUES = ["text", 5, true, null, { a: 1 }, ["a"]];
const kind = (value: unknown) => (Array.isArray(value) ? "list" : value === null ? "null" : typeof value);
/** Null stands for a text that is not there in one field of one client, and is not asked for here. */
const othersThan = (value: unknown) => VALUES.filter((other) => kind(other) !== kind(value) && other !== null);
