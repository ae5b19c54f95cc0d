// biome-ignore-all lint/suspicious/noTemplateCurlyInString: bash has these braces too.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { understand } from "../../src/shell/understand.ts";
import { anyCharacter } from "../any-character.ts";
import { cpuMs } from "../cpu.ts";
import { allowAll, answer, type Policy } from "./door.ts";
import { commandsOf } from "./lists.ts";

const LEVELS = ["allow", "ask", "deny", "block"];
const level = async (command: string, policy: Policy = allowAll) => LEVELS.indexOf(await answer(command, policy));

const blocked = commandsOf("blocked.txt")
  .filter(({ group }) => group !== "constructs")
  .map(({ command }) => command);
const benign = commandsOf("benign.txt").map(({ command }) => command);
const FRAGMENTS =
  "$( ` ${ } ) ' \" {a,b} { $[ (( )) << <<A A \\ $x a= a=$a$a ; | & && if then fi for do done case in esac [[ ]] <( >( env sh -c eval sudo rm -rf / # ~ * [ ] $' \\x $@ git sed s/a/b/e awk xargs find -exec {} \\; trap export PATH= \n".split(
    " ",
  );
const hostile = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 400 }),
  fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 200 }).map((parts) => parts.join(" ")),
  fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 200 }).map((parts) => parts.join("")),
  fc
    .tuple(fc.array(fc.constantFrom(...FRAGMENTS), { minLength: 1, maxLength: 5 }), fc.nat(20_000))
    .map(([parts, times]) => parts.join("").repeat(times).slice(0, 65_536)),
);
const RUNS = 50;

describe("understand", () => {
  it("never throws, and what it cannot read it says", () =>
    fc.assert(
      fc.property(hostile, (text) => {
        const { commands, unknown, touches } = understand(text);
        expect(touches.filter(({ kind }) => kind === "command")).toHaveLength(commands.filter(({ argv }) => argv.length > 0).length);
        if (commands.some(({ argv }) => argv[0] === null)) expect(unknown.length).toBeGreaterThan(0);
      }),
      { numRuns: RUNS },
    ));

  const K = 65_536;
  const DEEP: Record<string, string> = {
    "$(": "$(".repeat(K / 2),
    "closed $(": `${"$(".repeat(60)}id${")".repeat(60)}`,
    "padded $(": `${"$(".repeat(30)}${"a ".repeat(30_000)}`,
    'padded "$(': `${'"$('.repeat(15)}${"a ".repeat(8000)}`,
    "$[": "$[".repeat(30_000),
    "padded $[": `${"$[".repeat(16)}${"a".repeat(60_000)}`,
    "{": "{".repeat(K - 1),
    "(": "(".repeat(K - 1),
    "`": "`".repeat(K - 1),
    braces: "{a,b}".repeat(13_000),
    "brace words": `echo ${"{a,b}".repeat(20)}`,
    sequences: "{1..99999}".repeat(300),
    '"': '"'.repeat(K - 1),
    "'": "'".repeat(K - 1),
    words: "a ".repeat(32_000),
    "here-documents": "cat <<A\n".repeat(8000),
    "here-documents at once": `cat ${"<<A ".repeat(250)}\n${"A\n".repeat(250)}`,
    doubling: "a=$a$a;".repeat(2000),
    "doubling names": `v0=xx;${Array.from({ length: 1500 }, (_, n) => `v${n + 1}=$v${n}$v${n};`).join("")}$v1500`,
    "case in $(": `${"$(case a in b) ".repeat(60)}${"a ".repeat(8000)}`,
    wrappers: "env ".repeat(8000),
    "sh -c": "sh -c ".repeat(4000),
    eval: `${"eval ".repeat(8000)}id`,
    functions: "f() ".repeat(8000),
    "[": "[".repeat(K - 1),
    "a[": "a[".repeat(30_000),
    "hidden by $$": `$$'\\' ${"$(".repeat(20_000)}'`,
    "hidden by arithmetic": `((1<<A))\n${"$(".repeat(20_000)}`,
    "braces hidden by arithmetic": `((1<<A))\n${"{".repeat(60_000)}`,
    "hidden by a default": `"\${x:-'}" ${"$(".repeat(20_000)}'`,
    "sed brackets": `sed '${"/[/".repeat(5000)}'`,
    "awk prints": `awk '${"print ".repeat(2500)}'`,
    "quoted $(": `let '${"$(".repeat(20_000)}'`,
    "parameter patterns": `x=${"a".repeat(250)};${"echo ${x##*a*a*a*b};".repeat(300)}`,
    loops: `for a in ${"x ".repeat(32)}; do for b in ${"y ".repeat(32)}; do $a $b $a; done; done`,
    "rm of many": `rm ${"a ".repeat(8000)}`,
    settings: `git ${"-c core.pager=x ".repeat(1000)}`,
  };
  it.each(Object.entries(DEEP))("takes no time over %s", (_name, text) => {
    // The quickest of four: the others may wait for the compiler or for a busy machine.
    const times = [0, 1, 2, 3].map((n) => {
      const start = cpuMs();
      understand(`${text.slice(0, K - 4)}${" ".repeat(n)}`);
      return cpuMs() - start;
    });
    expect(Math.min(...times)).toBeLessThan(200);
  });
});

describe("judging", () => {
  it("a hundred harmless segments in front change nothing", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...blocked),
        fc.constantFrom("true; ", "git status && ", "echo a | cat; ", "ls\n", "{ :; }; "),
        async (command, harmless) => {
          expect(await answer(harmless.repeat(100) + command, allowAll)).toBe("block");
        },
      ),
      { numRuns: RUNS },
    ));

  const QUOTES: readonly ((letter: string) => string)[] = [
    (x) => x,
    (x) => `'${x}'`,
    (x) => `"${x}"`,
    (x) => `\\${x}`,
    (x) => `${x}''`,
    (x) => `""${x}`,
    (x) => `$'${x}'`,
    (x) => `$'\\x${x.charCodeAt(0).toString(16)}'`,
    (x) => `\\\n${x}`,
    (x) => `$@${x}`,
  ];
  it("no way of quoting un-blocks a word", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom("sudo", "doas", "mkfs.ext4", "reboot", "curl", "wget", "nc", "fdisk"),
        fc.array(fc.nat(QUOTES.length - 1), { minLength: 9, maxLength: 9 }),
        fc.constantFrom("", "/usr/bin/", "../", "./"),
        fc.boolean(),
        async (word, ways, folder, upper) => {
          const spelled = [...(upper ? word.toUpperCase() : word)].map((letter, n) => QUOTES[ways[n]!]!(letter)).join("");
          expect(await answer(`${folder}${spelled} x`, allowAll)).toBe("block");
        },
      ),
      { numRuns: RUNS },
    ));

  it("splitting a word over variables does not un-block it", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom("sudo", "reboot", "curl"),
        fc.nat(6),
        fc.constantFrom("$a$b", "${a}${b}", '"$a$b"', '$a"$b"'),
        async (word, at, use) => {
          const cut = 1 + (at % (word.length - 1));
          expect(await answer(`a=${word.slice(0, cut)}; b=${word.slice(cut)}; ${use} x`, allowAll)).toBe("block");
        },
      ),
      { numRuns: 60 },
    ));

  const WRAPS: readonly ((command: string) => string)[] = [
    (c) => `env ${c}`,
    (c) => `nohup ${c}`,
    (c) => `timeout 5 ${c}`,
    (c) => `command ${c}`,
    (c) => `nice -n 5 ${c}`,
    (c) => `sh -c '${c.replaceAll("'", "'\\''")}'`,
    (c) => `( ${c} )`,
    (c) => `{ ${c}; }`,
    (c) => `if true; then ${c}; fi`,
    (c) => `for x in 1; do ${c}; done`,
    (c) => `! ${c}`,
    (c) => `A=b ${c}`,
    (c) => `true && ${c}`,
    (c) => `xargs ${c}`,
    (c) => `eval '${c.replaceAll("'", "'\\''")}'`,
  ];
  it("no stack of wrappers un-blocks a command", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom("sudo id", "rm -rf /", "curl x", "reboot"),
        fc.array(fc.nat(WRAPS.length - 1), { maxLength: 5 }),
        async (command, list) => {
          let wrapped: string = command;
          for (const n of list) {
            // A program can only be wrapped around a program, a block around anything.
            const needsProgram = n < 5 || n === 11 || n === 13;
            wrapped = needsProgram && !/^[a-z]/.test(wrapped.replace(/^(if|for|eval|sh) .*/s, "")) ? WRAPS[5]!(wrapped) : wrapped;
            wrapped = WRAPS[n]!(wrapped);
          }
          expect(["block", "ask"]).toContain(await answer(wrapped, { ...allowAll, constructs: "look" }));
          if (list.length <= 3) expect(await answer(wrapped, { ...allowAll, constructs: "look" })).toBe("block");
        },
      ),
      { numRuns: RUNS },
    ));

  it("adding a segment never makes the answer laxer", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...benign, ...blocked),
        fc.constantFrom(...benign, ...blocked),
        fc.constantFrom("; ", " && ", " | ", "\n", " & "),
        async (first, second, by) => {
          if (/<<|#/.test(first) || /<<|#/.test(second)) return;
          // `a & ; b` is no command, and nothing of it runs.
          if (/&\s*$/.test(first) && by !== "\n") return;
          const policy: Policy = { constructs: "look" };
          const both = await level(`${first}${by}${second}`, policy);
          expect(both).toBeGreaterThanOrEqual(
            Math.max(await level(first, policy), by === "\n" || by === "; " ? Math.min(await level(second, policy), 3) : 0),
          );
        },
      ),
      { numRuns: RUNS },
    ));

  it("unknown is never let through silently", () =>
    fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        if (text.trim() === "" || understand(text).unknown.length === 0) return;
        try {
          expect(await answer(text, allowAll)).not.toBe("allow");
        } catch (error) {
          // NUL and lone surrogates are refused before anything is judged.
          expect(String(error)).toMatch(/ToolError|invalid|NUL|surrogate/i);
        }
      }),
      { numRuns: RUNS },
    ));
});
