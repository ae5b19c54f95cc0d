// Packs Zeph, installs the tarball in an empty project and tries it, on each version of Node that is named:
//   npm run smoke                    on this Node
//   npm run smoke -- 20 22 24        on each; a version that is not this one is installed from the npm registry beside the project
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const own = process.versions.node.split(".")[0];
const { name, version } = createRequire(import.meta.url)("../package.json");

/** Examples that check themselves and need no network. */
const EXAMPLES = ["01-hello.mjs", "04-your-own-tool.mjs", "05-a-scripted-agent.mjs", "06-filter.mjs"];
const TYPED = `
import { createRuntime, type Outcome, type Zeph } from "${name}";
export const open = async (): Promise<Zeph> => createRuntime({ cwd: "." });
export const kind = (outcome: Outcome): string => (outcome.ok ? "answered" : outcome.error.message);
`;

/** Throws what went wrong. Returns the tarball's path; the folder belongs to the caller. */
export function packInto(folder) {
  const out = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return join(folder, JSON.parse(out)[0].filename);
}

/** Tries a tarball on the versions of Node named. Throws at the first thing that is not as it should be. */
export function smoke(tarball, nodes, say) {
  for (const wanted of nodes) {
    const folder = mkdtempSync(join(tmpdir(), "zeph-smoke-"));
    try {
      tryOn(tarball, wanted, folder, say);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

function tryOn(tarball, wanted, folder, say) {
  const home = join(folder, "home");
  const project = join(folder, "project");
  for (const made of [home, project]) mkdirSync(made);
  const node = wanted === own ? process.execPath : installNode(wanted, join(folder, "node"));
  // A home of its own and none of Zeph's variables; npm keeps its settings and what it downloaded before.
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^ZEPH_/i.test(key)));
  Object.assign(env, {
    PATH: [dirname(node), process.env.PATH].join(delimiter),
    HOME: home,
    npm_config_cache: npmSetting("cache"),
    npm_config_registry: npmSetting("registry"),
  });
  const run = (command, args, options = {}) => {
    const { status, stdout, stderr, error } = spawnSync(command, args, {
      cwd: project,
      env,
      encoding: "utf8",
      timeout: 1_200_000,
      ...options,
    });
    if (status !== (options.status ?? 0))
      throw new Error(`Node ${wanted}: ${[command, ...args].join(" ")} ended with ${status ?? error}:\n${stdout}${stderr}`);
    return stdout;
  };
  const expect = (what, text, pattern) => {
    if (!pattern.test(text)) throw new Error(`Node ${wanted}: ${what} printed something else than ${pattern}:\n${text}`);
    say(`Node ${wanted}: ${what}`);
  };
  const zeph = (...args) => run(node, [join(project, "node_modules", name, "bin", "zeph.cjs"), ...args]);

  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "empty", version: "1.0.0", private: true, type: "module" }));
  run("npm", ["install", tarball, "--no-audit", "--no-fund", "--loglevel=error"]);
  expect("is the version that was asked for", run(node, ["--version"]), new RegExp(`^v${wanted}\\.`));
  expect(
    "npx --no-install zeph --version",
    run("npx", ["--no-install", "zeph", "--version"]),
    new RegExp(`^${version.replaceAll(".", "\\.")}$`, "m"),
  );
  expect("zeph --help", zeph("--help"), /Usage: zeph/);
  expect("zeph call read", zeph("call", "read", JSON.stringify({ path: "package.json" })), /"empty"/);
  expect("zeph demo", zeph("demo"), /./);
  for (const example of EXAMPLES) {
    copyFileSync(join(root, "examples", example), join(project, example));
    run(node, [example]);
    say(`Node ${wanted}: examples/${example}`);
  }
  writeFileSync(join(project, "typed.ts"), TYPED);
  const tsc = createRequire(import.meta.url)
    .resolve("typescript/package.json")
    .replace(/package\.json$/, "bin/tsc");
  run(process.execPath, [
    tsc,
    "--noEmit",
    "--strict",
    "--module",
    "nodenext",
    "--target",
    "es2022",
    "--skipLibCheck",
    "false",
    "--types",
    "node",
    "--typeRoots",
    join(root, "node_modules", "@types"),
    "typed.ts",
  ]);
  say(`Node ${wanted}: its types`);
}

const npmSetting = (key) => execFileSync("npm", ["config", "get", key], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();

/** Node itself is on the npm registry, one package for each system. */
function installNode(wanted, folder) {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), "{}");
  const pack = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  execFileSync("npm", ["install", `${pack}@${wanted}`, "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const bin = join(folder, "node_modules", pack, "bin");
  if (!readdirSync(bin).includes("node")) throw new Error(`${pack}@${wanted} holds no node`);
  return join(bin, "node");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const nodes = process.argv.slice(2);
  const bad = nodes.find((wanted) => !/^\d+$/.test(wanted));
  if (bad !== undefined) {
    console.error(`usage: npm run smoke -- [20 22 24]   (a major version of Node; not "${bad}")`);
    process.exit(2);
  }
  const folder = mkdtempSync(join(tmpdir(), "zeph-pack-"));
  try {
    smoke(packInto(folder), nodes.length > 0 ? nodes : [own], (text) => console.log(text));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
