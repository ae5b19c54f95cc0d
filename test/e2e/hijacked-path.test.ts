import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { available } from "../sandbox/support.ts";
import { type Box, box, jsonLines } from "./zeph.ts";

/** `npm run`, `npx` and direnv put folders of the project in front of PATH: what a command leaves there must not be what Zeph starts itself. */
const PATHS: Record<string, (box: Box) => string> = {
  "the project's node_modules/.bin": ({ cwd }) => join(cwd, "node_modules/.bin"),
  "a link to it from elsewhere": ({ cwd, root }) => {
    symlinkSync(join(cwd, "node_modules/.bin"), join(root, "bin"));
    return join(root, "bin");
  },
  "a relative folder": () => "node_modules/.bin",
  "an empty entry and a dot": () => ":.",
};

it.runIf(available).each(Object.entries(PATHS))("starts no sh, git or node of its own from %s", async (_what, entryOf) => {
  const at = box();
  const folder = join(at.cwd, "node_modules/.bin");
  mkdirSync(folder, { recursive: true });
  const proof = join(at.root, "proof");
  at.config('[[hooks.post_tool]]\nmatch = "*"\ncommand = "true"\n');
  const plant = ["node_modules/.bin", "."]
    .map((to) => `for n in sh git node bash; do printf '#!/bin/sh\\necho $0 $* >> ${proof}\\n' > ${to}/$n; chmod 755 ${to}/$n; done`)
    .join("; ");
  const env = { PATH: `${entryOf(at)}:${at.env.PATH}` };
  const calls = [
    { id: "1", tool: "bash", args: { command: plant } },
    { id: "2", tool: "list_directory", args: { path: "." } },
  ];
  const { stdout } = await at.runProcess(["call", "--batch"], { env, input: calls.map((call) => JSON.stringify(call)).join("\n") });
  expect(jsonLines(stdout).map(({ ok }) => ok)).toEqual([true, true]);
  expect(existsSync(join(folder, "git"))).toBe(true);
  const doctor = await at.runProcess(["doctor", "--json"], { env });
  const git = jsonLines(doctor.stdout)[0].findings.find(({ about }: { about: string }) => about === "git");
  expect(git.text).toMatch(/^\/(?:usr\/)?bin\/git,/);
  expect(existsSync(proof) ? readFileSync(proof, "utf8") : "").toBe("");
  rmSync(folder, { recursive: true });
});

it("says why a hook does not find a program of the project", async () => {
  const at = box();
  at.write("node_modules/.bin/checker", "#!/bin/sh\n");
  at.write("a.txt", "a\n");
  at.config('[[hooks.pre_tool]]\nmatch = "*"\ncommand = "checker"\n');
  const folder = join(at.cwd, "node_modules/.bin");
  const { stdout } = await at.runProcess(["call", "read", '{"path":"a.txt"}', "--json"], {
    env: { PATH: `${folder}:${at.env.PATH}` },
  });
  expect(stdout).toContain(`folders of PATH that commands may write: ${folder}`);
});
