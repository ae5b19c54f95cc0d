import {
  has,
  optionValues,
  programName,
  readLeadingOptions,
  readOptions,
  type ShellWord,
  type ValuedOptions,
} from "../../shell/options.ts";
import { splitGit } from "../../shell/programs/git.ts";
import { underNames } from "../../shell/programs/under-names.ts";
import type { SimpleCommand } from "../../shell/understanding.ts";

export interface Reached {
  readonly addresses: readonly Address[];
  /** It may reach others too. */
  readonly isOpen: boolean;
}

export interface Address {
  /** Where no scheme was written, with the one that the program would take. */
  readonly url: string;
  readonly isBare: boolean;
}

const NOWHERE: Reached = { addresses: [], isOpen: false };

/** Where the programs that are made for the network go, written with a scheme or without. Others may go anywhere too, and are not seen through. */
export function reachedBy({ argv, assignments }: SimpleCommand): Reached {
  const [name, ...args] = argv;
  const program = name ? programName(name) : "";
  const read = PROGRAMS[program];
  if (!read) return NOWHERE;
  const { words, scheme, isOpen } = read(args);
  const proxies = assignments.filter(({ name }) => /_proxy$/i.test(name) && !/^no_/i.test(name)).map(({ value }) => value);
  const known = [...words, ...proxies].filter((word) => word !== null && word !== "") as string[];
  return {
    addresses: known.map((word) => ({ url: schemed(word, scheme), isBare: !SCHEME.test(word) })),
    isOpen: isOpen || words.includes(null) || proxies.includes(null),
  };
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** `git@host:path` is what ssh calls an address. */
function schemed(word: string, scheme: string): string {
  if (SCHEME.test(word)) return word;
  const [, host, path] = scheme === "ssh" ? (/^([^/]+?)::?(.*)$/s.exec(word) ?? []) : [];
  return host === undefined ? `${scheme}://${word}` : `ssh://${host}/${path!.replace(/^\/+/, "")}`;
}

interface Read {
  readonly words: readonly ShellWord[];
  readonly scheme: string;
  readonly isOpen: boolean;
}
type Reader = (args: readonly ShellWord[]) => Read;

const isRemote = (word: ShellWord) => word === null || /^[^/]+:/.test(word);

const PROGRAMS: Record<string, Reader> = {
  curl: web(
    "AbcCdDeEFHKmoPQrtTuUwxXyYz --url --proxy --preproxy --proxy-user --socks4 --socks4a --socks5 --socks5-hostname --doh-url --data --data-raw --data-binary --data-urlencode --json --form --header --output --output-dir --user --request --max-time --connect-timeout --retry --retry-delay --retry-max-time --cookie --cookie-jar --user-agent --referer --cacert --cert --key --range --limit-rate --write-out --upload-file --max-redirs --config --resolve --connect-to --interface --dns-servers --unix-socket --abstract-unix-socket --proto --proto-redir --proto-default --noproxy --netrc-file --oauth2-bearer",
    ["--url", "-x", "--proxy", "--preproxy", "--socks4", "--socks4a", "--socks5", "--socks5-hostname", "--doh-url"],
    ["-K", "--config", "--resolve", "--connect-to", "--unix-socket", "--abstract-unix-socket", "--dns-servers"],
  ),
  wget: web(
    "aAeBDgiIloOPQRtTUwX --output-document --directory-prefix --output-file --timeout --tries --user-agent --header --post-data --post-file --quota --wait --limit-rate --user --password --referer --level --accept --reject --input-file --execute --base --config",
    [],
    ["-i", "--input-file", "-e", "--execute", "-B", "--base", "--config"],
  ),
  ...underNames("aria2c lynx links w3m yt-dlp youtube-dl", web("oxdip", [], ["-i", "--input-file"])),
  ...underNames("http https", httpie),
  ssh: (args) => {
    const read = readLeadingOptions(args, "BbcDEeFIiJLlmOopPQRSWw");
    return host(
      "ssh",
      [...read.operands.slice(0, 1), ...optionValues(read, "-J").flatMap(hops)],
      has(read, "-W", "-L", "-R", "-D", "-F", "-o"),
    );
  },
  mosh: (args) => host("ssh", readLeadingOptions(args).operands.slice(0, 1), false),
  ...underNames("scp rsync", (args) => {
    const read = readOptions(args, "cDFiJloPSXefTBM --rsh --filter --exclude --include --port");
    return host("ssh", [...read.operands.filter(isRemote), ...optionValues(read, "-J").flatMap(hops)], has(read, "-F", "-o"));
  }),
  sftp: (args) => host("ssh", readOptions(args, "bBcDFiJloPRsSX").operands.slice(0, 1), args.includes("-F") || args.includes("-J")),
  ...underNames("nc ncat netcat", (args) => {
    const read = readOptions(args, "eGIiMmOPpqsTVWwXxb");
    return host("tcp", [...read.operands.slice(0, 1), ...optionValues(read, "-x")], has(read, "-l", "-e", "-c", "-U"));
  }),
  ...underNames("telnet ftp", (args) => host("tcp", readOptions(args, "bekln").operands.slice(0, 1), false)),
  ...underNames("ping ping6 traceroute dig host nslookup whois", (args) =>
    host("dns", readOptions(args, "cIiLlMmpQSsTtWwf").operands.filter(isName).map(unmarked), false),
  ),
  socat: () => host("tcp", [], true),
  git,
};

const host = (scheme: string, words: readonly ShellWord[], isOpen: boolean): Read => ({ scheme, words, isOpen });
const hops = (list: ShellWord): ShellWord[] => (list === null ? [null] : list.split(","));
const isName = (word: ShellWord) => word === null || !/^(\+.*|a|aaaa|any|cname|mx|ns|ptr|soa|srv|txt|in)$/i.test(word);
const unmarked = (word: ShellWord) => word?.replace(/^@/, "") ?? null;

function web(valued: ValuedOptions, more: readonly string[], open: readonly string[]): Reader {
  return (args) => {
    const read = readOptions(args, valued);
    return host("http", [...read.operands, ...optionValues(read, ...more)], has(read, ...open));
  };
}

function httpie(args: readonly ShellWord[]): Read {
  const read = readOptions(args, "aAop --auth --output --proxy --print --timeout");
  const words = read.operands.filter((word) => word === null || !/^[A-Z]+$/.test(word));
  const local = words[0]?.startsWith(":") ? [`localhost${words[0]}`] : words.slice(0, 1);
  return host("http", local, has(read, "--proxy", "--config"));
}

/** Where a remote that only has a name leads is written in the repository. */
function git(args: readonly ShellWord[]): Read {
  const { globals, verb, rest } = splitGit(args);
  const isTurned = optionValues(globals, "-c").some((pair) => pair === null || /^(url|http|https|remote)\./i.test(pair));
  const { operands } = readOptions(rest, "bcojuX --branch --config --origin --depth --reference --upload-pack");
  const leads = (word: ShellWord | undefined) => word === undefined || (word !== null && !isRemote(word) && !/^[./~]|\//.test(word));
  const to = (word: ShellWord | undefined) => host("ssh", word !== undefined && isRemote(word) ? [word] : [], isTurned || leads(word));
  if (verb === null) return host("ssh", [], true);
  if (/^(clone|fetch|pull|push|ls-remote)$/.test(verb ?? "")) return to(operands[0]);
  if (verb === "remote" && /^(add|set-url|update|show|prune)$/.test(operands[0] ?? ""))
    return to(/^(add|set-url)$/.test(operands[0]!) ? operands[2] : undefined);
  if (verb === "submodule" && /^(add|update)$/.test(operands[0] ?? "")) return to(operands[0] === "add" ? operands[1] : undefined);
  return host("ssh", [], verb === "archive" && rest.some((word) => /^--remote/.test(word ?? "")));
}
