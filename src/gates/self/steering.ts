import { posix } from "node:path";
import type { ToolCall } from "../../core/call.ts";
import { SWITCH_VARIABLES } from "../../core/clients/client-switches.ts";
import { holdsSteering, steeringIn, steersClient } from "../../core/protected.ts";
import type { PathTouch } from "../../core/touch.ts";
import { programName } from "../../shell/options.ts";
import type { SimpleCommand } from "../../shell/understanding.ts";
import { attempt } from "../../text/attempt.ts";
import { compileGlob } from "../../text/glob.ts";
import { isWithin } from "../../text/path.ts";
import { wordSet } from "../../text/words.ts";
import { changedFile } from "../blocklist.ts";
import { understood } from "../permissions/commands.ts";
import { perhapsPaths } from "../policy/possible-paths.ts";
import type { SelfObjection, SelfParts } from "./self.ts";

/** What they open and change is known from their words, so that a path they only read is no reason to refuse. */
const UNDERSTOOD = wordSet(
  "cat ls head tail grep egrep fgrep rg less more wc stat file diff cmp jq tree du readlink realpath sha256sum md5sum test [ [[ echo printf which type bat xxd od hexdump strings sort uniq cut find fd git sed awk cp mv rm rmdir mkdir touch tee chmod chown install rsync tar dd truncate curl wget pwd true false cd",
);
/** Names of what runs before a hook is asked. */
const ON_THE_WAY = wordSet("zeph zeph-hook zeph-exec node sh bash dash env socat nc");

/** What a call would change of the files and folders that decide whether its client is governed; null when nothing. */
export function steeringChange(call: ToolCall, parts: SelfParts): SelfObjection | null {
  const { facts } = parts;
  const commands = (understood(call) ?? []).flatMap((one) => one.commands);
  for (const touch of call.touches) {
    if (touch.kind !== "path" || touch.access === "read") continue;
    const places = placesOf(touch.path, parts);
    if (places.some((place) => isSteering(place, parts))) return objection(touch.path);
    if (places.some((place) => globReaches(place, touch.access, parts))) return objection(touch.path);
    if (touch.path.endsWith("/{}") && commands.some((command) => findReaches(command, touch.path, parts))) return objection(touch.path);
    // `cp x .claude/` makes a file in it; `mkdir .claude` does not.
    if (places.some(holdsSteering) && !commands.every(isMaking)) return objection(touch.path);
    if (places.some((place) => isOnTheWay(place, parts))) return objection(touch.path);
    if (places.some((place) => VARIABLES_FILE.test(posix.basename(place))) && setsSwitch(call)) return objection(touch.path);
  }
  // Most calls change nothing, and then nobody has to look what is there.
  const isChange = call.touches.some((touch) => touch.kind === "path" && touch.access !== "read");
  const there = (isChange ? [facts.home, facts.cwd] : []).flatMap((folder) => steeringIn(folder)).filter((file) => facts.exists(file));
  const found = changedFile(
    call,
    facts,
    [...there, ...parts.folders].flatMap((file) => realOf(file, parts)),
  );
  if (found) return objection(found.path);
  const named = commands.find((command) => namesSteering(command, parts)) ?? null;
  if (named) return objection(named.text);
  if (call.tool.effect === "unknown" && textsIn(call.input).some((text) => isPathLike(text) && isSteering(text, parts)))
    return objection(call.tool.name);
  return null;
}

const objection = (what: string): SelfObjection => ({
  kind: "deny",
  rule: "own hooks",
  why: `${JSON.stringify(what.slice(0, 200))} would reach what makes this agent ask Zeph before it acts. No setting and no answer allows that.`,
});

const isSteering = (place: string, { folders }: SelfParts): boolean =>
  steersClient(place) || folders.some((folder) => isWithin(folder, place));

/** As it is written, and where that leads: through links, and as the entry itself. */
function placesOf(path: string, { facts }: SelfParts): readonly string[] {
  return [path, ...[facts.canonical, facts.entry].flatMap((resolve) => attempt(() => [resolve(path)], []))];
}

/** A glob in a command reaches each file it may stand for: segment by segment, as far as both go. */
function globReaches(place: string, access: PathTouch["access"], { facts, folders }: SelfParts): boolean {
  if (!/[*?[]/.test(place) || !place.startsWith("/")) return false;
  const target = place.split("/");
  const files = [...steeringIn(facts.home), ...steeringIn(facts.cwd), ...folders].map((file) => file.split("/"));
  return files.some((file) => {
    // What is not there cannot be removed, and a folder that holds nothing of the kind may be.
    if ((access === "delete" || (target.length < file.length && !target.includes("**"))) && !facts.exists(file.join("/"))) return false;
    const end = target.indexOf("**");
    const compared = Math.min(target.length, file.length, end === -1 ? Number.POSITIVE_INFINITY : end);
    return file.slice(0, compared).every((name, n) => segmentMatches(target[n]!, name));
  });
}

/** Files in those folders that are known by name. */
const INNER = ["hooks.json", "config.toml", "settings.json", "zeph.js", "zeph.ts", "zeph.json"];

/** `find . -name settings.json -delete` reaches what has that name anywhere below. */
function findReaches({ argv }: SimpleCommand, found: string, parts: SelfParts): boolean {
  const { facts } = parts;
  const below = attempt(() => facts.canonical(posix.dirname(found)), found);
  if (steersClient(below) || holdsSteering(below)) return true;
  const there = [facts.home, facts.cwd]
    .flatMap((folder) => steeringIn(folder))
    .filter((file) => facts.exists(file) && isWithin(below, file));
  const globs = argv.flatMap((word, n) => (/^-i?name$/.test(argv[n - 1] ?? "") && word !== null ? [word] : []));
  if (globs.length === 0) return there.length > 0;
  const names = there.flatMap((file) => [posix.basename(file), ...INNER]);
  return globs.some((glob) => names.some((name) => attempt(() => compileGlob(glob, { flavour: "path", letters: "exact" })(name), true)));
}

/** A wildcard in front stands for no dot. */
const segmentMatches = (glob: string, name: string): boolean => {
  if (!/[*?[]/.test(glob)) return glob.toLowerCase() === name.toLowerCase();
  if (name.startsWith(".") && /^[*?[]/.test(glob)) return false;
  return attempt(() => compileGlob(glob, { flavour: "path", letters: "exact" })(name), true);
};

const realOf = (file: string, { facts }: SelfParts): readonly string[] => [...new Set([file, attempt(() => facts.canonical(file), file)])];

const isMaking = ({ argv: [name] }: SimpleCommand): boolean => typeof name === "string" && programName(name) === "mkdir";

/** A program of that name in a folder where programs are looked for would run in place of the right one. */
const isOnTheWay = (place: string, { path }: SelfParts): boolean =>
  ON_THE_WAY.has(posix.basename(place)) && path.includes(posix.dirname(place));

/** A program whose words do not tell what it does with a path, such as `ln`, an editor or an interpreter. */
function namesSteering(command: SimpleCommand, parts: SelfParts): boolean {
  const [name] = command.argv;
  if (typeof name !== "string" || UNDERSTOOD.has(programName(name))) return false;
  const paths = perhapsPaths([command], parts.facts.exists, command.text).flatMap(({ path }) => path ?? []);
  return paths.some((path) => placesOf(path, parts).some((place) => isSteering(place, parts) || holdsSteering(place)));
}

/** Files whose variables a shell or an agent takes over. */
const VARIABLES_FILE =
  /^(\.env|\.env\..+|\.envrc|\.bashrc|\.bash_profile|\.bash_login|\.bash_aliases|\.profile|\.zshrc|\.zshenv|\.zprofile|\.zlogin|\.kshrc|config\.fish|environment|\.pam_environment)$/;

/** Whether a variable that takes an agent's hooks away is written anywhere in a call: its name, and a sign that gives it a value. */
const setsSwitch = (call: ToolCall): boolean =>
  textsIn(call.input).some((text) =>
    [...text.matchAll(/([A-Z][A-Z_]+)\s*[= ]/g)].some(([, name]) => SWITCH_VARIABLES.has(name!) && !name!.startsWith("XDG_")),
  );

const MOST_TEXTS = 1000;
const LONGEST_PATH = 4096;

const isPathLike = (text: string): boolean => text.length <= LONGEST_PATH && !text.includes("\n");

/** Every text in the arguments of a tool that nobody knows. */
function textsIn(value: unknown): readonly string[] {
  const found: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0 && found.length < MOST_TEXTS) {
    const one = open.pop();
    if (typeof one === "string") found.push(one);
    else if (typeof one === "object" && one !== null) open.push(...Object.values(one));
  }
  return found;
}
