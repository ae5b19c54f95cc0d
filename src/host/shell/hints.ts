import type { Walls } from "../../core/ports/walls.ts";
import { protectedPart } from "../../core/protected.ts";
import { OF_TMP, outsideWorkspace } from "../../core/told.ts";
import { isWithin } from "../../text/path.ts";
import { missingPaths, namedProgram } from "./hint-places.ts";

/** What is known about a failure besides what the command printed. Everything is looked at only when a message asks for it. */
export interface HintFacts {
  /** What the proxy refused to open for this command. */
  readonly refusals?: readonly { readonly host: string; readonly port: number; readonly why?: string }[];
  /** Where a program lies that the person could start and the command could not, and why; null when it is nowhere. */
  readonly programOutside?: (name: string) => { readonly path: string; readonly why: string | null } | null;
  /** Folders with the person's programs, read-only. */
  readonly toolchains?: readonly string[];
  /** Whether something of the machine listens there, where commands do not reach. */
  readonly listensOutside?: (port: number) => boolean;
  /** Whether a path lies where commands see nothing at all, be it there or not. */
  readonly isUnseen?: (path: string) => boolean;
  /** Whether a path lies in a folder that commands have as the machine has it. */
  readonly isShared?: (path: string) => boolean;
  /** The variables of the person. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
}

interface Scene {
  readonly text: string;
  readonly walls: Walls;
  readonly existsOutside: (path: string) => boolean;
  readonly facts: HintFacts;
}

/** A sign in what a program printed, and what it means where it comes from a wall; null where it does not. */
interface Sign {
  readonly sign: RegExp;
  hint(found: RegExpExecArray, scene: Scene): string | null;
}

const NETWORK = "the network is closed behind the walls (tools.sandbox.allow_domains opens names, tools.sandbox.allow_network all of it)";
const closed = (_found: RegExpExecArray, { walls }: Scene) => (walls.network === "closed" ? NETWORK : null);
const PROTECTED =
  ".git, .zeph and editor settings are protected from commands, and the folders above them cannot be renamed while one runs; change them yourself, or with a file tool, which asks";
const HOME_INSIDE = "/home/agent";

/** In the words of npm, yarn, pnpm, pip, cargo, go, git, curl, wget, node, python, java, maven, psql, make and the system. The first that speaks counts. */
const SIGNS: readonly Sign[] = [
  {
    // git, where a remote is a folder of the person's.
    sign: /'(\/[^'\n]{1,1000})' does not appear to be a git repository|repository '(\/[^'\n]{1,1000})' does not exist/i,
    hint: ([, remote, cloned], { existsOutside }) => {
      const path = remote ?? cloned!;
      return existsOutside(path)
        ? `${path} is a repository outside of the workspace, which commands do not see. A git fetch, pull, push or clone that names it is asked about; where nobody can be asked it stays closed (tools.sandbox.allow_read)`
        : null;
    },
  },
  {
    sign: /author identity unknown|please tell me who you are|unable to auto-detect email address/i,
    hint: () =>
      "commands get the name and mail of your own git settings, and there are none. Set them with `git config --global user.name` and `user.email`",
  },
  {
    sign: /could not read (?:username|password) for '([^'\n]{1,500})'|terminal prompts disabled/i,
    hint: () => "your credentials for git stay outside of the walls; a private repository cannot be reached from a command",
  },
  {
    sign: /unix:\/\/(\/[^\s'":]{1,300}\.sock)|dial unix (\/[^\s'":]{1,300}): connect|connect (?:ENOENT|EACCES) (\/[^\s'"]{1,300})/i,
    hint: ([, ...paths], { existsOutside }) => {
      const path = paths.find((one) => one !== undefined)!;
      return existsOutside(path)
        ? `the socket ${path} is not visible to commands: whoever can talk to it controls what is behind it`
        : null;
    },
  },
  {
    sign: /gh auth login|populate the GH_TOKEN/i,
    hint: (_found, { existsOutside, facts: { home } }) =>
      home !== undefined && existsOutside(`${home}/.config/gh`) ? "your login of gh stays outside of the walls; run gh yourself" : null,
  },
  {
    sign: /could not open a connection to your authentication agent|error connecting to agent|error fetching identities/i,
    hint: (_found, { facts }) => (facts.env?.SSH_AUTH_SOCK ? "your ssh agent and keys stay outside of the walls" : null),
  },
  {
    sign: /failed to connect to (?:the )?(?:system |session |user )?(?:scope )?bus|cannot autolaunch d-bus|not been booted with systemd/i,
    hint: (_found, { existsOutside }) =>
      existsOutside("/run/dbus/system_bus_socket") || existsOutside("/run/systemd/system")
        ? "the machine's services and its message bus are not visible to commands"
        : null,
  },
  {
    sign: /cannot open display|missing x server or \$display|unable to open (?:x )?display/i,
    hint: (_found, { facts }) =>
      facts.env?.DISPLAY || facts.env?.WAYLAND_DISPLAY ? "your screen is not visible to commands; run it without a window" : null,
  },
  {
    // The proxy said no.
    sign: /connect tunnel failed, response 403|received http code 403 from proxy|tunneling socket could not be established, statuscode=403|tunnel connection failed: 403|unable to tunnel through proxy\. proxy returns "?http\/1\.[01] 403|proxy tunneling failed: forbidden|proxy response \(403\)|proxyconnect tcp/i,
    hint: closed,
  },
  {
    // Nobody resolves names.
    sign: /could not resolve (?:host|proxy)|couldn't resolve host|unable to resolve host address|temporary failure in name resolution|name or service not known|no address associated with hostname|nodename nor servname|getaddrinfo (?:EAI_AGAIN|ENOTFOUND)|\bEAI_AGAIN\b|failed to lookup address information|could not translate host name|could not resolve hostname|dial tcp: lookup [^\s:]{1,255}|unknownhostexception|unknown host\b|there appears to be trouble with your network connection/i,
    hint: closed,
  },
  { sign: /network is unreachable|\bENETUNREACH\b/i, hint: closed },
  {
    // Something of this machine listens there, and not in the network of the commands.
    sign: /(?:ECONNREFUSED|connection refused|failed to connect|could not connect|couldn't connect)/i,
    hint: (found, { text, walls, facts: { listensOutside } }) => {
      if (walls.network !== "closed" || !listensOutside) return null;
      const line = text.slice(Math.max(0, text.lastIndexOf("\n", found.index) + 1), found.index + 300);
      const ports = [...line.matchAll(/(?:localhost|127\.0\.0\.1|\[?::1\]?)"?(?:\s*\([^)\n]{1,60}\))?(?::|,? port )(\d{1,5})/gi)].map(
        ([, port]) => Number(port),
      );
      const port = ports.find((one) => one > 0 && one < 65_536 && listensOutside(one));
      return port === undefined
        ? null
        : `port ${port} of this machine is not the port ${port} of commands, which have a network of their own. Start what they need with background: true (tools.sandbox.allow_network shares the machine's)`;
    },
  },
  {
    sign: /\bEADDRINUSE\b|address already in use|port \d{1,5} is (?:already )?(?:in use|allocated|occupied)/i,
    hint: (_found, { walls }) =>
      walls.network === "closed"
        ? "the commands of a session share one network, and an earlier one may still hold the port. The tool background lists and ends them"
        : null,
  },
  {
    sign: /read-only file system|\bEROFS\b/i,
    hint: (found, { text, facts: { toolchains = [] } }) => {
      const line = text
        .slice(Math.max(0, text.lastIndexOf("\n", found.index)), found.index + 1000)
        .split("\n")
        .slice(0, 3)
        .join("\n");
      const folder = toolchains.find((one) => line.includes(`${one}/`) || line.includes(`'${one}'`));
      if (folder === undefined && line.split(/[\s'"`:,()]+/).some((word) => protectedPart(word) === "frozen")) return PROTECTED;
      return folder === undefined
        ? "the path may be read-only behind the walls (tools.sandbox.allow_write)"
        : `${folder} holds your own programs, which commands may run and not change. What installs there (npm i -g, cargo install, pip install outside of a .venv) is for you to run`;
    },
  },
  {
    sign: /\bfork: (?:retry: )?resource temporarily unavailable|can't start new thread|cannot fork|spawn [^\n]{1,300} EAGAIN|pthread_create failed/i,
    hint: () => "the walls limit how many processes a command may have",
  },
  { sign: /file size limit exceeded/i, hint: () => "the walls limit how long a file may become" },
  {
    sign: /(?:no space left on device|\bENOSPC\b|disk quota exceeded)/i,
    hint: (found, { text, facts: { isShared } }) =>
      [...text.slice(Math.max(0, found.index - 500), found.index + 500).matchAll(/\/(?:tmp|home\/agent)\/[^\s'"’:]*/g)].some(
        ([path]) => !isShared?.(path),
      )
        ? "/tmp and the home of commands are small and live in memory. Write large files in the workspace"
        : null,
  },
  {
    sign: /operation not permitted|\bEPERM\b/i,
    hint: (found, { text }) => {
      const line = text.slice(text.lastIndexOf("\n", found.index) + 1, found.index);
      // Whoever is no superuser may not do these anywhere.
      return /\b(?:chown|chgrp|lchown|kill|killall|pkill|renice|nice|ownership|group of|permissions of|timestamps|preserving)\b/i.test(line)
        ? null
        : "the walls forbid this system call";
    },
  },
  {
    sign: /permission denied/i,
    hint: (_found, { walls }) =>
      walls.backend === "landlock"
        ? "Landlock lets commands reach only what is listed (tools.sandbox.allow_read, tools.sandbox.allow_write)"
        : null,
  },
  { sign: /device or resource busy|cross-device link/i, hint: () => PROTECTED },
];

/** Which wall a command failed at, if one did: what is known first, then guesses, which say so. Only for commands behind walls that failed. */
export function wallHint(
  printed: string,
  exitCode: number,
  walls: Walls,
  existsOutside: (path: string) => boolean,
  facts: HintFacts = {},
): string | undefined {
  if (walls.backend === "none") return undefined;
  const text = printed.slice(-MOST_READ);
  const refused = facts.refusals ?? [];
  // A pipe may hide that a command failed; what it printed of the name does not.
  const told = exitCode === 0 ? refused.filter(({ host }) => text.includes(host)) : refused;
  if (told.length > 0) return refusedText(told);
  if (exitCode === 0) return undefined;
  const scene = { text, walls, existsOutside, facts };
  for (const { sign, hint } of SIGNS) {
    const found = sign.exec(text);
    const says = found && hint(found, scene);
    if (says) return `Perhaps a wall: ${says}.`;
  }
  return missingProgram(scene) ?? missingFile(scene);
}

const MOST_READ = 64 * 1024;
const MOST_NAMED = 5;

function refusedText(refusals: NonNullable<HintFacts["refusals"]>): string {
  const names = [...new Set(refusals.map(({ host, port }) => (port === 443 || port === 80 ? host : `${host}:${port}`)))];
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : "";
  const why = refusals.find(({ why }) => why)?.why;
  return `A wall: the network is closed to ${names.slice(0, MOST_NAMED).join(", ")}${more} behind the walls${why ? ` (${why})` : ""}. tools.sandbox.allow_domains opens a name; in a chat you are asked.`;
}

function missingProgram({ text, facts: { programOutside } }: Scene): string | undefined {
  const name = namedProgram(text);
  const found = name === null ? null : (programOutside?.(name) ?? null);
  if (!found) return undefined;
  const why = found.why === null ? "commands do not see it" : `it ${found.why.replace(/^it /, "")}`;
  return `Perhaps a wall: ${name} is installed as ${found.path}, and ${why}. tools.sandbox.toolchains opens a folder of programs.`;
}

/** By where it would lie, and never by whether it is there: whether a hidden file exists is not told. */
function missingFile({ text, walls, facts: { isUnseen, isShared } }: Scene): string | undefined {
  for (const path of missingPaths(text)) {
    // A workspace may lie in /tmp.
    if (isShared?.(path)) continue;
    if (isUnseen?.(path)) return `Perhaps a wall: ${outsideWorkspace(path, "commands", "tools.sandbox.allow_read")}`;
    if (walls.backend !== "bubblewrap") continue;
    if (isWithin(HOME_INSIDE, path))
      return "Perhaps a wall: commands have a home of their own, without your files (tools.sandbox.allow_read).";
    if (isWithin("/tmp", path)) return `Perhaps a wall: ${OF_TMP}`;
  }
  return undefined;
}
