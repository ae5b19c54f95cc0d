import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { stringify } from "smol-toml";
import { describe, expect, test } from "vitest";
import { type Scratch, scratch } from "../../test/scratch.ts";
import { anyValue } from "../../test/settings.ts";
import type { Tighter } from "../core/setting.ts";
import { allSettings, type ConfigSetting } from "./settings.ts";
import { setAtPath, valueAtPath } from "./shape.ts";
import { tighten } from "./tighten.ts";

const HERE = { cwd: "/", home: "/" };
const by = (tighter: Tighter | undefined, wish: unknown, current: unknown) => tighten({ tighter }, wish, current, HERE);
const ignored = (current: unknown) => ({ value: current, ignored: [[]] });
const taken = (value: unknown) => ({ value, ignored: [] });
const rule = (pattern: string, action: string) => ({ pattern, action });

test.each<[Tighter | undefined, unknown, unknown, object]>([
  ["off", false, true, taken(false)],
  ["off", true, false, ignored(false)],
  ["on", true, false, taken(true)],
  ["on", false, true, ignored(true)],
  ["smaller", 1, 2, taken(1)],
  ["smaller", 3, 2, ignored(2)],
  ["smaller", 2, 2, taken(2)],
  ["smaller", 3, undefined, taken(3)],
  ["smaller", Number.NaN, 2, ignored(2)],
  ["adds", ["b", "a"], ["a"], taken(["a", "b"])],
  ["adds", [], ["a"], taken(["a"])],
  ["narrows", ["a"], ["a", "b"], taken(["a"])],
  ["narrows", ["a"], [], taken(["a"])],
  ["narrows", ["a"], undefined, taken(["a"])],
  ["narrows", [], ["a"], ignored(["a"])],
  ["narrows", ["a", "c"], ["a", "b"], ignored(["a", "b"])],
  [["x", "y", "z"], "z", "y", taken("z")],
  [["x", "y", "z"], "x", "y", ignored("y")],
  [["x", "y", "z"], "other", "y", ignored("y")],
  [["x", "y", "z"], "z", "other", ignored("other")],
  ["denies", { t: [rule("a", "deny")] }, {}, taken({ t: [rule("a", "deny")] })],
  ["denies", { t: [rule("a", "deny")] }, { t: [rule("b", "allow")] }, taken({ t: [rule("a", "deny"), rule("b", "allow")] })],
  [
    "denies",
    { t: [rule("a", "deny"), rule("b", "ask")], u: [rule("c", "allow")] },
    {},
    {
      value: { t: [rule("a", "deny")] },
      ignored: [
        ["t", 1],
        ["u", 0],
      ],
    },
  ],
  [
    "denies",
    [{ effect: "deny", tool: "a" }],
    [{ effect: "allow", tool: "b" }],
    taken([
      { effect: "deny", tool: "a" },
      { effect: "allow", tool: "b" },
    ]),
  ],
  ["denies", [{ action: "deny", tools: ["a"] }], undefined, taken([{ action: "deny", tools: ["a"] }])],
  [
    "denies",
    [
      { effect: "allow", tool: "a" },
      { action: "deny", tools: ["b"] },
      { action: "allow", tools: ["c"] },
      "odd",
      { effect: "deny", action: "allow", tool: "d" },
      {},
    ],
    [{ effect: "allow", tool: "x" }],
    {
      value: [
        { action: "deny", tools: ["b"] },
        { effect: "allow", tool: "x" },
      ],
      ignored: [[0], [2], [3], [4], [5]],
    },
  ],
  // Rules that exist change what "no rule matched" means, so an empty list must not appear.
  ["denies", { t: [] }, {}, taken({})],
  [undefined, "same", "same", taken("same")],
  [undefined, "other", "same", ignored("same")],
  ["unheard of" as Tighter, 1, 2, ignored(2)],
])("%j: %j over %j", (tighter, wish, current, expected) => {
  expect(by(tighter, wish, current)).toEqual(expected);
});

describe("within", () => {
  const world = () => {
    const made = scratch();
    mkdirSync(join(made.cwd, "src", "deep"), { recursive: true });
    mkdirSync(join(made.home, "other"));
    symlinkSync("/", join(made.cwd, "out"));
    symlinkSync("src", join(made.cwd, "in"));
    symlinkSync("/nowhere/at/all", join(made.cwd, "dangling"));
    symlinkSync("loop", join(made.cwd, "loop"));
    return made;
  };

  test.each([
    [["src"], [], ["W/src"]],
    [["in"], [], ["W/src"]],
    [["src/new/er"], ["src"], ["W/src/new/er"]],
    [[], ["~"], ["W"]],
    [["~/work/src"], ["."], ["W/src"]],
    [["src/../src/deep"], ["src"], ["W/src/deep"]],
  ])("%j lies inside %j", (wish, current, value) => {
    const { cwd, home } = world();
    expect(tighten({ tighter: "within" }, wish, current, { cwd, home })).toEqual(taken(value.map((path) => path.replace("W", cwd))));
  });

  test.each([
    [["."], ["src"]],
    [["/"], []],
    [["~"], []],
    [[".."], []],
    [["out"], []],
    [["out/etc"], []],
    [["dangling"], []],
    [["loop"], []],
    [["../work-evil"], []],
    [["src", "~/other"], []],
    [[], ["src"]],
    [[], ["~/other"]],
    [["src/../.."], []],
    // The kernel goes through the link first: this is "/", not the working directory.
    [["out/.."], []],
    [["src"], ["in/../other"]],
  ])("%j is not inside %j", (wish, current) => {
    const { cwd, home } = world();
    expect(tighten({ tighter: "within" }, wish, current, { cwd, home })).toEqual(ignored(current));
  });
});

describe("an untrusted project", () => {
  test("is told, once per key, what was ignored and how to allow it; the rest of it counts", () => {
    const world = scratch();
    world.user('autonomy = "supervised"\n');
    const file = world.project(
      'autonomy = "full"\n[tools]\nenabled = false\n[tools.retry]\nmax_attempts = 9\nbase_ms = 1\n[store]\npath = "/tmp/x"\n' +
        '[[tools.permissions.bash]]\npattern = "rm *"\naction = "deny"\n[[tools.permissions.bash]]\npattern = "*"\naction = "allow"\n' +
        '[[tools.permissions.bash]]\npattern = "x"\naction = "allow"\n',
    );
    const { config, warnings, project, origins } = world.load();
    const told = (line: number, key: string) =>
      `${file}:${line}: "${key}" was ignored: this project is not trusted and may only tighten. Read the file, then run \`zeph trust\` to allow it.`;
    expect(warnings).toEqual([
      told(1, "autonomy"),
      told(12, "tools.permissions.bash"),
      told(5, "tools.retry.max_attempts"),
      told(6, "tools.retry.base_ms"),
      told(8, "store.path"),
    ]);
    expect(project).toMatchObject({ trusted: false, folder: world.cwd, file });
    expect([config.autonomy, config.tools.enabled, config.tools.retry.max_attempts, config.store.path]).toEqual([
      "supervised",
      false,
      2,
      "",
    ]);
    expect(config.tools.permissions).toEqual({ bash: [{ pattern: "rm *", action: "deny" }] });
    expect(origins.get("autonomy")?.layer).toBe("user");
    expect(origins.get("tools.enabled")).toEqual({ layer: "project", file, line: 3 });
    expect(world.load({ trusted: () => true })).toMatchObject({
      warnings: [],
      project: { trusted: true, ignored: [] },
      config: { autonomy: "full" },
    });
  });

  test("trust is asked for with the folder and the hash of the file", () => {
    const world = scratch();
    const asked: string[][] = [];
    const trusted = (...args: string[]) => asked.push(args) < 0;
    world.project("");
    world.load({ trusted });
    world.project("# changed");
    world.load({ trusted });
    expect(asked[0]).toEqual([world.cwd, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"]);
    expect(asked[1]?.[0]).toBe(world.cwd);
    expect(asked[1]?.[1]).not.toBe(asked[0]?.[1]);
  });

  test("cannot hide a mistake", () => {
    const world = scratch();
    world.project("nonsense = 1\n");
    expect(() => world.load()).toThrow('"nonsense" is not a setting');
  });

  test("every setting that says nothing of tightening stays as it was", () => {
    const world = scratch();
    fc.assert(
      fc.property(settings({ a: "a" }), (wish) => {
        world.project(stringify(wish));
        const { config } = world.load();
        for (const key of allSettings().filter(({ tighter }) => tighter === undefined))
          expect(valueAtPath(config, key.path)).toEqual(key.default);
      }),
      { numRuns: 15 },
    );
  });

  test("never makes anything more permissive, whatever it and the user say", () => {
    const world = scratch();
    const folders = prepareFolders(world);
    fc.assert(
      fc.property(settings(folders), settings(folders), environment(), (mine, wish, env) => {
        world.user(stringify(mine));
        world.project("");
        const alone = world.load({ env }).config;
        world.project(stringify(wish));
        const together = world.load({ env }).config;
        for (const key of allSettings())
          expect(looser(key, valueAtPath(alone, key.path), valueAtPath(together, key.path), world)).toBeNull();
      }),
      { numRuns: 50 },
    );
  });
});

/** A partial configuration. */
function settings(folders: Record<string, string>): fc.Arbitrary<Record<string, unknown>> {
  const entries = allSettings().map((key) => {
    const words = key.tighter === "within" ? Object.values(folders) : undefined;
    return [key.key, fc.option(anyValue(key, words), { nil: undefined })] as const;
  });
  return fc.record(Object.fromEntries(entries)).map((values) => {
    const data = {};
    for (const key of allSettings()) if (values[key.key] !== undefined) setAtPath(data, key.path, values[key.key]);
    return data;
  });
}

const environment = () => fc.constantFrom({}, {}, { ZEPH_AUTONOMY: "full" }, { ZEPH_TOOLS_FILE_DENY_READ: '["env"]' });

function prepareFolders({ cwd, home }: Scratch): Record<string, string> {
  mkdirSync(join(cwd, "src", "deep"), { recursive: true });
  mkdirSync(join(home, "other"));
  symlinkSync("/", join(cwd, "out"));
  symlinkSync("../other", join(cwd, "aside"));
  return {
    here: ".",
    src: "src",
    deep: "src/deep",
    out: "out",
    etc: "out/etc",
    aside: "aside",
    home: "~",
    other: "~/other",
    root: "/",
    up: "..",
  };
}

/**
 * The other half of the bargain, written apart from the code under test: what "more permissive" means to someone who uses a setting.
 * Null when `after` is not looser than `before`.
 */
function looser(key: ConfigSetting, before: any, after: any, { cwd, home }: Scratch): string | null {
  const say = (bad: boolean) => (bad ? `${key.key}: ${JSON.stringify(before)} → ${JSON.stringify(after)}` : null);
  if (Array.isArray(key.tighter)) return say(key.tighter.indexOf(after) < key.tighter.indexOf(before));
  switch (key.tighter) {
    case "off":
      return say(after === true && before === false);
    case "on":
      return say(after === false && before === true);
    case "smaller":
      return say((after ?? Infinity) > (before ?? Infinity));
    case "adds":
      return say(!before.every((entry: unknown) => after.some((one: unknown) => JSON.stringify(one) === JSON.stringify(entry))));
    case "narrows": {
      const lets = (list: string[], entry: string) => list.length === 0 || list.includes(entry);
      return say(["a", "b", "c", "d"].some((entry) => lets(after, entry) && !lets(before, entry)));
    }
    case "within": {
      const REAL: Record<string, string> = {
        ".": cwd,
        src: `${cwd}/src`,
        "src/deep": `${cwd}/src/deep`,
        out: "/",
        "out/etc": "/etc",
        aside: `${home}/other`,
      };
      const more: Record<string, string> = { "~": home, "~/other": `${home}/other`, "/": "/", "..": home };
      const roots = (list: string[]) => (list.length === 0 ? [cwd] : list.map((path) => REAL[path] ?? more[path] ?? path));
      const lets = (list: string[], path: string) => roots(list).some((root) => `${path}/`.startsWith(root === "/" ? "/" : `${root}/`));
      const places = ["/etc", "/", home, `${home}/other`, cwd, `${cwd}/x`, `${cwd}/src`, `${cwd}/src/deep`];
      return say(places.some((path) => lets(after, path) && !lets(before, path)));
    }
    case "denies": {
      if (Array.isArray(before)) return say(permits(before, after));
      const STRICT = { allow: 0, ask: 1, deny: 2 } as const;
      // No rules at all may mean a pass; rules of which none matches mean a question.
      const answer = (rules: any, tool: string, text: string) =>
        !Object.hasOwn(rules, tool) ? 0 : STRICT[(rules[tool].find((one: any) => one.pattern === text)?.action ?? "ask") as "ask"];
      const cases = ["bash", "read", "odd name"].flatMap((tool) => ["a", "b", "c", "d"].map((text) => [tool, text] as const));
      return say(cases.some(([tool, text]) => answer(after, tool, text) < answer(before, tool, text)));
    }
    default:
      return say(JSON.stringify(after) !== JSON.stringify(before));
  }
}

/** Whether a call that the first list of rules denies, whatever its default is, is no longer denied by the second. Conditions are held by equality. */
function permits(before: readonly any[], after: readonly any[]): boolean {
  const levels = ["untrusted", "provisional", "trusted"];
  const answer = (rules: readonly any[], tool: string, path: string, trust: string) => {
    const found = rules.find((rule) => {
      const effect = rule.effect ?? rule.action;
      const above = rule.trust_level === undefined ? 0 : levels.indexOf(trust) - levels.indexOf(rule.trust_level);
      const isFor = (rule.tools ?? [rule.tool]).includes(tool) && (rule.paths?.includes(path) ?? true);
      return isFor && (effect === "allow" ? above >= 0 : above <= 0);
    });
    return found?.effect ?? found?.action ?? "default";
  };
  const calls = ["a", "b", "c", "d"].flatMap((tool) =>
    ["a", "b", "c", "d"].flatMap((path) => levels.map((trust) => [tool, path, trust] as const)),
  );
  // A call that fell to the default may be denied now; it may never be allowed by a rule that was added.
  return calls.some((call) => {
    const [was, is] = [answer(before, ...call), answer(after, ...call)];
    return was !== is && is !== "deny";
  });
}
