import { existsSync, linkSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Answer, Question } from "../src/index.ts";
import { type Setup, type Workspace, workspace } from "./workspace.ts";

const SETUP: readonly Setup[] = [
  { op: "file", path: "work/.git/config", content: "[core]\n" },
  { op: "file", path: "work/.git/HEAD", content: "ref: refs/heads/main\n" },
  { op: "file", path: "work/sub/.npmrc", content: "a=1\n" },
  { op: "file", path: "work/store.git/HEAD", content: "ref: refs/heads/main\n" },
  { op: "file", path: "work/store.git/config", content: "[core]\n" },
  { op: "mkdir", path: "work/store.git/objects" },
  { op: "mkdir", path: "work/store.git/refs" },
  { op: "file", path: "work/plain/a.txt", content: "a\n" },
  { op: "file", path: "work/flows/workflows/ci.yml", content: "on: push\n" },
];
const EVERYTHING = [{ pattern: "*", action: "allow" }];
const TOOLS = ["write", "edit", "move_path", "copy_path", "delete_path", "create_directory"];

let place: Workspace;
afterEach(() => place.remove());

const opened = async (config: object, answer?: Answer | ((question: Question) => Answer)) => {
  place ??= workspace(SETUP);
  return place.runtime({
    config: { audit: { path: join(place.state, "audit.jsonl") }, ...config },
    ...(answer && { confirm: (question: Question) => (typeof answer === "function" ? answer(question) : answer) }),
  });
};
const rules = (extra: Record<string, object[]> = {}) => ({
  permissions: Object.fromEntries(TOOLS.map((tool) => [tool, [...(extra[tool] ?? []), ...EVERYTHING]])),
});

const CALLS: readonly (readonly [string, Record<string, string>])[] = [
  ["edit", { path: ".git/config", old_string: "[core]", new_string: "[core]\n\tfsmonitor = ./x" }],
  ["write", { path: ".git/hooks/pre-commit", content: "x" }],
  ["write", { path: ".vscode/tasks.json", content: "{}" }],
  ["write", { path: "deep/er/.envrc", content: "x" }],
  ["write", { path: "AGENTS.md", content: "x" }],
  ["write", { path: ".github/workflows/ci.yml", content: "x" }],
  ["write", { path: "plain/../.git/config", content: "x" }],
  ["write", { path: "store.git/config", content: "x" }],
  ["write", { path: "store.git/hooks/update", content: "x" }],
  ["write", { path: "link.txt", content: "x" }],
  ["write", { path: "folder-link/config", content: "x" }],
  ["edit", { path: "hard.txt", old_string: "[core]", new_string: "x" }],
  ["delete_path", { path: ".git/config" }],
  ["delete_path", { path: ".git" }],
  ["delete_path", { path: "sub" }],
  ["move_path", { source: "sub", destination: "other" }],
  ["move_path", { source: "plain/a.txt", destination: ".npmrc" }],
  ["move_path", { source: "plain", destination: ".husky" }],
  ["copy_path", { source: "plain/a.txt", destination: "plain/.envrc" }],
  ["copy_path", { source: "sub", destination: "copy" }],
  ["copy_path", { source: "flows", destination: ".github" }],
  ["create_directory", { path: "inner/.git/hooks" }],
];

const arrange = () => {
  place = workspace(SETUP);
  symlinkSync(".git/config", join(place.work, "link.txt"));
  symlinkSync(".git", join(place.work, "folder-link"));
  linkSync(join(place.work, ".git/config"), join(place.work, "hard.txt"));
};

describe("A file tool that would change a protected file", () => {
  it.each(CALLS)("%s %j is a question of its own under a rule that allows everything, and refused under full", async (tool, args) => {
    arrange();
    const asks = await opened({ tools: rules() });
    const outcome = await asks.call(tool, args);
    expect(outcome).toMatchObject({ ok: false, error: { category: "confirmation_required" }, decision: { gate: "permissions" } });
    await asks.close();
    const full = await opened({ autonomy: "full", tools: rules() });
    expect(await full.call(tool, args)).toMatchObject({
      ok: false,
      error: { category: "policy_blocked" },
      decision: { gate: "permissions" },
    });
    await full.close();
    expect(readFileSync(join(place.work, ".git/config"), "utf8")).toBe("[core]\n");
  });

  it("passes under full when a rule names that very file, and only that one", async () => {
    arrange();
    const named = { write: [{ pattern: ".vscode/tasks.json", action: "allow" }] };
    const zeph = await opened({ autonomy: "full", tools: rules(named) });
    expect(await zeph.call("write", { path: ".vscode/tasks.json", content: "{}" })).toMatchObject({ ok: true });
    expect(await zeph.call("write", { path: ".vscode/launch.json", content: "{}" })).toMatchObject({ ok: false });
    await zeph.close();
  });

  it.each(["**/tasks.json", ".vscode/*", ".vscode/tasks.jso?", "{.vscode,x}/tasks.json", ".vscode"])(
    "is not named by %s",
    async (pattern) => {
      arrange();
      const zeph = await opened({ autonomy: "full", tools: rules({ write: [{ pattern, action: "allow" }] }) });
      expect(await zeph.call("write", { path: ".vscode/tasks.json", content: "{}" })).toMatchObject({ ok: false });
      await zeph.close();
    },
  );

  it("is asked about once for a session, and another file is another question", async () => {
    arrange();
    const asked: Question[] = [];
    const zeph = await opened({ tools: rules() }, (question) => {
      asked.push(question);
      return "session";
    });
    for (const content of ["1", "2"]) expect((await zeph.call("write", { path: ".npmrc", content })).ok).toBe(true);
    expect((await zeph.call("write", { path: "AGENTS.md", content: "x" })).ok).toBe(true);
    expect(asked.map(({ why }) => why.join())).toEqual([
      expect.stringContaining("It would change .npmrc, which programs outside the sandbox run or obey later."),
      expect.stringContaining("AGENTS.md"),
    ]);
    await zeph.close();
  });

  it("ordinary files are not asked about", async () => {
    arrange();
    const zeph = await opened({ autonomy: "full", tools: rules() });
    for (const path of ["src/a.ts", "config", "hooks/x", ".gitignore", "package.json", "store.git.txt"])
      expect(await zeph.call("write", { path, content: "x" })).toMatchObject({ ok: true });
    expect(await zeph.call("copy_path", { source: "plain", destination: "plain2" })).toMatchObject({ ok: true });
    expect(await zeph.call("delete_path", { path: "plain2" })).toMatchObject({ ok: true });
    expect(existsSync(join(place.work, "plain2"))).toBe(false);
    await zeph.close();
  });
});
