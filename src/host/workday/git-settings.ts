import { followLinks } from "../../files/follow-links.ts";
import { readOwnText } from "../../files/own-file.ts";
import { runProgramNow } from "../../files/programs.ts";
import { attempt } from "../../text/attempt.ts";
import { nameOf } from "../../text/path.ts";
import { isSecretName, placeRefusal } from "./private-places.ts";

/** The person's git settings as commands get them: who they are and how they like things, and nothing that runs a program or holds a secret. */
export interface GitSettings {
  /** The texts of two files of settings. */
  readonly person: string;
  readonly machine: string;
  /** What the person ignores everywhere; null when that is nothing. */
  readonly ignore: string | null;
  /** They sign their commits. Behind the walls there is no key. */
  readonly isSigning: boolean;
  /** The repository itself asks for signatures, which its own settings say and ours cannot outweigh. */
  readonly isRepositorySigning: boolean;
  /** Files that were read, or would be if they were there. */
  readonly sources: readonly string[];
}

export interface GitSettingsSources {
  /** The program. */
  readonly git: string;
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

const TIMEOUT_MS = 2000;
const MOST_BYTES = 1024 * 1024;
const MOST_IGNORED = 64 * 1024;
const LONGEST_VALUE = 1000;
const MOST_SETTINGS = 500;

/** Asked of git itself, in the workspace, so that what the person includes for it counts. */
export function readGitSettings({ git, cwd, home, env, user }: GitSettingsSources): GitSettings {
  const config = env.XDG_CONFIG_HOME?.startsWith("/") ? env.XDG_CONFIG_HOME : `${home}/.config`;
  const global = env.GIT_CONFIG_GLOBAL;
  const ask = (args: readonly string[]): string =>
    runProgramNow(git, ["config", "--includes", "--null", "--list", ...args], {
      cwd,
      timeout: TIMEOUT_MS,
      maxBuffer: MOST_BYTES,
      stdio: ["ignore", "pipe", "ignore"],
      env: { HOME: home, PATH: "/usr/bin:/bin", XDG_CONFIG_HOME: config, ...(global !== undefined && { GIT_CONFIG_GLOBAL: global }) },
      ...(user && { uid: user.uid, gid: user.gid }),
    });
  const said = attempt(() => ask(["--show-scope", "--show-origin"]), "");
  const entries = parseSettings(said).slice(0, MOST_SETTINGS * 4);
  const kept = (scope: string) => entries.filter((entry) => entry.scope === scope && isKept(entry)).slice(0, MOST_SETTINGS);
  const last = (key: string, scopes: readonly string[]) =>
    entries.filter((entry) => entry.key === key && scopes.includes(entry.scope)).at(-1)?.value;
  const ignoreFile = (last("core.excludesfile", ["system", "global"]) ?? `${config}/git/ignore`).replace(/^~(?=\/)/, home);
  const ignore = ignoreFile.startsWith("/") ? readIgnored(ignoreFile, home, cwd) : null;
  const origins = entries.flatMap(({ origin, scope }) => (scope === "local" || !origin.startsWith("file:/") ? [] : [origin.slice(5)]));
  return {
    machine: written(kept("system")),
    person: `${written(kept("global"))}[commit]\n\tgpgSign = false\n[tag]\n\tgpgSign = false\n`,
    ignore,
    isSigning: isTrue(last("commit.gpgsign", ["system", "global", "local", "worktree"])),
    isRepositorySigning: isTrue(last("commit.gpgsign", ["local", "worktree"])),
    sources: [...new Set([global ?? `${home}/.gitconfig`, `${config}/git/config`, "/etc/gitconfig", ignoreFile, ...origins])],
  };
}

/** A copy of it is for commands to read, so it must be no secret, and no command may have chosen where it leads. */
function readIgnored(file: string, home: string, cwd: string): string | null {
  const found = followLinks(file, [cwd]);
  if (!found || found.isSteered || isSecretName(nameOf(found.path))) return null;
  const homes = [home, followLinks(home, [])?.path ?? home];
  if (placeRefusal(found.path, { homes, own: [] }) !== null) return null;
  return readOwnText(found.path, { maxBytes: MOST_IGNORED, links: "refuse on the way" });
}

interface GitSetting {
  readonly scope: string;
  readonly origin: string;
  readonly key: string;
  readonly value: string;
}

/** Three texts for each setting, each ended by a zero: its scope, where it stands, and its name with its value on the lines after it. */
function parseSettings(said: string): GitSetting[] {
  const parts = said.split("\0");
  const found: GitSetting[] = [];
  for (let n = 0; n + 2 < parts.length; n += 3) {
    const [scope, origin, setting] = parts.slice(n, n + 3) as [string, string, string];
    const end = setting.indexOf("\n");
    // A name alone is a switch that is on.
    found.push({ scope, origin, key: end < 0 ? setting : setting.slice(0, end), value: end < 0 ? "true" : setting.slice(end + 1) });
  }
  return found;
}

const KEPT = new RegExp(
  `^(?:${[
    "(?:user|author|committer)\\.(?:name|email)|user\\.useconfigonly|init\\.defaultbranch|safe\\.directory",
    "core\\.(?:autocrlf|safecrlf|eol|quotepath|whitespace|abbrev|filemode|precomposeunicode)",
    "pull\\.(?:rebase|ff)|push\\.(?:default|autosetupremote|followtags|recursesubmodules)",
    "rebase\\.(?:autostash|autosquash|updaterefs|stat|missingcommitscheck|abbreviatecommands)",
    "merge\\.(?:conflictstyle|ff|stat|log|renames|autostash)|fetch\\.(?:prune|prunetags|all)",
    "diff\\.(?:algorithm|renames|colormoved|colormovedws|context|mnemonicprefix|noprefix|submodule|indentheuristic)",
    "rerere\\.(?:enabled|autoupdate)|commit\\.(?:verbose|cleanup|status)|status\\.(?:short|branch|showuntrackedfiles|submodulesummary)",
    "(?:tag|branch)\\.sort|branch\\.(?:autosetuprebase|autosetupmerge)|log\\.(?:date|follow|decorate|abbrevcommit)",
    "(?:color|column)\\.ui|color\\..+|format\\.pretty|pretty\\..+|help\\.autocorrect|submodule\\.recurse|apply\\.whitespace|advice\\..+|alias\\..+",
  ].join("|")})$`,
  "i",
);

/** An alias that begins with `!` is a program. */
const isKept = ({ key, value }: GitSetting): boolean =>
  KEPT.test(key) &&
  !value.trimStart().startsWith("!") &&
  !/[\0\n\r]/.test(value) &&
  value.length <= LONGEST_VALUE &&
  !/:\/\/[^/\s]*@/.test(value);

const written = (settings: readonly GitSetting[]): string =>
  settings
    .map(({ key, value }) => {
      const [first, last] = [key.indexOf("."), key.lastIndexOf(".")];
      const section = first === last ? key.slice(0, first) : `${key.slice(0, first)} "${quoted(key.slice(first + 1, last))}"`;
      return `[${section}]\n\t${key.slice(last + 1)} = "${quoted(value)}"\n`;
    })
    .join("");

const quoted = (text: string): string => text.replace(/["\\]/g, "\\$&").replace(/\t/g, "\\t");

const isTrue = (value: string | undefined): boolean => value !== undefined && /^(?:true|yes|on|[1-9]\d*)$/i.test(value);
