// One release, from a clean tree to a tag:
//   npm run release -- 0.2.0              version, changelog section, build, pack, smoke test on Node 20, 22 and 24, commit and tag
//   npm run release -- 0.2.0 --dry-run    the same, and everything is put back as it was
//   npm run release -- --publish          publishes the version of the tag that is checked out (the release workflow does this)
//   npm run release -- --check-addresses  whether package.json says where the project lives; `npm publish` asks this first
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isNewer, missingAddresses, releaseNotes, withRelease } from "./release-text.mjs";
import { packInto, smoke } from "./smoke.mjs";

const NODES = ["20", "22", "24"];
const USAGE = "usage: npm run release -- <version> [--dry-run]   or   npm run release -- --publish";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const say = (text) => console.log(text);
const refuse = (text, code = 1) => {
  console.error(text);
  process.exit(code);
};
const git = (...args) => execFileSync("git", args, { encoding: "utf8" }).trim();
const npm = (...args) => execFileSync("npm", args, { stdio: "inherit" });
const readPackage = () => JSON.parse(readFileSync("package.json", "utf8"));

const args = process.argv.slice(2);
const flags = args.filter((arg) => arg.startsWith("--"));
const [version, ...more] = args.filter((arg) => !arg.startsWith("--"));
const unknown = flags.find((flag) => !["--dry-run", "--publish", "--check-addresses", "--help"].includes(flag));
if (flags.includes("--help")) say(USAGE);
else if (unknown || more.length > 0) refuse(`${unknown ? `There is no option ${unknown}.` : `What is ${more[0]}?`}\n${USAGE}`, 2);
else if (flags.includes("--check-addresses")) checkAddresses();
else if (flags.includes("--publish")) publish();
else if (version) prepare(version, flags.includes("--dry-run"));
else refuse(USAGE, 2);

function checkAddresses() {
  const missing = missingAddresses(readPackage());
  if (missing.length > 0)
    refuse(
      `Nothing is published: package.json has no address for ${missing.join(", ")}. Set ${missing.length > 1 ? "them" : "it"} to where the project lives, then publish again.`,
    );
}

function publish() {
  checkAddresses();
  const { version: current } = readPackage();
  if (git("status", "--porcelain") !== "") refuse("Nothing is published: the work tree has changes that are not committed.");
  if (!git("tag", "--points-at", "HEAD").split("\n").includes(`v${current}`))
    refuse(`Nothing is published: the tag v${current} is not checked out.`);
  npm("run", "build");
  npm("publish");
}

function prepare(next, isDry) {
  const current = readPackage().version;
  const changelog = readFileSync("CHANGELOG.md", "utf8");
  // The first release has the version that is there already.
  const isFirst = next === current && git("tag", "--list", "v*") === "";
  if (!isFirst && !isNewer(next, current)) refuse(`${next} is no version after ${current}. A version is three numbers, such as 0.2.0.`, 2);
  if (releaseNotes(changelog, next) === "") refuse("CHANGELOG.md has nothing under ## Unreleased: a release says what is new.");
  if (git("status", "--porcelain") !== "") refuse("The work tree has changes that are not committed.");
  if (git("tag", "--list", `v${next}`) !== "") refuse(`The tag v${next} exists already.`);
  const missing = missingAddresses(readPackage());
  if (missing.length > 0) say(`package.json has no address for ${missing.join(", ")}: this release can be tagged, not published.`);
  const folder = mkdtempSync(join(tmpdir(), "zeph-release-"));
  let isDone = false;
  try {
    npm("version", next, "--no-git-tag-version", "--ignore-scripts", "--allow-same-version");
    writeFileSync("CHANGELOG.md", withRelease(changelog, next, new Date().toISOString().slice(0, 10)));
    npm("run", "build");
    smoke(packInto(folder), NODES, say);
    if (!isDry) {
      git("add", "package.json", "package-lock.json", "CHANGELOG.md");
      git(
        "commit",
        "-m",
        `release: ${next}`,
        "-m",
        "Version, changelog section and a package that was installed and tried on three versions of Node.",
      );
      git("tag", "-a", `v${next}`, "-m", releaseNotes(changelog, next));
      isDone = true;
    }
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
    if (!isDone) git("checkout", "--", "package.json", "package-lock.json", "CHANGELOG.md");
  }
  if (process.exitCode) return say("Nothing was committed. What was changed is as it was.");
  say(isDry ? `${next} could be released.` : `${next} is committed and tagged v${next}. Push both: git push --follow-tags`);
}
