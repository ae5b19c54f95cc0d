import { readOwnText } from "../../files/own-file.ts";
import { MAX_GIT_FILE } from "./git-folders.ts";

/** What `git init` and `git clone` write by themselves: nothing in it makes git run anything. */
const PLAIN =
  /^\s*(\[(core|user|remote "[^"]*"|branch "[^"]*")\]|(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|name|email|fetch|remote|merge)\s*=.*|url\s*=\s*(?!ext::).*)?$/i;

export function isPlainConfig(path: string): boolean {
  const text = readOwnText(path, { maxBytes: MAX_GIT_FILE, links: "refuse on the way" });
  return text !== null && text.length < 65_536 && text.split("\n").every((line) => PLAIN.test(line));
}
