import { followLinks } from "../../files/follow-links.ts";
import { findRepository, type GitRepository, readGitConfig } from "../../files/git-repository.ts";
import { readOwnText } from "../../files/own-file.ts";
import { type GitConfigEntry, isSettingOn, lastSetting } from "../../text/git-config.ts";
import { nameOf } from "../../text/path.ts";
import { createSettingFiles } from "./git-setting-files.ts";
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
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

const MOST_IGNORED = 64 * 1024;
const LONGEST_VALUE = 1000;
const MOST_SETTINGS = 500;
const MACHINE = "/etc/gitconfig";

/** Read as git reads them, with what the person includes for the workspace. Git itself is not asked: in a folder that commands write it could run what they wrote. */
export function readGitSettings({ cwd, home, env, user }: GitSettingsSources): GitSettings {
  const config = env.XDG_CONFIG_HOME?.startsWith("/") ? env.XDG_CONFIG_HOME : `${home}/.config`;
  const personal = env.GIT_CONFIG_GLOBAL === undefined ? [`${config}/git/config`, `${home}/.gitconfig`] : [env.GIT_CONFIG_GLOBAL];
  const repository = findRepository(cwd);
  const local = repository === null ? [] : readRepositorySettings(repository);
  const files = createSettingFiles({ home, repository, local, user });
  const read = (names: readonly string[]) => names.flatMap((name) => files.read(name));
  let machine = read([MACHINE]);
  let person = read(personal);
  // Git, too, takes no setting at all where one of the files cannot be understood.
  if (files.isBroken()) [machine, person] = [[], []];
  const ignoreFile = (lastSetting([...machine, ...person], "core.excludesfile") ?? `${config}/git/ignore`).replace(/^~(?=\/)/, home);
  const ignore = ignoreFile.startsWith("/") ? readIgnored(ignoreFile, home, cwd) : null;
  return {
    machine: written(machine),
    person: `${written(person)}[commit]\n\tgpgSign = false\n[tag]\n\tgpgSign = false\n`,
    ignore,
    isSigning: isSettingOn(lastSetting([...machine, ...person, ...local], "commit.gpgsign")),
    isRepositorySigning: isSettingOn(lastSetting(local, "commit.gpgsign")),
    sources: [
      ...new Set([...files.names(), ignoreFile, ...(repository ? [`${repository.common}/config`, `${repository.folder}/HEAD`] : [])]),
    ],
  };
}

/** What the repository says of itself. What it includes counts for nothing here. */
function readRepositorySettings({ folder, common }: GitRepository): readonly GitConfigEntry[] {
  const shared = readGitConfig(`${common}/config`) ?? [];
  const hasOwn = isSettingOn(lastSetting(shared, "extensions.worktreeconfig"));
  return [...shared, ...(hasOwn ? (readGitConfig(`${folder}/config.worktree`) ?? []) : [])];
}

/** A copy of it is for commands to read, so it must be no secret, and no command may have chosen where it leads. */
function readIgnored(file: string, home: string, cwd: string): string | null {
  const found = followLinks(file, [cwd]);
  if (!found || found.isSteered || isSecretName(nameOf(found.path))) return null;
  const homes = [home, followLinks(home, [])?.path ?? home];
  if (placeRefusal(found.path, { homes, own: [] }) !== null) return null;
  return readOwnText(found.path, { maxBytes: MOST_IGNORED, links: "refuse on the way" });
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
const isKept = ({ key, value }: GitConfigEntry): boolean =>
  KEPT.test(key) &&
  !value.trimStart().startsWith("!") &&
  !/[\0\n\r]/.test(value) &&
  value.length <= LONGEST_VALUE &&
  !/:\/\/[^/\s]*@/.test(value);

const written = (settings: readonly GitConfigEntry[]): string =>
  settings
    .filter(isKept)
    .slice(0, MOST_SETTINGS)
    .map(({ key, value }) => {
      const [first, last] = [key.indexOf("."), key.lastIndexOf(".")];
      const section = first === last ? key.slice(0, first) : `${key.slice(0, first)} "${quoted(key.slice(first + 1, last))}"`;
      return `[${section}]\n\t${key.slice(last + 1)} = "${quoted(value)}"\n`;
    })
    .join("");

const quoted = (text: string): string => text.replace(/["\\]/g, "\\$&").replace(/\t/g, "\\t");
