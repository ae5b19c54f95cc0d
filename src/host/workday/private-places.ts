import { statEntry } from "../../files/stat.ts";
import { isWithin, nameOf } from "../../text/path.ts";
import { readFolder } from "../protected/folders.ts";

/** What is never opened to commands because of something else: neither these, nor what lies in them, nor a folder that holds one. */
export interface PrivatePlaces {
  /** The person's home, and that of the one who runs the commands; as they really lie. */
  readonly homes: readonly string[];
  /** Zeph's own files and the person's keys. */
  readonly own: readonly string[];
}

/** Why a folder or file is not opened to commands, in words that follow its name; null when nothing speaks against it. */
export function openingRefusal(path: string, places: PrivatePlaces): string | null {
  if (path.split("/").length < 3) return "is the system's";
  const why = placeRefusal(path, places);
  if (why !== null) return why;
  if (isSharedFolder(path, places.homes)) return "is shared by many programs";
  const secret = secretIn(path);
  return secret === null ? null : `holds ${secret}, which is named like a credential`;
}

/** The same by its place alone, whatever is in it. */
export function placeRefusal(path: string, { homes, own }: PrivatePlaces): string | null {
  if (path === "/" || RESERVED.some((root) => isWithin(root, path))) return "is the system's";
  const home = homes.find((one) => isWithin(path, one));
  if (home !== undefined) return path === home ? "is your home" : "holds your home";
  const isPrivate = (place: string) => isWithin(place, path) || isWithin(path, place);
  const isClosed = homes.some((one) => PRIVATE.some((name) => isPrivate(`${one}/${name}`)));
  if (isClosed || path.split("/").some((name) => ANYWHERE.has(name))) return "is or holds a private place";
  return own.some(isPrivate) ? "holds Zeph's own files" : null;
}

/** A folder below home that many programs keep things in: only what is named in it is opened, never the folder. */
export const isSharedFolder = (path: string, homes: readonly string[]): boolean =>
  path.split("/").length < 3 || homes.some((home) => isWithin(path, home) || SHARED.some((name) => path === `${home}/${name}`));

const RESERVED = ["/proc", "/dev", "/sys", "/run", "/var/run", "/etc", "/boot"];
const words = (text: string): string[] => text.trim().split(/\s+/);

const SHARED = words(`
  .local .local/share .local/state .local/lib .cargo go .config .cache .npm .gem .m2 .gradle .dotnet .rustup .var snap
  Desktop Documents Downloads Library src work code projects repos dev git workspace`);

const PRIVATE = words(`
  .ssh .gnupg .aws .azure .kube .docker .oci .pki .password-store .mozilla .thunderbird .electrum .bitcoin .terraform.d .subversion
  .config/gh .config/glab-cli .config/hub .config/gcloud .config/op .config/doctl .config/rclone .config/containers .config/github-copilot
  .config/google-chrome .config/chromium .config/BraveSoftware .config/microsoft-edge .config/Code .config/zeph .config/git/credentials
  .config/composer/auth.json .composer/auth.json .local/share/keyrings .local/share/kwalletd .local/share/zeph .local/state/zeph
  .netrc .npmrc .yarnrc.yml .pypirc .git-credentials .pgpass .my.cnf .vault-token .m2/settings.xml .m2/settings-security.xml
  .gradle/gradle.properties .cargo/credentials .cargo/credentials.toml .gem/credentials .bundle/config
  .bash_history .zsh_history .python_history .node_repl_history .psql_history .claude .codex .gemini
  Library/Keychains Library/Cookies`);

/** Private places in any home. */
const ANYWHERE: ReadonlySet<string> = new Set(words(".ssh .gnupg .aws .azure .kube .docker .password-store keyrings"));

/** Names under which people and programs keep secrets. */
const SECRET =
  /^(?:credentials?(?:[.-].*)?|\.netrc|\.npmrc|\.pypirc|\.git-credentials|\.pgpass|\.env(?:rc|\..*)?|id_[a-z0-9_]+|.*\.(?:pem|p12|pfx|jks|keystore|kdbx)|.*(?:secret|token|passw(?:or)?d)s?(?:\.(?:json|ya?ml|toml|txt|ini|conf))?|hosts\.ya?ml|auth\.json)$/i;
/** More names than this are no folder of programs. */
const MOST_NAMES = 20_000;

/** Whether a file is named as people and programs name what nobody else may read. */
export const isSecretName = (name: string): boolean => SECRET.test(name);

/** A name at the top of a folder, or of a file, that says what is in it. A program may be called anything. */
function secretIn(path: string): string | null {
  const folder = readFolder(path);
  if (folder === "shut") return "what cannot be looked at";
  if (folder === null) return SECRET.test(nameOf(path)) && !isProgram(path) ? nameOf(path) : null;
  if (folder.entries.length > MOST_NAMES) return "too much to look at";
  return folder.entries.find(({ name, kind }) => kind === "file" && SECRET.test(name) && !isProgram(`${path}/${name}`))?.name ?? null;
}

const isProgram = (path: string): boolean => {
  const stats = statEntry(path);
  return stats?.isFile() === true && (stats.mode & 0o111) !== 0;
};
