import { execFile } from "node:child_process";
import { chmodSync, existsSync, statSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Walls, WallsBuilder } from "../../core/ports/walls.ts";
import { splitPath } from "../../files/command-folders.ts";
import { isExecutable } from "../../files/programs.ts";
import { isWithin } from "../../text/path.ts";
import { createTemporary } from "../temporary.ts";
import { OPTIONAL, REQUIRED } from "./backends/bubblewrap.ts";
import { abiQuestion, landlockWalls, SCOPING_ABI } from "./backends/landlock.ts";
import { PERL } from "./backends/perl.ts";
import { SANDBOX_EXEC } from "./backends/seatbelt.ts";
import { type Arch, archOf } from "./backends/syscalls.ts";
import { realDisk } from "./disk.ts";
import { launch } from "./launch.ts";
import { findPrlimit } from "./limits.ts";
import type { Policy } from "./policy.ts";
import {
  broken,
  type MachineFacts,
  machineFacts,
  NOT_INSTALLED,
  neither,
  notOurs,
  notWritable,
  reasonFor,
  type SandboxReason,
  TOO_SLOW,
  tooOld,
} from "./reasons.ts";
import { runLaunch } from "./run.ts";
import type { Bubblewrap, Landlock, LandlockOnly, Sandbox } from "./sandbox.ts";
import { type FindShipped, findShipped } from "./shipped.ts";
import type { OtherUser } from "./user.ts";

export interface ProbeOptions {
  /** What a command in this workspace would get: the real line is tried, not a simpler one. */
  readonly policy: Policy;
  readonly user?: OtherUser | undefined;
  /** Where to look; tests put their own here. */
  readonly search?: readonly string[];
  readonly shipped?: FindShipped;
  /** Which may build; tests leave some out. */
  readonly builders?: readonly WallsBuilder[];
  readonly perl?: string;
  readonly facts?: MachineFacts;
  readonly timeoutMs?: number;
}

let usualBuilders: readonly WallsBuilder[] = ["own", "system", "shipped"];

/** For tests, which try the same walls with each builder. */
export function limitBuilders(builders: readonly WallsBuilder[]): void {
  usualBuilders = builders;
}

const cache = new Map<string, Promise<Sandbox>>();

/** Which walls work here. Asked once per process and workspace; never throws, and takes three seconds at most. */
export function probe(options: ProbeOptions): Promise<Sandbox> {
  const { policy, user, search = searchPath() } = options;
  const key = JSON.stringify([
    policy.cwd,
    policy.read,
    policy.write,
    policy.network,
    user?.uid,
    search,
    options.perl,
    options.shipped === undefined,
    options.builders ?? usualBuilders,
  ]);
  const known = cache.get(key);
  if (known) return known;
  const found = look({ ...options, search }).catch((error: Error): Sandbox => nothing(broken(`the probe failed: ${error.message}`).why));
  cache.set(key, found);
  return found;
}

/** `tools.sandbox.enabled = false`. */
export const switchedOff: Sandbox = nothing("the sandbox is switched off (tools.sandbox.enabled = false).");

async function look(options: ProbeOptions & { search: readonly string[] }): Promise<Sandbox> {
  if (process.platform === "darwin") return seatbelt(options.policy);
  const arch = archOf(process.arch);
  if (process.platform !== "linux" || arch === null) return nothing(`there is no sandbox for ${process.platform} on ${process.arch}.`);
  const timeoutMs = options.timeoutMs ?? LONGEST_LOOK_MS;
  const deadline = Date.now() + timeoutMs;
  const left = () => Math.max(1, deadline - Date.now());
  const { builders = usualBuilders } = options;
  const own = builders.includes("own") ? await tryOwn(options, arch, left) : null;
  if (own !== null && !("why" in own)) return own;
  const tried = await trySystem(options, arch, left);
  if (!("why" in tried)) {
    if (await isSafeVersion(tried, left)) return inPlaceOf(own, tried);
    const shipped = await tryShipped(options, arch, NOT_INSTALLED, left);
    // AppArmor may allow namespaces to the system's alone.
    return inPlaceOf(own, "why" in shipped ? tried : shipped);
  }
  const second = REPLACED.has(tried.kind) ? await tryShipped(options, arch, tried, left) : tried;
  if (!("why" in second)) return inPlaceOf(own, second);
  const all = own === null || own.kind === second.kind ? second : { ...second, why: `${second.why} ${ownWords(own)}` };
  return (await secondTier(options, arch, all, left)) ?? nothing(all.why);
}

/** Walls that are built because Zeph's own builder cannot: they say why. */
const inPlaceOf = (own: SandboxReason | null, found: Bubblewrap): Bubblewrap =>
  own === null ? found : { ...found, walls: { ...found.walls, reason: ownWords(own) } };

const ownWords = ({ why }: SandboxReason): string => `Zeph's own builder of walls, zeph-run, cannot be used: ${why}`;

/** Older ones create missing mount points by name, which another command can lead out of the sandbox (GHSA-pxhw-h44j-8pfx). */
async function isSafeVersion({ bwrap }: Bubblewrap, left: Left): Promise<boolean> {
  const said = await output(bwrap!, ["--version"], left());
  const [, major, minor] = /^bubblewrap (\d+)\.(\d+)/.exec(said.text) ?? [];
  return Number(major) > 0 || Number(minor) >= 12;
}

/** A machine that does other things as well is slow. Whoever is too hasty here has no walls, although they would hold. */
const LONGEST_LOOK_MS = 20_000;

type Left = () => number;

/** Where another bwrap may do what this one does not. */
const REPLACED: ReadonlySet<SandboxReason["kind"]> = new Set(["missing", "old", "broken"]);
/** Where no bwrap works and Landlock may. */
const WITHOUT_NAMESPACES: ReadonlySet<SandboxReason["kind"]> = new Set(["namespaces", "nested", "missing", "old"]);

type Search = ProbeOptions & { readonly search: readonly string[] };

/** Refused where the kernel is older than 5.12, and where only bwrap may make user namespaces. */
async function tryOwn(options: Search, arch: Arch, left: Left): Promise<Bubblewrap | SandboxReason> {
  const { policy, user, shipped = findShipped, facts = machineFacts } = options;
  const found = shipped({ name: "zeph-run", arch, writable: [...policy.write, policy.cwd], user });
  if ("why" in found) return broken(found.why);
  return tryBuilder({ builder: "own", bwrap: null, options: new Set(OPTIONAL) }, { ...options, facts }, arch, left);
}

async function trySystem(options: Search, arch: Arch, left: Left): Promise<Bubblewrap | SandboxReason> {
  const found = findProgram(options.search, options.policy);
  return "why" in found ? found : tryBubblewrap({ path: found.path, builder: "system" }, options, arch, left);
}

async function tryShipped(options: Search, arch: Arch, system: SandboxReason, left: Left): Promise<Bubblewrap | SandboxReason> {
  const { policy, user, shipped = findShipped } = options;
  const found = shipped({ name: "bwrap", arch, writable: [...policy.write, policy.cwd], user });
  const tried = "why" in found ? found : await tryBubblewrap({ path: found.path, builder: "shipped" }, options, arch, left);
  return "why" in tried ? neither(system, tried) : tried;
}

async function tryBubblewrap(
  { path, builder }: { readonly path: string; readonly builder: WallsBuilder },
  options: ProbeOptions,
  arch: Arch,
  left: Left,
): Promise<Bubblewrap | SandboxReason> {
  const help = await output(path, ["--help"], left());
  if (help.late) return TOO_SLOW;
  const missing = REQUIRED.filter((option) => !lists(help.text, option));
  if (missing.length > 0) return help.text === "" ? broken(`${path} --help says nothing`) : tooOld(missing);
  const known = new Set([...REQUIRED, ...OPTIONAL].filter((option) => lists(help.text, option)));
  return tryBuilder({ builder, bwrap: path, options: known }, options, arch, left);
}

async function tryBuilder(
  builder: Pick<Bubblewrap, "builder" | "bwrap" | "options">,
  { policy, user, shipped, facts = machineFacts, perl = PERL }: ProbeOptions,
  arch: Arch,
  left: Left,
): Promise<Bubblewrap | SandboxReason> {
  const landlock = policy.network === "open" ? await findLandlock(perl, arch, left) : null;
  const candidate: Bubblewrap = {
    backend: "bubblewrap",
    ...builder,
    arch,
    prlimit: findPrlimit(),
    landlock: landlock && landlock.abi >= SCOPING_ABI ? landlock : null,
    walls: { backend: "none", layers: [], network: "open" },
  };
  const problem = await tryOut(candidate, policy, user, facts, left, shipped);
  return problem ?? { ...candidate, walls: promised(candidate, policy, user, shipped) };
}

/** Runs the real line once, with a look around from inside. */
async function tryOut(
  sandbox: Bubblewrap | LandlockOnly,
  policy: Policy,
  user: OtherUser | undefined,
  facts: MachineFacts,
  left: Left,
  shipped?: FindShipped,
): Promise<SandboxReason | null> {
  const canary = plantCanary(policy);
  let text = "";
  let words = "";
  try {
    // The walls are tried, not the workspace: a folder that is exchanged just now must not count as walls that do not hold.
    const { held: _held, ...bare } = policy;
    const line = launch(sandbox, bare, ["/bin/bash", "--noprofile", "--norc", "-c", LOOK, "look", policy.write[0] ?? "", canary.file], {
      user,
      ...(sandbox.backend === "bubblewrap" && sandbox.bwrap === null && shipped && { shipped }),
    });
    const ran = await runLaunch(line, {
      timeoutMs: left(),
      onOutput: (chunk, stream) => {
        if (stream === "stdout") text = (text + chunk).slice(0, 4096);
        else words = (words + chunk).slice(0, 4096);
      },
    });
    if (ran.stopped) return TOO_SLOW;
    if (!ran.ran) return reasonFor(ran.setupError ?? words, facts, sandbox.backend === "bubblewrap" ? sandbox.builder : "system");
    return judge(text, sandbox.backend, policy);
  } catch (error) {
    return broken(`the sandbox could not be started: ${(error as Error).message}`);
  } finally {
    canary.remove();
  }
}

/** Only what bash can do itself, so that it works on every system and costs one process. Files are opened: Landlock does not hide names. */
const LOOK = `
while read -r key value _; do case $key in CapEff:|NoNewPrivs:|Seccomp:) echo "$key$value";; esac; done </proc/self/status
[ -z "$1" ] || { [ -w "$1" ] && echo writable; }
{ : <"$2"; } 2>/dev/null && echo canary
{ IFS= read -r -d '' word </proc/1/environ; } 2>/dev/null && [ -n "$word" ] && echo environ
echo done`;

const MUST: readonly (readonly [RegExp, string])[] = [
  [/^CapEff:0+$/m, "capabilities are not dropped"],
  [/^NoNewPrivs:1$/m, "no_new_privs is not set"],
  [/^Seccomp:2$/m, "the system call filter is not active"],
  [/^done$/m, "the test command did not finish"],
];
const MUST_NOT: readonly (readonly [RegExp, string])[] = [
  [/^canary$/m, "a file outside is visible"],
  [/^environ$/m, "the environment of the first process is visible"],
];

function judge(text: string, backend: Sandbox["backend"], policy: Policy): SandboxReason | null {
  const wrong = [...MUST.filter(([pattern]) => !pattern.test(text)), ...MUST_NOT.filter(([pattern]) => pattern.test(text))];
  if (wrong.length > 0) return broken(`${backend} ran, but does not hold: ${wrong.map(([, what]) => what).join(", ")}`);
  if (policy.write.length > 0 && !/^writable$/m.test(text)) return notWritable(policy.write[0]!);
  return null;
}

/** A file that no command may see. Readable by everyone, so that only the walls can hide it. */
function plantCanary(policy: Policy): { file: string; remove(): void } {
  const folder = createTemporary({ kind: "canary" });
  const file = join(folder.path, "canary");
  chmodSync(folder.path, 0o755);
  writeFileSync(file, "");
  const real = realDisk.real(file) ?? file;
  const listed = [...policy.read, ...policy.write].some((root) => isWithin(root, real));
  return { file: listed ? "/nowhere" : real, remove: () => folder.remove() };
}

async function secondTier(
  { policy, user, facts = machineFacts, perl = PERL }: ProbeOptions,
  arch: Arch,
  { kind, why }: SandboxReason,
  left: Left,
): Promise<LandlockOnly | null> {
  if (!WITHOUT_NAMESPACES.has(kind)) return null;
  const landlock = await findLandlock(perl, arch, left);
  if (!landlock) return null;
  const prlimit = findPrlimit();
  const candidate: LandlockOnly = {
    backend: "landlock",
    landlock,
    arch,
    prlimit,
    walls: landlockWalls(prlimit, policy.network, capital(why)),
  };
  return (await tryOut(candidate, policy, user, facts, left)) === null ? candidate : null;
}

async function findLandlock(perl: string, arch: Arch, left: Left): Promise<Landlock | null> {
  if (!existsSync(perl)) return null;
  const { text } = await output(perl, abiQuestion(arch), left());
  const abi = Number(text);
  return Number.isInteger(abi) && abi > 0 ? { perl, abi } : null;
}

function seatbelt(policy: Policy): Sandbox {
  if (!existsSync(SANDBOX_EXEC)) return nothing(`${SANDBOX_EXEC} does not exist on this Mac.`);
  return { backend: "seatbelt", walls: { backend: "seatbelt", layers: ["seatbelt"], network: policy.network } };
}

/** The walls as a launch would name them. */
function promised(sandbox: Bubblewrap, policy: Policy, user: OtherUser | undefined, shipped?: FindShipped): Walls {
  const { held: _held, ...bare } = policy;
  const line = launch(sandbox, bare, ["/bin/true"], { user, ...(sandbox.bwrap === null && shipped && { shipped }) });
  line.cleanup();
  return line.walls;
}

function nothing(why: string): Sandbox {
  return { backend: "none", walls: { backend: "none", layers: [], network: "open", reason: `Shell sandbox unavailable: ${why}` } };
}

/** Where a bwrap may lie: in no folder that commands may write. */
export const searchPath = (): string[] =>
  ["/usr/bin", "/usr/local/bin", ...splitPath(process.env.PATH ?? "").path.split(":")]
    .filter(isAbsolute)
    .map((folder) => `${folder}/bwrap`);

/** Never one that a command could have written. */
function findProgram(search: readonly string[], { write, cwd }: Policy): { path: string } | SandboxReason {
  let reason: SandboxReason = NOT_INSTALLED;
  for (const path of search) {
    const real = realDisk.real(path);
    if (real === null || !isExecutable(real)) continue;
    const open = (statSync(real).mode & 0o002) !== 0;
    if (!open && ![...write, cwd].some((root) => isWithin(root, real) || isWithin(root, path))) return { path };
    reason = notOurs(path);
  }
  return reason;
}

const output = (file: string, args: readonly string[], timeout: number): Promise<{ text: string; late: boolean }> =>
  new Promise((resolve) => {
    execFile(file, args, { timeout, killSignal: "SIGKILL", env: {}, cwd: "/", maxBuffer: 2 ** 20 }, (error, stdout, stderr) =>
      resolve({ text: `${stdout}${stderr}`, late: error?.killed === true }),
    );
  });

const lists = (help: string, option: string) => new RegExp(`^\\s+${option}(?:\\s|$)`, "m").test(help);
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
