import { branchOf, type GitRepository } from "../../files/git-repository.ts";
import { readOwnFile } from "../../files/own-file.ts";
import { attempt } from "../../text/attempt.ts";
import { type GitConfigEntry, parseGitConfig } from "../../text/git-config.ts";
import { compileGlob, escapeGlob } from "../../text/glob.ts";
import { parentOf } from "../../text/path.ts";
import { realDisk } from "../sandbox/disk.ts";

export interface SettingFilesOptions {
  readonly home: string;
  /** That of the workspace, and its settings: conditions ask about them. */
  readonly repository: GitRepository | null;
  readonly local: readonly GitConfigEntry[];
  /** Whose settings they are, where that is not us: files that this user cannot read are not read. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

/** Files of the person's and the machine's settings of git, with those that they include. */
export interface SettingFiles {
  /** The settings of a file and of what it includes, in the order in which they count. */
  read(file: string): readonly GitConfigEntry[];
  /** Files that were read, or would be if they were there. */
  names(): readonly string[];
  /** One of them is no file of settings. */
  isBroken(): boolean;
}

const MOST_BYTES = 1024 * 1024;
const MOST_FILES = 64;
const DEEPEST = 10;

export function createSettingFiles(options: SettingFilesOptions): SettingFiles {
  const names = new Set<string>();
  let opened = 0;
  let isBroken = false;
  const read = (file: string, depth: number): readonly GitConfigEntry[] => {
    if (depth > DEEPEST || ++opened > MOST_FILES) return [];
    names.add(file);
    const text = readText(file, options);
    const entries = text === null ? [] : parseGitConfig(text);
    isBroken ||= entries === null;
    return (entries ?? []).flatMap((entry) => {
      const included = includedFile(entry, file, options);
      return included === null ? [entry] : read(included, depth + 1);
    });
  };
  return { read: (file) => read(file, 0), names: () => [...names], isBroken: () => isBroken };
}

function readText(file: string, { user }: SettingFilesOptions): string | null {
  const found = attempt(() => readOwnFile(file, { maxBytes: MOST_BYTES }), null);
  if (found === null) return null;
  const { uid, gid, mode } = found.stats;
  if (user && (mode & (uid === user.uid ? 0o400 : gid === user.gid ? 0o040 : 0o004)) === 0) return null;
  return found.bytes.toString("utf8");
}

/** Null where the setting includes nothing, or not here. */
function includedFile({ key, value }: GitConfigEntry, from: string, options: SettingFilesOptions): string | null {
  if (!/^include(?:if\..+)?\.path$/s.test(key)) return null;
  const condition = key === "include.path" ? null : key.slice("includeif.".length, -".path".length);
  if (condition !== null && !holds(condition, from, options)) return null;
  const path = value.replace(/^~(?=\/)/, options.home);
  return path.startsWith("/") ? path : `${parentOf(from)}/${path}`;
}

/** A condition that is not known here holds nowhere, as with git. */
function holds(condition: string, from: string, { home, repository, local }: SettingFilesOptions): boolean {
  const [, kind, pattern = ""] = /^(gitdir|gitdir\/i|onbranch|hasconfig:remote\.\*\.url):(.+)$/s.exec(condition) ?? [];
  if (kind === undefined || repository === null) return false;
  if (kind === "onbranch") return isLike(`${pattern}${pattern.endsWith("/") ? "**" : ""}`, branchOf(repository.head) ?? "", "exact");
  if (kind.startsWith("hasconfig"))
    return local.some(({ key, value }) => /^remote\..+\.url$/s.test(key) && isLike(pattern, value, "exact"));
  const written = /^~\//.test(pattern)
    ? `${escapeGlob(home)}${pattern.slice(1)}`
    : /^\.\//.test(pattern)
      ? `${escapeGlob(parentOf(from))}${pattern.slice(1)}`
      : pattern.startsWith("/")
        ? pattern
        : `**/${pattern}`;
  const folder = realDisk.real(repository.folder) ?? repository.folder;
  return isLike(`${written}${written.endsWith("/") ? "**" : ""}`, folder, kind === "gitdir" ? "exact" : "any case");
}

/** Git knows no braces. */
const isLike = (pattern: string, text: string, letters: "exact" | "any case"): boolean =>
  attempt(
    () =>
      compileGlob(
        pattern.replace(/(\\.)|[{}]/gs, (sign, escaped) => escaped ?? `\\${sign}`),
        { flavour: "path", letters },
      )(text),
    false,
  );
