import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { filterText } from "../filter.ts";
import { builtInRules, rulesWith } from "../rules.ts";

const filtered = (command: string, raw: string, exitCode = 0) => filterText({ command, raw, exitCode }, builtInRules());
const at = (second: number): string => new Date(1.76e12 + second * 1000).toISOString();
const log = (length: number): string => Array.from({ length }, (_, n) => `${at(n)} INFO worker polled ${n} jobs\n`).join("");

describe("a log", () => {
  it.each([
    "cat app.log",
    "tail -n 50 logs/app.log.1",
    "cd logs && less app.log",
    "python3 svc.py",
    "docker logs web",
    "journalctl -u web",
  ])("is shortened: %s", (command) =>
    expect(filtered(command, log(50)).text).toMatch(/^\S+ INFO worker polled 0 jobs \(and 49 like it until /),
  );

  it.each(["cat captured.txt", "tail nohup.out", "head -n 50 capture"])("is known by its lines: %s", (command) =>
    expect(filtered(command, log(50)).text.split("\n")).toHaveLength(2),
  );

  it.each(["grep INFO app.log", "cat app.log | grep INFO", "tail -n 50 app.log | awk '{print}'", "sort app.log", "git log -p"])(
    "is left alone where someone chose its lines: %s",
    (command) => expect(filtered(command, log(50)).text).toBe(log(50)),
  );
});

describe("a file that is no log", () => {
  const table = Array.from({ length: 50 }, (_, n) => `${n},${n * 7},value ${n % 3}\n`).join("");
  const code = "if (a) {\n  }\n  }\n  }\n  throw new Error('x');\n\n\n\n".repeat(30);

  it.each(["cat data.csv", "cat a.ts", "head -n 200 notes.txt", "tail capture", "less a.md", "cat Makefile"])(
    "is never touched: %s",
    (command) => {
      for (const raw of [table, code, `${code}\u001b[31mred\u001b[0m\n`]) expect(filtered(command, raw).text).toBe(raw);
    },
  );

  it("is not touched because its name does not end in log", () => {
    expect(filtered("cat prices.csv", log(50)).text).toBe(log(50));
  });
});

describe("options", () => {
  const rules = (options: string) =>
    rulesWith("f.toml", `inherit = false\n[[rules]]\nname = "mine"\nmatch.prefix = "x"\nstrategy = { type = "dedup"${options} }`);
  const texts = (options: string, raw: string) => filterText({ command: "x", raw, exitCode: 0 }, rules(options).rules).text;

  it("repeats of a line, unless another kind is asked for", () => {
    expect(texts("", "the same line as before\n".repeat(42))).toBe("the same line as before (×42)");
    expect(texts(', of = "lines"', "the same line as before\n".repeat(42))).toBe("the same line as before (×42)");
  });

  it("each kind by its name", () => {
    expect(texts(', of = "progress"', "10% of it\n20% of it\n30% of it\n40% of it\n50% of it\n60% of it\n")).toBe("60% of it\n[-5 lines]");
    expect(texts(', of = "paths"', "src/a.ts\nsrc/b.ts\nsrc/c.ts\nsrc/d.ts\n")).toBe("src: a.ts b.ts c.ts d.ts");
    expect(texts(', of = "columns"', "a    b    c\n1    2    3\n")).toBe("a b c\n1 2 3");
  });

  it("that are unknown are refused", () => {
    expect(rules(', of = "everything"').warnings[0]).toMatch(/rule "mine" is skipped: strategy\.of: /);
    expect(rules(", similar = true").warnings[0]).toMatch(/rule "mine" is skipped/);
  });
});

describe("the names", () => {
  const names = Array.from({ length: 40 }, (_, n) => `file-${n}.txt\n`).join("");

  it("stay one on each line where that was asked for", () => {
    for (const command of ["ls -1", "ls -a1 src", "ls --color=always -1"]) expect(filtered(command, names).text).toBe(names);
  });

  it("of find keep what it prints beside them", () => {
    const raw = "src/a.ts 12\nsrc/b.ts 14\nsrc/c.ts 16\n";
    expect(filtered("find src -printf '%p %s\\n'", raw).text).toBe("src: a.ts 12 b.ts 14 c.ts 16");
  });
});

describe("a diff", () => {
  it("is no repetition", () => {
    const raw = `diff --git a/x b/x\n@@ -1,9 +1,9 @@\n${"+the same line added again\n".repeat(20)}`;
    const { text } = filtered("./show-diff.sh", raw);
    expect(text.match(/^\+the same line added again$/gm)).toHaveLength(raw.split("+the same").length - 1);
  });
});

describe("an error", () => {
  const folder = new URL("../../../test/golden/filters/", import.meta.url).pathname;
  const mine = ["log", "log-command", "any-log", "any-trace", "any-repeats", "any-progress", "ls", "tree", "find", "grep", "du"];
  const cases = mine.flatMap((rule) => readdirSync(folder + rule).map((name) => `${rule}/${name}`));
  const needles = ["ERROR: disk full", "fatal: no space left on device", `${at(9)} ERROR disk full on node-7`];

  it.each(cases)("that comes between any two lines stays: %s", (name) => {
    const read = (file: string) => readFileSync(`${folder}${name}/${file}`, "utf8");
    const lines = read("raw").split("\n");
    const step = Math.ceil(lines.length / 8);
    for (let place = 0; place <= lines.length; place += step) {
      const needle = needles[place % needles.length]!;
      const raw = lines.toSpliced(place, 0, needle).join("\n");
      expect(filtered(read("cmd").trimEnd(), raw, Number(read("exit"))).text).toContain(needle);
    }
  });
});
