import type { Facts } from "../../core/ports/facts.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin, nameOf, parentOf } from "../../text/path.ts";
import { overlaps } from "../policy/overlap.ts";
import type { Trees } from "./trees.ts";

/** Private files that no word names: a wildcard stands for them, or they lie in a folder that is read as a whole. Paths are absolute. */
export interface PrivateUnnamed {
  /** Whether a path with wildcards in it may stand for a private file. */
  among(path: string): boolean;
  /** A private file below a folder, as far as looking for it tells; null when there is none. */
  below(folder: string, reads: Trees["reads"]): string | null;
}

export const isWild = (path: string): boolean => /[*?[]/.test(path);

const PLAIN = [
  ...".env .env.local .env.production .env.development .env.test .netrc .npmrc .pypirc .pgpass .git-credentials .htpasswd".split(" "),
  ..."_netrc id_rsa id_dsa id_ecdsa id_ed25519 credentials credentials.json secrets secrets.json secrets.yml secrets.yaml".split(" "),
  ..."secrets.toml secrets.txt token tokens.json passwords.txt password.txt private.key server.key server.pem key.pem".split(" "),
];
const KINDS = [".env.?*", "?*.env", ..."pem key p12 pfx jks keystore kdb kdbx gpg asc ovpn ppk".split(" ").map((kind) => `?*.${kind}`)];
const FOLDERS = ".ssh .aws .gnupg .azure .kube .docker .password-store .mozilla .thunderbird".split(" ");

/** `globs` are a person's own. */
export function createUnnamedFinder(globs: readonly string[], facts: Pick<Facts, "cwd" | "home" | "exists">): PrivateUnnamed {
  const { names, anywhere, rooted } = sorted(
    globs.map((glob) => glob.replace(/^~(?=\/)/, facts.home)),
    facts.cwd,
  );
  const inFolders = [...FOLDERS.map((name) => `/**/${name}/**`), ...rooted, ...anywhere.map((glob) => `/**/${glob}`)];
  // A folder is no file: something has to be in it.
  const files = inFolders.map((glob) => glob.replace(/\/\*\*$/, "/**/?*"));
  const isThere = (path: string): boolean => attempt(() => facts.exists(path), true);
  const standsFor = (shown: string, name: string): boolean => {
    if (!overlaps(`/${nameOf(shown)}`, `/${name}`)) return false;
    // Of a kind of files only an ending tells: `*` is for any files, `*.p*` is for some.
    if (isWild(name)) return nameOf(shown).lastIndexOf(".") > 0;
    // A pattern with the dot means hidden files. Others are looked for.
    return name.startsWith(".") || (!isWild(parentOf(shown)) && isThere(`${parentOf(shown)}/${name}`));
  };
  return {
    among(path) {
      // A set is one character, whichever.
      const shown = path.replace(/\[[^\]/]+\]/g, "?");
      return (
        files.some((glob) => overlaps(shown, glob) && (isWild(glob) || isThere(glob))) ||
        (isWild(nameOf(shown)) && names.some((name) => standsFor(shown, name)))
      );
    },
    below(folder, reads) {
      const inside = folder === "/" ? "" : folder;
      const plain = [...names.filter((name) => !isWild(name)), ...FOLDERS, ...anywhere.map(headOf)];
      const found = plain.find((name) => name !== "" && reads(nameOf(name)) && isThere(`${inside}/${name}`));
      if (found !== undefined) return `${inside}/${found}`;
      // Where only the beginning of a pattern lies below, it has to be there.
      const holds = (glob: string) => overlaps(`${inside}/**`, glob) && (!isWithin(folder, headOf(glob)) || isThere(headOf(glob)));
      return rooted.find(holds) ?? null;
    },
  };
}

/** Names that count everywhere, paths that do, and paths that begin somewhere. */
function sorted(globs: readonly string[], cwd: string) {
  const names = [...PLAIN, ...KINDS];
  const anywhere: string[] = [];
  const rooted: string[] = [];
  for (const glob of globs) {
    const rest = glob.replace(/^(\/?\*\*\/)+/, "");
    if (!rest.includes("/")) names.push(rest);
    else if (rest !== glob) anywhere.push(rest);
    else rooted.push(glob.startsWith("/") ? glob : `${cwd === "/" ? "" : cwd}/${glob}`);
  }
  return { names, anywhere, rooted };
}

/** The folders before the first wildcard. */
function headOf(glob: string): string {
  const parts = glob.split("/");
  const wild = parts.findIndex((part) => /[*?[{\\]/.test(part));
  return (wild === -1 ? parts : parts.slice(0, wild)).join("/");
}
