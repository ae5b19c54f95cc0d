import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Imports, importsAtOnce, reachOf, readImports } from "../../scripts/import-graph.mjs";
import { says, scripted } from "./scripted.ts";
import { box } from "./zeph.ts";

it("zeph sessions lists the conversations of this folder, of all, and deletes one", async () => {
  const here = scripted(box(), [[says("Yes.")]]);
  here.write("other/turns.json", JSON.stringify([[says("Yes.")]]));
  expect(await here.run(["sessions"])).toMatchObject({ code: 0, stdout: expect.stringContaining("no conversation in this folder") });
  await here.run(["run", `A title \u001b[31m that is ${"very ".repeat(30)}long`]);
  await here.run(["run", "Second"]);
  await here.run(["--cwd", "other", "run", "Elsewhere"]);
  const { code, stdout } = await here.runProcess(["sessions"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^[\w-]{36} {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}2 {2}Second\n[\w-]{36} {2}.* {2}2 {2}A title \\u001b\[31m that is very .*…\n$/,
  );
  const all = JSON.parse((await here.run(["sessions", "--all", "--json"])).stdout);
  expect(all.map(({ title, workspace, messages }: any) => ({ title, workspace, messages }))).toMatchObject([
    { title: "Elsewhere", workspace: join(here.cwd, "other"), messages: 2 },
    { title: "Second", workspace: here.cwd },
    { workspace: here.cwd },
  ]);
  expect((await here.run(["sessions", "--all"])).stdout).toContain(`Elsewhere\n  ${here.cwd}/other\n`);
  expect(JSON.parse((await here.run(["sessions", "--json", "--limit", "1"])).stdout)).toHaveLength(1);
  expect(await here.runProcess(["sessions", "delete", all[1].id.slice(0, 8)])).toMatchObject({
    code: 0,
    stdout: `Deleted: ${all[1].id}\n`,
  });
  expect(JSON.parse((await here.run(["sessions", "--json"])).stdout)).toHaveLength(1);
  expect(await here.run(["run", "--continue", all[1].id, "go"])).toMatchObject({ code: 2 });
});

it.each([
  [["sessions", "delete"], "Say which one"],
  [["sessions", "delete", "nope"], "There is no conversation nope"],
  [["sessions", "delet", "x"], 'Did you mean "delete"?'],
  [["sessions", "--limit", "0"], "from 1 to"],
])("exits 2 for wrong usage: %j", async (args, message) => {
  const { code, stdout, stderr } = await box().run(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(message);
});

it("a small command loads nothing of models, agents and markdown", () => {
  const all = readImports(".", ["src"]);
  const atOnce = new Map([...all.keys()].map((file) => [file, importsAtOnce(file, readFileSync(file, "utf8"))]));
  const start = (imports: Imports) =>
    [...reachOf("src/front/cli/main.ts", imports), ...reachOf("src/front/cli/program/actions.ts", imports)].filter((name) =>
      /^(?:marked|undici|cheerio\/slim|@modelcontextprotocol\/\w+|src\/runtime\/agent\/agent\.ts)$/.test(name),
    );
  expect(start(atOnce)).toEqual([]);
  // The names are right: they are loaded, later.
  expect(new Set(start(all)).size).toBeGreaterThan(4);
});
