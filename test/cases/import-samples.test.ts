import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { SourceKind } from "../../src/neighbours/import/convert-source.ts";
import { workspace } from "../workspace.ts";
import { importAll, type Scope, settingsOf } from "./import-samples.ts";

interface Sample {
  readonly name: string;
  readonly kind: SourceKind;
  readonly scope: Scope;
  readonly text: string;
  /** Behind walls curl runs and reaches nothing; where none stand it is not run. */
  readonly walls?: "none";
  readonly checks: readonly [tool: string, args: Record<string, unknown>, verdict: string][];
}

const SAMPLES = readFileSync(new URL("import-samples.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Sample);

const place = workspace();
for (const folder of ["src", "docs", "infra"]) mkdirSync(join(place.work, folder));
mkdirSync(join(place.T, "shared-lib"));
for (const file of ["a.txt", ".env", ".env.local", "docs/a.md", "src/a.ts", "infra/main.tf", "../shared-lib/x.ts"])
  writeFileSync(join(place.work, file), "x\n");
afterAll(() => place.remove());

describe.each(SAMPLES)("What is imported from $name", ({ kind, scope, text, walls, checks }) => {
  it("decides as the file of the other agent means it", async () => {
    const plan = importAll([{ kind, text, scope }]);
    const settings = settingsOf(plan);
    const tools = { ...(settings.tools as object), ...(walls === "none" && { sandbox: { enabled: false } }) };
    const zeph = await place.runtime({
      config: { ...settings, tools, audit: { path: join(place.state, "audit.jsonl") }, mcp: { servers: [] } },
    });
    try {
      for (const [tool, args, verdict] of checks) {
        const found = await zeph.judge(tool, args);
        expect({ tool, args, verdict: found.verdict }, `${found.gate} ${found.rule} ${found.why}\n${plan.text}`).toEqual({
          tool,
          args,
          verdict,
        });
      }
    } finally {
      await zeph.close();
    }
  });
});

it("There are 82 checks in the samples", () => expect(SAMPLES.flatMap(({ checks }) => checks)).toHaveLength(82));
