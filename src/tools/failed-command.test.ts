import { rmSync } from "node:fs";
import { join } from "node:path";
import { countTokens } from "gpt-tokenizer";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Workspace, workspace } from "../../test/workspace.ts";
import { answerText } from "../core/answer.ts";
import { OF_TMP } from "../core/told.ts";
import type { Outcome, Zeph } from "../index.ts";
import { failedName } from "./failed-name.ts";

let place: Workspace;
let zeph: Zeph;
let works = false;

beforeAll(async () => {
  place = workspace([
    { op: "file", path: "work/src/store.js", content: "1\n" },
    { op: "file", path: "work/run.sh", content: "echo ran\n" },
  ]);
  zeph = await place.runtime({
    config: { audit: { path: join(place.state, "audit.jsonl") }, tools: { permissions: { bash: [{ pattern: "*", action: "allow" }] } } },
  });
  works = (await zeph.call("bash", { command: "true" })).output?.walls?.backend === "bubblewrap";
});
afterAll(async () => {
  await zeph.close();
  place.remove();
});

/** The block without its output, and the output. */
function partsOf(outcome: Outcome): { block: string; output: string } {
  const [block, ...output] = answerText(outcome).split("\n\n");
  return { block: block!, output: output.join("\n\n") };
}

it.each([
  ["cat missing.txt", "permanent_failure", "missing.txt: no such file or directory (exit code 1)."],
  ["ls 'a b'", "permanent_failure", "a b: no such file or directory (exit code 2)."],
  ["nosuchprogram --x", "permanent_failure", "nosuchprogram: command not found (exit code 127)."],
  ["./nosuch.sh", "permanent_failure", "./nosuch.sh: command not found (exit code 127)."],
  ["./run.sh", "policy_blocked", "./run.sh: found, but not executable (exit code 126)."],
  ["mkdir -p locked && chmod 0 locked && cat locked/x", "permanent_failure", "locked/x: permission denied (exit code 1)."],
  ["bash -c 'cd nowhere; ./nope.sh'", "permanent_failure", "./nope.sh: command not found (exit code 127)."],
  ["ls nothing; nope", "permanent_failure", "nope: command not found (exit code 127)."],
  ["./src", "policy_blocked", "./src: is a directory (exit code 126)."],
  ["printf '\\0\\1x' > bin; chmod +x bin; ./bin", "policy_blocked", "./bin: found, but not executable (exit code 126)."],
  ["echo '#!/no/such' > s.sh; chmod +x s.sh; ./s.sh", "permanent_failure", "./s.sh: found, but not its interpreter (exit code 127)."],
])("A failed command has a short block that is true: %s", async (command, category, error) => {
  if (!works || (process.getuid?.() === 0 && command.includes("locked"))) return;
  const outcome = await zeph.call("bash", { command });
  const { block, output } = partsOf(outcome);
  expect(outcome).toMatchObject({ ok: false, error: { category, message: error } });
  expect(block).not.toMatch(/fail again|A rule forbids/);
  expect(countTokens(`${block}\n\n`)).toBeLessThanOrEqual(45);
  expect(output).not.toMatch(/exit code/);
});

it("The folder it ran in is named where that is not the workspace's top, and only once", async () => {
  if (!works) return;
  await zeph.turn(async () => {
    expect(answerText(await zeph.call("bash", { command: "echo a" }))).toBe("a");
    expect(answerText(await zeph.call("bash", { command: "cd src && ls" }))).toBe("store.js\n[now in src]");
    expect(answerText(await zeph.call("bash", { command: "ls" }))).toBe("store.js\n[in src]");
    const { block, output } = partsOf(await zeph.call("bash", { command: "cat src/store.js" }));
    expect(block).toContain(
      "error: src/store.js: no such file or directory (exit code 1). The command ran in src.\nsuggestion: Check the path.",
    );
    expect(countTokens(`${block}\n\n`)).toBeLessThanOrEqual(45);
    expect(output).toBe("cat: src/store.js: No such file or directory");
    expect(answerText(await zeph.call("bash", { command: "./no/such.sh" }))).toContain("(exit code 127). The command ran in src.\n");
    const long = `${place.work}/${"a".repeat(70)}`;
    for (const command of [`cat ${place.work}/nothing`, `cat ${long}`, "nosuchprogram", `${long}/x`]) {
      const text = answerText(await zeph.call("bash", { command }));
      expect(text).not.toContain("The command ran in");
      expect(text).toMatch(/\n\[in src\]$/);
    }
    expect(answerText(await zeph.call("bash", { command: "cat x; cd ..; false" }))).not.toContain("The command ran in");
    expect(answerText(await zeph.call("bash", { command: "echo b" }))).toBe("b");
  });
  await zeph.turn(async () => expect(answerText(await zeph.call("bash", { command: "echo c" }))).toBe("c"));
});

it("A folder that is gone keeps no later command of the turn from running, and it is said once", async () => {
  if (!works) return;
  const bash = async (command: string) => answerText(await zeph.call("bash", { command }));
  await zeph.turn(async () => {
    await bash("mkdir -p deep/er && cd deep/er");
    expect(await bash("rm -r ../../deep")).toBe("[deep/er is gone; commands start at the top]");
    expect(await bash("ls run.sh")).toBe("run.sh");
    await bash("mkdir -p deep/er && cd deep/er");
    expect(await bash("cd .. && rm -r ../deep")).toBe("[deep/er is gone; commands start at the top]");
    await bash("mkdir -p deep/er && cd deep/er");
    rmSync(join(place.work, "deep"), { recursive: true });
    expect(await bash("ls run.sh")).toBe("run.sh\n[deep/er is gone; this command started at the top]");
    expect(await bash("ls run.sh")).toBe("run.sh");
    await bash("mkdir -p deep/er && cd deep/er");
    rmSync(join(place.work, "deep"), { recursive: true });
    const started = answerText(await zeph.call("bash", { command: "ls run.sh", background: true }));
    expect(started).toMatch(/^\[background\] started run_id=bg\d+ in the top: deep\/er is gone\nrun\.sh\n/);
  });
});

it("A command that begins elsewhere than it ends names both, and one whose cd is lost says so", async () => {
  if (!works) return;
  const bash = async (command: string) => answerText(await zeph.call("bash", { command }));
  const LOST =
    "[its shell ended without a word (exec, its own trap, or killed), so its cd and exports are not kept: the next command starts";
  await zeph.turn(async () => {
    await bash("mkdir -p docs");
    expect(await bash("cd docs && exec true")).toBe(`${LOST} at the top]`);
    expect(await bash("trap 'echo bye' EXIT; cd docs; echo hi")).toBe(`hi\nbye\n${LOST} at the top]`);
    expect(await bash("export A=1; exec echo b")).toBe(`b\n${LOST} at the top]`);
    expect(await bash("exec echo b")).toBe("b");
    expect(await bash("cd src")).toBe("[now in src]");
    expect(await bash("cd ../docs && exec true")).toBe(`[in src]\n${LOST} in src]`);
    expect(await bash("ls store.js; cd ../docs")).toBe("store.js\n[started in src, now in docs]");
    expect(await bash("cd ..; echo a")).toBe("a\n[started in docs, now at the top]");
    expect(await bash("echo b")).toBe("b");
  });
});

it("A command runs where it was judged, whatever ran while somebody was asked", async () => {
  if (!works) return;
  const bash: object[] = [
    { pattern: "cd *", action: "allow" },
    { pattern: "*", action: "ask" },
  ];
  const asking: Zeph = await place.runtime({
    config: { audit: { path: join(place.state, "audit.jsonl") }, tools: { permissions: { bash } } },
    confirm: async () => {
      await asking.call("bash", { command: "cd src" });
      return "once" as const;
    },
  });
  await asking.turn(async () => {
    const outcome = await asking.call("bash", { command: "pwd" });
    expect(outcome.output?.raw).toMatchObject({ stdout: `${place.work}\n` });
    expect(answerText(await asking.call("bash", { command: "cd ." }))).toBe("[in src]");
  });
  await asking.close();
});

it("What is missing in a workspace below /tmp is no matter of walls; what is missing in /tmp itself is said as the file tools say it", async () => {
  // The tests' own folders lie there.
  if (!works || !place.work.startsWith("/tmp/")) return;
  const bash = async (command: string) => answerText(await zeph.call("bash", { command }));
  expect(await bash(`cat ${place.work}/package.json`)).not.toContain("wall");
  expect(await bash(`echo '${place.work}/a: No space left on device' >&2; exit 1`)).not.toContain("wall");
  expect(await bash("cat /tmp/none")).toContain(`[Perhaps a wall: ${OF_TMP}]`);
  expect(await bash("echo '/tmp/a: No space left on device' >&2; exit 1")).toContain("/tmp and the home of commands are small");
  expect(answerText(await zeph.call("read", { path: "/tmp/none" }))).toContain(OF_TMP);
});

it("Any other exit is output and its code", async () => {
  if (!works) return;
  expect(answerText(await zeph.call("bash", { command: "echo red; exit 3" }))).toBe("red\n[exit code 3]");
  for (const code of [126, 127])
    expect(answerText(await zeph.call("bash", { command: `sh -c 'exit ${code}'` }))).toBe(`[exit code ${code}]`);
  expect(answerText(await zeph.call("bash", { command: "echo 'No such file or directory'; exit 1" }))).toBe(
    "No such file or directory\n[exit code 1]",
  );
});

it("A file tool gives no false advice about a path", async () => {
  const text = answerText(await zeph.call("read", { path: "nothing.txt" }));
  expect(text).toContain("does not exist");
  expect(text).toContain("suggestion: Check the path.");
});

it.each([
  ["tar: a.tar: Cannot open: No such file or directory", null],
  ["cat: 'it is.txt': No such file or directory", "it is.txt"],
  ["Error: ENOENT: no such file or directory, open '/w/a.json'", "/w/a.json"],
  ["FileNotFoundError: [Errno 2] No such file or directory: 'a.csv'", "a.csv"],
  ["src/a.c:1:10: fatal error: b.h: No such file or directory", "b.h"],
  ["head: cannot open 'x' for reading: No such file or directory", "x"],
  ["sed: can't read x: No such file or directory", null],
  ["open a.txt: no such file or directory", null],
])("What was not found is named only where that is sure: %s", (text, name) =>
  expect(failedName(`before\n${text}\nafter`, /no such file or directory/i)).toBe(name),
);

it("A file tool that does not find a path says where bash is, if that explains it", async () => {
  if (!works) return;
  await zeph.turn(async () => {
    await zeph.call("bash", { command: "cd src" });
    const missing = answerText(await zeph.call("read", { path: "store.js" }));
    expect(missing).toContain("File tools count from the workspace; bash is in src: name it src/store.js.\n");
    for (const [tool, args] of [
      ["list_directory", { path: "nowhere" }],
      ["read", { path: "/etc/nothing" }],
    ] as const)
      expect(answerText(await zeph.callAny(tool, args))).not.toContain("bash is in");
  });
  expect(answerText(await zeph.call("read", { path: "store.js" }))).not.toContain("bash is in");
});

it.each<[string, object]>([
  ["edit", { path: "store.js", old_string: "1", new_string: "2" }],
  ["delete_path", { path: "store.js" }],
  ["move_path", { source: "store.js", destination: "b.js" }],
  ["copy_path", { source: "store.js", destination: "b.js" }],
])("so does %s, and nobody is asked", async (tool, args) => {
  if (!works) return;
  const questions: string[] = [];
  const asking = await place.runtime({
    config: { tools: { permissions: { bash: [{ pattern: "*", action: "allow" }], [tool]: [{ pattern: "*", action: "ask" }] } } },
    confirm: ({ tool }) => {
      questions.push(tool);
      return "no";
    },
  });
  await asking.turn(async () => {
    await asking.call("bash", { command: "cd src" });
    const missing = answerText(await asking.callAny(tool, args));
    expect(missing).toContain("File tools count from the workspace; bash is in src: name it src/store.js.\n");
    const elsewhere = { ...args, ...("source" in args ? { source: "nowhere.js", destination: "store.js" } : { path: "nowhere.js" }) };
    expect(answerText(await asking.callAny(tool, elsewhere))).not.toContain("bash is in");
  });
  expect(questions).toEqual([]);
  await asking.close();
});

it.each([
  ["that may not be read", { file: { deny_read: ["**/store.js"] } }],
  [
    "that may be read only after a question",
    {
      permissions: {
        bash: [{ pattern: "*", action: "allow" }],
        read: [
          { pattern: "src/*", action: "ask" },
          { pattern: "*", action: "allow" },
        ],
      },
    },
  ],
])("but it does not tell of a file %s", async (_which, tools) => {
  if (!works) return;
  const hiding = await place.runtime({ config: { tools }, confirm: () => "once" });
  await hiding.turn(async () => {
    await hiding.call("bash", { command: "cd src" });
    const texts = await Promise.all(["store.js", "other.js"].map(async (path) => answerText(await hiding.call("read", { path }))));
    for (const text of texts) expect(text).not.toContain("bash is in");
  });
  await hiding.close();
});

it("A command that a person typed moves their later ones and the next turn's commands, and says so", async () => {
  if (!works) return;
  const typed = async (command: string) => answerText(await zeph.call("bash", { command }, { typed: true }));
  expect(await typed("ls run.sh")).toBe("run.sh");
  expect(await typed("cd src")).toBe(
    "[now in src (set by the user)]\n[your next ! command and the commands of the next turn start in src]",
  );
  expect(await typed("ls")).toBe("store.js\n[in src (set by the user)]");
  await zeph.turn(async () => {
    expect(answerText(await zeph.call("bash", { command: "ls" }))).toBe("store.js\n[in src (set by the user)]");
    // Where the model goes is forgotten with its turn.
    expect(answerText(await zeph.call("bash", { command: "cd .. && ls run.sh" }))).toBe(
      "run.sh\n[started in src (set by the user), now at the top]",
    );
  });
  expect(answerText(await zeph.call("bash", { command: "ls" }))).toBe("store.js\n[in src (set by the user)]");
  expect(await typed("mkdir gone && cd gone")).toContain("start in src/gone]");
  await zeph.call("bash", { command: "rmdir ../gone; true" });
  expect(answerText(await zeph.call("bash", { command: "ls run.sh" }))).toBe("run.sh");
  expect(await typed("cd src && cd ..")).toBe("(no output)");
});
