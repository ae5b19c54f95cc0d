// Before the tests: what they try besides us. Installed where that is possible without asking anyone; otherwise the suites that need it say so.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findChromium } from "./find-chromium.mjs";
import { findNats, findPostgres } from "./fleet-servers.mjs";

/** Only the project `peers` talks to other people's programs, and not every command runs it. */
const wantsPeers = !process.argv.includes("--without-peers");
/** Database servers take a minute to install, and only the project `fleet` needs them. */
const wantsServers = wantsPeers || process.argv.includes("--with-servers");
/** So does a browser. */
const wantsBrowser = wantsPeers || process.argv.includes("--with-browser");
const mustHaveAll = process.env.REQUIRE_SANDBOX === "1";
const run = (command, args) => spawnSync(command, args, { stdio: ["ignore", "ignore", "inherit"], timeout: 300_000 }).status === 0;
const say = (text) => process.stderr.write(`${text}\n`);

/** What a full Debian has and a small one may not: by the program, its package. */
const USUAL = { curl: "curl", git: "git", openssl: "openssl", perl: "perl", ps: "procps" };

if (process.platform === "linux") {
  tmux();
  const usual = Object.entries(USUAL).map(([program, name]) => systemPackage(name, () => isOnPath(program), "many tests", "fail"));
  const all = [...usual, sandbox(), !wantsPeers || peers(), !wantsServers || servers(), !wantsBrowser || browser()];
  if (mustHaveAll && all.includes(false)) process.exit(1);
}

/** The walls. */
function sandbox() {
  const found = () => ["/usr/bin/bwrap", "/usr/local/bin/bwrap"].some((path) => existsSync(path));
  return systemPackage("bubblewrap", found, "the tests of the sandbox and of commands");
}

/** A window in which a chat is used as a person does. */
function tmux() {
  return systemPackage("tmux", () => spawnSync("tmux", ["-V"]).status === 0, "the tests of a chat in a window");
}

/** In which the page of `zeph watch` is used as a person does. */
function browser() {
  return systemPackage("chromium", () => findChromium() !== null, "the tests of the page in a browser");
}

/** What machines share: the database, and the bus. */
function servers() {
  const tests = "the tests of a fleet";
  return [
    systemPackage("postgresql-15", () => findPostgres() !== null, tests),
    systemPackage("nats-server", () => findNats() !== null, tests),
  ].every(Boolean);
}

function isOnPath(program) {
  return (process.env.PATH ?? "").split(":").some((folder) => existsSync(`${folder}/${program}`));
}

function systemPackage(name, found, tests, without = "are skipped") {
  if (found()) return true;
  const canInstall = process.getuid() === 0 && existsSync("/usr/bin/apt-get");
  if (canInstall) {
    say(`Installing ${name}, which is needed for ${tests}.`);
    const install = () => run("apt-get", ["install", "-y", "--no-install-recommends", name]);
    if (!install()) run("apt-get", ["update"]) && install();
  }
  if (found()) return true;
  const how = canInstall ? "It could not be installed." : `Install it with: apt-get install ${name} (or dnf, pacman).`;
  say(`${name} is missing, so ${tests} ${without}. ${how}`);
  return false;
}

/** Clients and servers of other people, and the Node they want. They are no dependencies of ours, so they have a folder of their own. */
function peers() {
  const folder = fileURLToPath(new URL("../test/peers", import.meta.url));
  const time = (path) => statSync(`${folder}/${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // npm writes this file last. One that an aborted install left behind would be gone or older.
  const installed = () => time("node_modules/.package-lock.json") >= Math.max(1, time("package-lock.json"));
  if (installed()) return true;
  say("Installing the MCP and ACP programs that the tests talk to (test/peers).");
  if (
    run("npm", ["ci", "--engine-strict=false", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]) &&
    installed()
  )
    return true;
  say(`They could not be installed, so the tests against them are skipped. Try: npm ci --prefix ${folder}`);
  return false;
}
