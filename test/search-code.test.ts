import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { CodeHit } from "../src/core/inputs/tool-results.ts";
import { workspace } from "./workspace.ts";

const NOTE = "(files that may not be read are not searched)";
const place = workspace([{ op: "file", path: "outside/secret.ts", content: "export function zebra() {}\n" }]);
const zeph = await place.runtime();
afterAll(async () => {
  await zeph.close();
  place.remove();
});

type Runtime = typeof zeph;
const file = (name: string, content: string | Buffer) => {
  mkdirSync(dirname(join(place.work, name)), { recursive: true });
  writeFileSync(join(place.work, name), content);
};
const search = async (input: object, runtime: Runtime = zeph): Promise<{ text: string; hits: readonly CodeHit[] }> => {
  const outcome = await runtime.callAny("search_code", input);
  if (!outcome.ok) return { text: `${outcome.error.category}: ${outcome.error.message}`, hits: [] };
  return { text: outcome.output.text, hits: (outcome.output.raw as { hits: CodeHit[] }).hits };
};
const places = async (input: object, runtime?: Runtime) =>
  (await search(input, runtime)).hits.map(({ path, line, symbol }) => `${path}:${line} ${symbol}`);
/** Runs with other settings for the file tools. */
async function under<T>(file: object, act: (runtime: Runtime) => Promise<T>): Promise<T> {
  const runtime = await place.runtime({ file });
  try {
    return await act(runtime);
  } finally {
    await runtime.close();
  }
}

describe("a place", () => {
  file(
    "shape/wait.ts",
    'import { random } from "./random.ts";\n\n/** The pause before the next try, with full jitter. */\nexport function pause(attempt: number): number {\n  const most = 2 ** attempt;\n  return random() * most;\n}\n',
  );
  it("is shown with its line, its symbol and what stands around it", async () =>
    expect((await search({ query: "jitter", path: "shape" })).text).toBe(
      "shape/wait.ts:3: pause\n  3: /** The pause before the next try, with full jitter. */\n  4: export function pause(attempt: number): number {",
    ));
  it("that defines what was asked for is shown with what it does", async () => {
    const outcome = await zeph.call("search_code", { query: "pause", path: "shape/wait.ts" });
    expect(outcome).toMatchObject({
      ok: true,
      output: {
        text: "shape/wait.ts:4: pause\n  4: export function pause(attempt: number): number {\n  5:   const most = 2 ** attempt;\n  6:   return random() * most;",
        raw: { terms: ["pause"], frequent: [], hits: [{ path: "shape/wait.ts", line: 4, symbol: "pause" }] },
        locations: [{ path: "shape/wait.ts", line: 4 }],
      },
    });
  });
  it("that does not exist is said with the terms that were tried", async () =>
    expect((await search({ query: "where is the quetzalBird", path: "shape" })).text).toBe(
      "Nothing found for quetzalbird, quetzal, bird.",
    ));
});

describe("neighbours", () => {
  const shown = (text: string) => text.split("\n").filter((line) => /^ {2}\d+: /.test(line));
  file("near/two.ts", "export const okapiMin = 1;\nexport const okapiMax = 2;\nconst other = 3;\nconst last = 4;\n");
  it("whose lines overlap are one place", async () => {
    const { text, hits } = await search({ query: "okapi", path: "near/two.ts" });
    expect(text).toBe(
      "near/two.ts:1: okapiMin\n  1: export const okapiMin = 1;\n  2: export const okapiMax = 2;\n  3: const other = 3;\n  4: const last = 4;",
    );
    expect(hits).toHaveLength(1);
  });
  const seven = Array.from({ length: 7 }, (_, n) => `export const quokka${n} = ${n};\n`).join("");
  file("near/full.ts", `${seven}function other() {\n  go();\n  quokka();\n  end();\n}\n`);
  it("of a place that is full are shown apart, without what it shows", async () => {
    const { hits } = await search({ query: "quokka", path: "near/full.ts" });
    expect(hits.map(({ lines }) => lines.map(({ line }) => line))).toEqual([
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
      [10, 11],
    ]);
  });
  file("near/many.ts", Array.from({ length: 60 }, (_, n) => `export const tapir${n} = ${n};\n`).join(""));
  file("near/far.ts", "export function tapirFar() {\n  go();\n}\n\n\nexport function tapirFarther() {\n  go();\n}\n");
  it.each([1, 3, 10, 50])("show no line twice, and do not grow without end, limit %i", async (limit) => {
    const { text, hits } = await search({ query: "tapir", path: "near", limit });
    for (const path of ["near/many.ts", "near/far.ts"]) {
      const lines = hits.filter((hit) => hit.path === path).flatMap((hit) => hit.lines.map(({ line }) => line));
      expect(new Set(lines).size).toBe(lines.length);
    }
    expect(hits.length).toBeLessThanOrEqual(limit);
    expect(Math.max(...hits.map(({ lines }) => lines.length))).toBeLessThanOrEqual(9);
    for (const { line, lines } of hits) expect(lines.map((one) => one.line)).toContain(line);
    for (const { lines } of hits) expect(lines.map(({ line }) => line)).toEqual(lines.map(({ line }) => line).sort((a, b) => a - b));
    expect(shown(text).length).toBe(hits.flatMap(({ lines }) => lines).length);
  });
  it("that do not overlap stay two", async () =>
    expect(await places({ query: "tapirFar", path: "near/far.ts" })).toEqual(["near/far.ts:1 tapirFar", "near/far.ts:6 tapirFarther"]));
});

describe("the order", () => {
  file("order/use.ts", `${'import { retryLater } from "./define.ts";\n'}${"retryLater(retryLater, retryLater);\n".repeat(30)}`);
  file("order/define.ts", "const a = 1;\n\nexport function retryLater(): void {\n  a;\n}\n");
  it.each(["retryLater", "retry_later", "retry later", "retrying later"])("puts a definition before its uses: %s", async (query) =>
    expect((await places({ query, path: "order" }))[0]).toBe("order/define.ts:3 retryLater"),
  );

  for (let n = 0; n < 30; n++) file(`rare/often${n}.ts`, "export function openFile() {\n  // file file file\n}\n");
  file("rare/seldom.ts", "export function handle() {\n  // the walrus of a file\n}\n");
  it("puts a rare word before a frequent one", async () =>
    expect((await places({ query: "file walrus", path: "rare" }))[0]).toBe("rare/seldom.ts:2 handle"));

  const same = "export function parseOtter() {\n  return otter;\n}\n";
  const ranked = ["src/otter.ts", "test/otter.ts", "vendor/otter.ts"];
  for (const name of [...ranked, "src/otter.test.ts", "dist/otter.min.js"]) file(`kinds/${name}`, same);
  file("kinds/src/made.ts", `// Code generated by protoc. DO NOT EDIT.\n${same}`);
  it("puts code before its tests, and tests before what is copied or made", async () => {
    const found = [...new Set((await search({ query: "parseOtter", path: "kinds", limit: 50 })).hits.map(({ path }) => path.slice(6)))];
    expect(found[0]).toBe("src/otter.ts");
    expect(found.slice(1, 3).toSorted()).toEqual(["src/otter.test.ts", "test/otter.ts"]);
    expect(found.slice(3).toSorted()).toEqual(["dist/otter.min.js", "src/made.ts", "vendor/otter.ts"]);
  });
  it("counts the name of a file", async () => {
    for (const name of ["alpha", "badger", "omega"]) file(`named/${name}.ts`, "export const x = 1; // badger\n");
    expect((await places({ query: "badger", path: "named" }))[0]).toContain("named/badger.ts");
  });
  it("is the same every time, ties by path and line", async () => {
    for (let n = 0; n < 20; n++) file(`ties/${(n * 7) % 20}/a.ts`, "lynx();\n");
    const first = await places({ query: "lynx", path: "ties", limit: 50 });
    expect(first).toEqual(first.toSorted());
    expect(first).toHaveLength(20);
    for (let n = 0; n < 5; n++) expect(await places({ query: "lynx", path: "ties", limit: 50 })).toEqual(first);
  });
});

describe("bounds", () => {
  for (let n = 0; n < 60; n++)
    file(`many/${n}.ts`, `export function heron${n}() {\n  // ${"heron ".repeat(70)}\n  // ${"heron ".repeat(70)}\n}\n`);
  it.each([
    [{}, 10],
    [{ limit: 3 }, 3],
    [{ limit: 50 }, 50],
  ])("of %j", async (input, count) =>
    expect((await search({ query: "heron", path: "many", ...input })).hits).toHaveLength(Math.min(count, 50)),
  );
  it("of the whole text, with what does not fit counted", async () => {
    const { text } = await search({ query: "heron", path: "many", limit: 50 });
    expect(text.length).toBeLessThan(12_200);
    const shown = text.split("\n").filter((line) => /^many/.test(line)).length;
    expect(text).toMatch(new RegExp(`\\(${50 - shown} more places do not fit`));
  });
  it.each([
    { query: "" },
    { query: "x".repeat(501) },
    { query: "a", limit: 51 },
    { query: "a", limit: 0 },
    { query: "=> {}" },
    { query: "a", limits: 1 },
  ])("of the input: %j", async (input) => expect((await search(input)).text).toMatch(/^invalid_parameters/));
  it("cut a long line around the match", async () => {
    file("long/a.js", `${"x;".repeat(3000)}ibis();${"y;".repeat(3000)}\n`);
    file("long/b.js", "// ibis\n");
    const { hits } = await search({ query: "ibis", path: "long" });
    expect(hits.map(({ path }) => path)).toEqual(["long/b.js", "long/a.js"]);
    expect(hits[1]!.lines[0]!.text).toMatch(/^….*ibis.*…$/);
    expect(hits[1]!.lines[0]!.text.length).toBeLessThan(510);
  });
  it("of a term that stands everywhere: said, and the others still rank", async () => {
    for (let n = 0; n < 6; n++) file(`flood/${n}.ts`, "token();\n".repeat(1000));
    file("flood/x.ts", "export function tokenOfMarmot() {}\n");
    const { text, hits } = await search({ query: "token marmot", path: "flood" });
    expect(hits[0]).toMatchObject({ path: "flood/x.ts", symbol: "tokenOfMarmot" });
    expect(text).toContain("(too frequent to be looked up everywhere: token; add a rarer word or narrow the path)");
    // Alone it still finds its definitions, all of them.
    const alone = await search({ query: "token", path: "flood" });
    expect(alone.hits[0]).toMatchObject({ path: "flood/x.ts", line: 1 });
    expect(alone.text).not.toContain("seen first");
    expect((await search({ query: "marmot", path: "flood" })).text).not.toContain("too frequent");
  });
  it("of time, whatever the words", async () => {
    const query = Array.from({ length: 80 }, (_, n) => "aeiou"[n % 5]!.repeat((n % 4) + 1)).join(" ");
    expect((await search({ query })).text).not.toMatch(/^\w+_failure|^timeout/);
  });
});

describe("what a file may be", () => {
  it.each<[string, string, string | Buffer]>([
    ["ünï/çødé 😀.py", "größeBerechnen", "def größeBerechnen():\n    pass\n"],
    ["latin.c", "gro_berechnen", Buffer.from("// \xe9\nint gro_berechnen() {\n", "latin1")],
    ["dos.ts", "dosBerechnen", "function dosBerechnen() {\r\n}\r\n"],
    ["far.ts", "farBerechnen", `${"x();\n".repeat(9000)}function farBerechnen() {}\n`],
    ["検索.rb", "検索berechnen", "def 検索berechnen\nend\n"],
  ])("%s", async (name, query, content) => {
    file(`odd-${query}/${name}`, content);
    const { hits } = await search({ query, path: `odd-${query}` });
    expect(hits[0]).toMatchObject({ path: `odd-${query}/${name}` });
    expect(hits[0]!.symbol).toBe(query);
    expect(hits[0]!.lines.map(({ text }) => text).join("")).not.toContain("\r");
  });
  it("ignored ones, binary ones and links are left out", async () => {
    file("ignored/.ignore", "skip/\n");
    for (const name of ["skip/a.ts", "a.ts"]) file(`ignored/${name}`, "zebra();\n");
    file("ignored/b.bin", Buffer.from("zebra \0\0 zebra\n"));
    symlinkSync("../../outside/secret.ts", join(place.work, "ignored/link.ts"));
    expect(await places({ query: "zebra", path: "ignored" })).toEqual(["ignored/a.ts:1 null"]);
  });
  it.each([{ path: "missing" }, { path: "../outside" }, { path: "../outside/secret.ts" }])(
    "%j is refused as grep refuses it",
    async ({ path }) => {
      const grep = await zeph.call("grep", { pattern: "zebra", path });
      if (grep.ok) throw new Error("grep let it in");
      expect((await search({ query: "zebra", path })).text).toBe(`${grep.error.category}: ${grep.error.message}`);
    },
  );
});

describe("files that may not be read", () => {
  file("deny/.env", "MONGOOSE_TOKEN=abc\n");
  file("deny/keys/mongoose.ts", "export function mongooseToken() {}\n");
  file("deny/open.ts", "use(mongooseToken);\n");
  const DENY = { deny_read: ["**/.env", "deny/keys/**"] };
  it.each([DENY, { allow_read: ["**/open.ts"] }])("never appear: %j", (rules) =>
    under(rules, async (runtime) => {
      const { text, hits } = await search({ query: "mongoose token", path: "deny" }, runtime);
      expect(text).toBe(`deny/open.ts:1:\n  1: use(mongooseToken);\n${NOTE}`);
      expect(hits).toHaveLength(1);
      expect((await search({ query: "abc", path: "deny" }, runtime)).text).toBe(`Nothing found for abc.\n${NOTE}`);
      for (const path of ["deny/.env", "deny/keys/mongoose.ts"])
        expect((await search({ query: "mongoose", path }, runtime)).text).toMatch(/^policy_blocked: /);
    }),
  );
  it("change nothing in what is shown, counted, ranked or noted, whatever they hold", () =>
    under({ deny_read: ["hidden/denied/**"] }, async (runtime) => {
      for (let n = 0; n < 5; n++) file(`hidden/${n}.ts`, `export function ferret${n}() {\n  return stoat;\n}\nferret();\n`);
      const ask = async () => {
        const outcome = await runtime.call("search_code", { query: "ferret stoat", path: "hidden", limit: 50 });
        return outcome.ok ? outcome.output : undefined;
      };
      const without = await ask();
      for (let n = 0; n < 7; n++) file(`hidden/denied/${n}.ts`, "export function stoat() {}\n".repeat(1000));
      file("hidden/denied/ferret/stoat.ts", "ferret stoat\n");
      expect(await ask()).toEqual(without);
      expect(without?.text).toContain(NOTE);
      expect(JSON.stringify(without)).not.toContain("denied");
    }));
  it("are not mentioned where no rule is set", async () =>
    expect((await search({ query: "nothinglikeit", path: "deny" })).text).not.toContain("("));
  it("are not reached through a link", () =>
    under(DENY, async (runtime) => {
      symlinkSync("keys/mongoose.ts", join(place.work, "deny/link.ts"));
      expect(await places({ query: "mongooseToken", path: "deny" }, runtime)).toEqual(["deny/open.ts:1 null"]);
      expect((await search({ query: "mongooseToken", path: "deny/link.ts" }, runtime)).text).toMatch(/^policy_blocked: /);
    }));
});

it("an unchanged tree is answered from the cache, a changed one is not", async () => {
  file("cached/a.ts", "wombat();\n");
  await new Promise((resolve) => setTimeout(resolve, 50));
  const ask = () => zeph.call("search_code", { query: "wombat", path: "cached" });
  const first = await ask();
  file("cached/b.ts", "function wombat() {}\n");
  const second = await ask();
  expect(first.ok && first.output.text).not.toContain("cached/b.ts");
  expect(second.ok && second.output.text).toMatch(/^cached\/b.ts:1: wombat/);
});

it("a search that is stopped ends at once", async () => {
  const stop = new AbortController();
  const running = zeph.call("search_code", { query: "heron token lynx" }, { signal: stop.signal });
  stop.abort();
  expect(await running).toMatchObject({ ok: false, error: { category: "cancelled" } });
});
