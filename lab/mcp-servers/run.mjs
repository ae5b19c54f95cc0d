// `npm run lab:mcp-servers [-- name …] [--json] [--write]`: adds servers of other people with one command each, behind the walls, and makes a call
// of each. It needs a package registry and bubblewrap, takes some minutes and is no part of the other tests. What is expected is in servers.mjs.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { SERVERS } from "./servers.mjs";
import { SERVICES } from "./services.mjs";

const root = join(import.meta.dirname, "..", "..");
const words = process.argv.slice(2);
const names = words.filter((word) => !word.startsWith("--"));
const unknown = names.filter((name) => !Object.hasOwn(SERVERS, name));
if (unknown.length > 0) {
  console.error(`There is no server ${unknown.join(", ")}. There are ${Object.keys(SERVERS).join(", ")}.`);
  process.exit(2);
}

const base = mkdtempSync(join(tmpdir(), "zeph-mcp-servers-"));
const workspace = join(base, "work");
prepareWorkspace();
const services = new Map();
const results = [];
try {
  for (const [name, server] of Object.entries(SERVERS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const result = await tryServer(name, server).catch((error) => ({
      name,
      package: server.package,
      verdict: "failed",
      why: error.message,
    }));
    results.push(result);
    if (!words.includes("--json")) console.log(line(result));
  }
} finally {
  for (const service of services.values()) await service?.close();
  rmSync(base, { recursive: true, force: true });
}
const load = `${cpus().length} processors, load ${loadavg()[0].toFixed(1)}`;
if (words.includes("--json")) console.log(JSON.stringify({ load, results }, null, 2));
else console.log(`\n${load}`);
if (words.includes("--write")) writePage();
process.exitCode = results.some(({ verdict }) => verdict === "failed") ? 1 : 0;

/** In a home of its own: added, asked for its tools, called, and started again. */
async function tryServer(name, server) {
  const { flags = [], tried = flags, args = [], needs, call, before } = server;
  const result = { name, package: server.package };
  const service = needs ? await serviceOf(needs) : undefined;
  if (service === null) return { ...result, verdict: "skipped", why: `there is no ${needs} here` };
  const fill = (text) => text.replace(`{${needs}}`, service?.address).replaceAll("{workspace}", workspace);
  const home = join(base, `home-${name}`);
  mkdirSync(home);
  const typed = ["mcp", "add", name, "--trust", "trusted", "--json", ...tried.map(fill)];
  const added = await zeph(home, [...typed, "--", "npx", "-y", server.package, ...args.map(fill)]);
  const state = JSON.parse(added.stdout || "{}").server;
  if (added.code !== 0) throw new Error(`it was not added: ${state?.why ?? added.stderr}`);
  const offered = state.tools.filter((tool) => tool.state === "offered");
  const refused = state.tools.length - offered.length;
  const problems = [];
  if (offered.length !== server.tools) problems.push(`${offered.length} tools, not ${server.tools}`);
  if (refused !== (server.refused ?? 0)) problems.push(`${refused} refused`);
  if (before) await zeph(home, ["call", `mcp__${name}__${before.tool}`, JSON.stringify(before.args)]);
  if (call) {
    const said = await zeph(home, ["call", `mcp__${name}__${call.tool}`, fill(JSON.stringify(call.args))]);
    if (said.code !== 0 || !call.says.test(said.stdout)) problems.push(`${call.tool}: ${said.stdout}${said.stderr}`.slice(0, 600));
  }
  const again = [];
  for (let n = 0; n < 3; n++) again.push(JSON.parse((await zeph(home, ["mcp", "test", name, "--json"])).stdout));
  if (again.some(({ ok }) => !ok)) problems.push("it did not start again");
  return {
    ...result,
    verdict: problems.length === 0 ? "works" : "failed",
    ...(problems.length > 0 && { why: problems.join("; ") }),
    tools: offered.length,
    called: call?.tool ?? null,
    firstMs: JSON.parse(added.stdout).ms,
    againMs: Math.min(...again.map(({ ms }) => ms)),
  };
}

async function serviceOf(name) {
  if (!services.has(name)) services.set(name, await SERVICES[name](base));
  return services.get(name);
}

/** Its output and how it ended. Nothing of the person's home is read; where packages come from is theirs to say. */
function zeph(home, args) {
  const { PATH, NODE_EXTRA_CA_CERTS, npm_config_registry } = process.env;
  const env = {
    PATH,
    HOME: home,
    LANG: "C.UTF-8",
    ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }),
    ...(npm_config_registry && { npm_config_registry }),
  };
  const child = spawn(process.execPath, [join(root, "bin", "zeph.cjs"), ...args], {
    cwd: workspace,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (chunk) => (said[name] += chunk));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, ...said })));
}

function prepareWorkspace() {
  mkdirSync(workspace);
  writeFileSync(join(workspace, "note.txt"), "buy tea\n");
  const git = (...args) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: workspace });
  git("init", "-q");
  git("add", "note.txt");
  git("commit", "-qm", "the first commit");
}

function line({ name, verdict, tools, called, firstMs, againMs, why }) {
  const times =
    firstMs === undefined ? "" : ` ${tools} tools, called ${called ?? "none"}, first ${seconds(firstMs)}, again ${seconds(againMs)}`;
  return `${verdict.padEnd(8)}${name.padEnd(12)}${times}${why === undefined ? "" : `  ${why}`}`;
}

function writePage() {
  const file = join(root, "docs", "mcp-servers.md");
  const rows = results.map(({ name, package: pinned, verdict, tools, called, firstMs, againMs }) =>
    verdict === "works"
      ? `| ${name} | ${pinned} | ${tools} | ${called === null ? "tools listed" : `\`${called}\``} | ${seconds(firstMs)} | ${seconds(againMs)} |`
      : `| ${name} | ${pinned} | | ${verdict} | | |`,
  );
  const table = [
    "| Server | Package | Tools | Called | First start, with fetching | Again, best of three |",
    "|---|---|---|---|---|---|",
    ...rows,
  ];
  const marks = ["<!-- lab:mcp-servers -->", "<!-- /lab:mcp-servers -->"];
  const text = readFileSync(file, "utf8");
  const [head, rest] = text.split(marks[0]);
  const tail = rest.split(marks[1])[1];
  writeFileSync(file, `${head}${marks[0]}\n${table.join("\n")}\n\nMeasured on ${load}.\n${marks[1]}${tail}`);
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}
