import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { unprotectedReason } from "../../src/host/protected/unprotected.ts";
import { landlockWalls } from "../../src/host/sandbox/backends/landlock.ts";
import { sandboxConfig } from "../../src/host/sandbox/config.ts";
import { policyFor } from "../../src/host/sandbox/policy.ts";
import type { LandlockOnly } from "../../src/host/sandbox/sandbox.ts";
import { type Workspace, workspace } from "../workspace.ts";

const landlock: LandlockOnly = {
  backend: "landlock",
  landlock: { perl: "/usr/bin/perl", abi: 7 },
  arch: "x64",
  prlimit: null,
  walls: landlockWalls(null, "closed", "Test."),
};
let place: Workspace;
afterEach(() => place.remove());

function whyIn(files: readonly string[]): string | null {
  place = workspace([]);
  for (const file of files) {
    mkdirSync(join(place.work, file, ".."), { recursive: true });
    writeFileSync(join(place.work, file), "x");
  }
  const config = sandboxConfig().parse({});
  const setting = { cwd: place.work, home: "/nowhere", own: [], keys: [], allowedPaths: [], env: {} };
  const hidden = [{ glob: "**/.env", matches: (path: string) => path.endsWith("/.env"), start: null }];
  return unprotectedReason(landlock, policyFor(config, { ...setting, hidden }), config);
}

it.each([[".git/config"], ["sub/.vscode/tasks.json"], ["deep/er/.envrc"]])(
  "Landlock cannot protect %s, so a command where it lies is asked about",
  (file) => expect(whyIn([file])).toMatch(/^The sandbox here \(landlock\) cannot protect /),
);
it("Landlock cannot hide what deny_read matches, so a command where it lies is asked about", () =>
  expect(whyIn(["a/.env"])).toMatch(/^The sandbox here \(landlock\) can neither hide nor protect a\/\.env:/));
it("a workspace without such files is not asked about", () => expect(whyIn(["src/a.ts", "AGENTS.md"])).toBeNull());
it("Landlock says so itself, and the doctor prints it", () =>
  expect(landlock.walls.reason).toContain("a command where such files lie is asked about, and refused where nobody can be asked"));

it("a command without any walls is asked about where deny_read matches a file, whatever a rule or full says", async () => {
  place = workspace([{ op: "file", path: "work/.env", content: "TOKEN=1\n" }]);
  const zeph = await place.runtime({
    config: {
      audit: { path: join(place.state, "audit.jsonl") },
      autonomy: "full",
      tools: { sandbox: { enabled: false }, file: { deny_read: ["**/.env"] }, permissions: { bash: [{ pattern: "*", action: "allow" }] } },
    },
  });
  const outcome = await zeph.call("bash", { command: "cat ./.e*" });
  expect(outcome).toMatchObject({ ok: false, error: { category: "confirmation_required" }, decision: { gate: "permissions" } });
  await zeph.close();
});
