import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ToolCall } from "../../core/call.ts";
import { ToolRequest } from "../../core/request.ts";
import { defineTool } from "../../core/tool.ts";
import { bash } from "../../tools/bash.ts";
import { write } from "../../tools/write.ts";
import { understandFrom } from "../permissions/commands.ts";
import { blockedStep, meets } from "./match.ts";
import { createBlockedSequences, type SequenceProgress, type ToolNames } from "./sequences.ts";

const plain = (name: string) =>
  defineTool({
    name,
    description: "",
    effect: "reads",
    input: z.strictObject({ x: z.string(), more: z.array(z.union([z.string(), z.number(), z.boolean()])).optional() }),
    touches: () => [],
    run: async () => ({ text: "" }),
  });
const tools = new Map(
  [bash((command, at) => understandFrom(command, at).touches), write, plain("read"), plain("fetch"), plain("grep")].map((tool) => [
    tool.name,
    tool,
  ]),
);
const callOf = (name: string, args: object) => ToolCall.parse(ToolRequest.from({ id: "1", name, args })!, tools) as ToolCall;
const ran = (command: string) => callOf("bash", { command });
const completes = (entry: readonly string[], ...calls: readonly ToolCall[]): boolean => {
  const blocked = createBlockedSequences([entry], () => tools);
  const progress: SequenceProgress = new Map();
  for (const call of calls.slice(0, -1)) blocked.advance(call, progress);
  return blocked.completedBy(calls.at(-1)!, progress) === 0;
};

describe("a blocked command", () => {
  const entry = ["bash", "rm", "-rf", "/"];
  it.each([
    ["rm -rf /", true],
    ["rm -fr /", true],
    ["rm -r -f /", true],
    ["rm -R --force -v /", true],
    ["rm --recursive --force /", true],
    ["rm --recurs --forc /", true],
    ["rm / -rf", true],
    ["/bin/rm -rfv //", true],
    ["rm -rf /.", true],
    ["rm -rf '/*'", true],
    ["rm -rf a b / c", true],
    ["cd x && rm -rf /", true],
    ["sh -c 'rm -rf /'", true],
    ["echo $(rm -rf /)", true],
    ["env X=1 rm -rf /", true],
    ["rm -rf /tmp", false],
    ["rm -rf ./", false],
    ["rm -r /", false],
    ["rm -f /", false],
    ["rm -rf src", false],
    ["rm -- -rf /", false],
    ["rm x; ls -rf /", false],
    ["ls -rf /; echo rm", false],
    ["echo 'rm -rf /'", false],
    ["git commit -m 'rm -rf /'", false],
    ['rm -rf "$X"', false],
  ])("%s: %s", (command, expected) => expect(completes(entry, ran(command))).toBe(expected));

  it.each([
    [["bash", "git", "push", "--force"], "git push -f origin main", true],
    [["bash", "git", "push", "--force"], "git push origin --force", true],
    [["bash", "git", "push", "--force"], "git push origin", false],
    [["bash", "git", "branch", "-D"], "git branch -d x", false],
    [["bash", "find", "-delete"], "find . -maxdepth 1 -type l -newer x", false],
    [["bash", "find", "-delete"], "find . -name x -delete", true],
    [["bash", "grep", "secret"], "grep secret notes.txt", true],
    [["bash", "cat", "config.toml"], "cat ./conf/../config.toml", true],
    [["bash", "dd", "/dev/sda"], "dd if=x of=/dev/sda", true],
    [["curl", "evil.example"], "curl evil.example", true],
    [["bash", "mv", "a", "b"], "mv b a", false],
    [["bash"], "true", true],
  ])("%j with %s: %s", (words, command, expected) => expect(completes(words, ran(command))).toBe(expected));

  it("that cannot be read is looked through as text", () => {
    expect(completes(entry, ran(`rm -rf / ${"#".repeat(70_000)}`))).toBe(true);
    expect(completes(["bash", "shred"], ran(`shred x; ${": ".repeat(40_000)}`))).toBe(true);
  });
});

describe("a blocked argument", () => {
  const entry = ["write", "config.toml", "password"];
  it.each([
    ["config.toml", "password = 1", true],
    ["/w/a/config.toml", "x\nDB_PASSWORD=1", true],
    ["config.toml", `${"word ".repeat(5_000)}password`, true],
    ["config.toml", "passwords", false],
    ["config.toml.d/x", "password", true],
    ["myconfig.toml", "password", false],
    ["a.txt", "password", false],
    ["password", "config.toml", false],
  ])("%s, %s", (path, content, expected) => expect(completes(entry, callOf("write", { path, content }))).toBe(expected));

  it("stands in one call, of the tool that is named", () => {
    expect(
      completes(entry, callOf("write", { path: "config.toml", content: "" }), callOf("write", { path: "a", content: "password" })),
    ).toBe(false);
    expect(completes(entry, callOf("read", { x: "config.toml password" }))).toBe(false);
    expect(completes(["config.toml", "password"], callOf("read", { x: "config.toml password" }))).toBe(true);
    expect(completes(["read", "/etc"], callOf("read", { x: "/etc/passwd" }))).toBe(false);
    expect(completes(["read", "/"], callOf("read", { x: "/etc/passwd" }))).toBe(false);
    expect(completes(["read", "/etc/passwd"], callOf("read", { x: "/etc//passwd" }))).toBe(true);
    expect(completes(["read", "true", "7"], callOf("read", { x: "a", more: [true, 7] }))).toBe(true);
  });
});

describe("a blocked sequence of calls", () => {
  const [readKey, look, go] = [callOf("read", { x: "key" }), callOf("grep", { x: "z" }), callOf("fetch", { x: "evil.example" })];
  const entry = ["read", "key", "fetch"];

  it("is completed in its order, whatever comes between, and by its last call only", () => {
    expect(completes(entry, go)).toBe(false);
    expect(completes(entry, readKey)).toBe(false);
    expect(completes(entry, readKey, go)).toBe(true);
    expect(completes(entry, readKey, look, look, go)).toBe(true);
    expect(completes(entry, go, readKey)).toBe(false);
    expect(completes(entry, look, go)).toBe(false);
  });

  it("may be refused again and again", () => {
    const blocked = createBlockedSequences([["x"], entry], () => tools);
    const progress: SequenceProgress = new Map();
    blocked.advance(readKey, progress);
    for (let n = 0; n < 3; n++) expect(blocked.completedBy(go, progress)).toBe(1);
    blocked.advance(go, progress);
    expect(blocked.completedBy(go, progress)).toBe(1);
  });

  it("names a tool by any of its names", () => {
    const names = new Map([...tools, ["look_for", tools.get("grep")!]]);
    const blocked = createBlockedSequences(
      [
        ["look_for", "z"],
        ["look_for", "key", "read"],
      ],
      () => names,
    );
    expect(blocked.completedBy(look, new Map())).toBe(0);
    const progress: SequenceProgress = new Map();
    blocked.advance(callOf("grep", { x: "key" }), progress);
    expect(blocked.completedBy(readKey, progress)).toBe(1);
  });

  it("that stands first in the list is the one that is named", () => {
    const entries = [["bash", "x", "b"], ["bash"], ["bash", "b"], ["bash", "b"]];
    const first = (list: string[][], command: string) => createBlockedSequences(list, () => tools).completedBy(ran(command), new Map());
    expect(first(entries, "x b")).toBe(0);
    expect(first(entries, "y b")).toBe(1);
    expect(first(entries.toReversed(), "x b")).toBe(0);
    expect(first(entries.slice(2), "a; c b")).toBe(0);
  });

  it("is read anew when tools come", () => {
    let now: ToolNames = new Map([["read", { name: "read" }]]);
    const blocked = createBlockedSequences([["read", "fetch"]], () => now);
    const progress: SequenceProgress = new Map();
    blocked.advance(readKey, progress);
    expect(blocked.completedBy(callOf("read", { x: "fetch" }), progress)).toBe(0);
    now = tools;
    blocked.advance(readKey, progress);
    expect(blocked.completedBy(callOf("read", { x: "fetch" }), progress)).toBeNull();
    expect(blocked.completedBy(go, progress)).toBe(0);
  });
});

describe("a naive reading says the same", () => {
  const word = fc.constantFrom("a", "b", "c", "-x", "-y");
  /** Options anywhere, the others in their order. */
  const naive = (words: readonly string[], argv: readonly string[]): boolean =>
    words.filter((one) => one.startsWith("-")).every((one) => argv.slice(1).includes(one)) &&
    within(
      words.filter((one) => !one.startsWith("-")),
      argv,
    );
  const within = (words: readonly string[], list: readonly string[]): boolean => {
    if (words.length === 0) return true;
    return list.some((one, n) => one === words[0] && within(words.slice(1), list.slice(n + 1)));
  };

  it("about commands", () =>
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 4 }),
        fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.array(word, { maxLength: 4 })), { minLength: 1, maxLength: 3 }),
        (words, lines) => {
          const argvs = lines.map(([program, rest]) => [program, ...rest]);
          const call = ran(argvs.map((argv) => argv.join(" ")).join("; "));
          expect(meets(blockedStep("bash", words), call)).toBe(argvs.some((argv) => naive(words, argv)));
        },
      ),
    ));

  it("about arguments", () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "b", "ab"), { maxLength: 4 }),
        fc.array(fc.array(fc.constantFrom("a", "b", "ab"), { maxLength: 4 }), { minLength: 1, maxLength: 3 }),
        (words, values) => {
          const [x, ...more] = values.map((list) => list.join(" "));
          expect(meets(blockedStep("read", words), callOf("read", { x, more }))).toBe(within(words, values.flat()));
        },
      ),
    ));

  it("about sequences", () => {
    const NAMES = ["read", "fetch", "grep"] as const;
    const call = fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom("a", "b"));
    const step = fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(null, "a", "b"));
    const fits = ([tool, wanted]: readonly [string, string | null], [name, x]: readonly [string, string]) =>
      tool === name && (wanted === null || wanted === x);
    /** Every way to choose the earlier calls. */
    const subsequence = (steps: readonly (readonly [string, string | null])[], calls: readonly (readonly [string, string])[]): boolean =>
      steps.length === 0 || calls.some((one, n) => fits(steps[0]!, one) && subsequence(steps.slice(1), calls.slice(n + 1)));
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), fc.array(call, { minLength: 1, maxLength: 8 }), (steps, calls) => {
        const entry = steps.flatMap(([tool, wanted]) => (wanted === null ? [tool] : [tool, wanted]));
        const expected = fits(steps.at(-1)!, calls.at(-1)!) && subsequence(steps.slice(0, -1), calls.slice(0, -1));
        expect(completes(entry, ...calls.map(([name, x]) => callOf(name, { x })))).toBe(expected);
      }),
      { numRuns: 100 },
    );
  });
});
