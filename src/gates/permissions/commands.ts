import { posix } from "node:path";
import type { ToolCall } from "../../core/call.ts";
import type { Facts } from "../../core/ports/facts.ts";
import { has, programName, readOptions, type ShellWord } from "../../shell/options.ts";
import { find } from "../../shell/programs/find.ts";
import { joinFolder, nowhere } from "../../shell/relative-path.ts";
import { understand } from "../../shell/understand.ts";
import type { CommandPlace, SimpleCommand, Understanding } from "../../shell/understanding.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin } from "../../text/path.ts";
import { quoteShellAlways } from "../../text/quote-shell.ts";
import { bounded } from "../../text/visible.ts";
import { commandPattern } from "./commands-pattern.ts";

/** What the configuration adds to the rules that always hold. */
export interface ShellRules {
  /** tools.shell.blocked_commands */
  readonly blocked: readonly string[];
  /** Whether programs that connect may run: tools.sandbox.allow_network, or walls that decide what they reach. */
  readonly allowNetwork: boolean;
  /** Whether `$(…)`, `eval` and their like are refused outright or looked into. */
  readonly constructs: "block" | "look";
}

export interface BlockedCommand {
  readonly rule: string;
  readonly why: string;
}

/** The rules that hold for every command, whatever the caller. */
export function commandRules(
  facts: Facts,
  { blocked, allowNetwork, constructs }: ShellRules,
): (understanding: Understanding) => BlockedCommand | null {
  const own = blocked.map(
    (pattern): Rule => ({
      name: `blocked_commands: ${pattern}`,
      says: "tools.shell.blocked_commands forbids it.",
      hits: commandPattern(pattern),
    }),
  );
  const rules = [...RULES, ...(allowNetwork ? [] : NETWORK), ...own];
  return (understanding) => {
    const { commands, bombs, constructs: found, touches } = understanding;
    for (const command of commands) {
      const rule = command.argv.length > 0 && rules.find(({ hits }) => hits(command, facts));
      if (rule) return { rule: rule.name, why: `${shorten(command.text)}${at(command.where)} is never run: ${rule.says}` };
    }
    for (const touch of touches) {
      const hit =
        touch.kind === "path" && touch.access !== "read"
          ? device(touch.path)
          : touch.kind === "url" && !allowNetwork
            ? socket(touch.url)
            : null;
      if (hit) return hit;
    }
    if (bombs[0])
      return { rule: "fork bomb", why: `The command starts itself again and again${at(bombs[0])}, until the machine stands still.` };
    if (constructs === "block" && found[0])
      return {
        rule: `construct ${found[0].kind}`,
        why: `${NAMES[found[0].kind]}${at(found[0].where)} is not allowed here (tools.shell.constructs). Run the inner command on its own first and use what it printed.`,
      };
    return null;
  };
}

/** What the commands of a call mean; null for a tool that runs none. */
export function understood(call: ToolCall): readonly Understanding[] | null {
  const whole = commandOf(call);
  if (whole !== null) return [understandFrom(whole, call.cwd)];
  const texts = call.touches.flatMap((touch) => (touch.kind === "command" ? [touch.text] : []));
  return texts.length > 0 ? texts.map(understand) : null;
}

/** What a command means where the turn's shell stands: as if it had been taken there first. */
export function understandFrom(command: string, cwd: string | null): Understanding {
  if (cwd === null) return understand(command);
  const walked = understand(`cd ${quoteShellAlways(cwd)}\n${command}`);
  const [first, ...commands] = walked.commands;
  if (first?.argv[0] !== "cd") return walked;
  const own = walked.touches.findIndex((touch) => touch.kind === "command" && touch.argv[0] === "cd");
  return { ...walked, commands, touches: walked.touches.filter((_, n) => n !== own) };
}

/** The whole text of a tool that hands its argument to a shell. */
export const commandOf = (call: ToolCall): string | null => call.tool.command?.(call.input) ?? null;

interface Rule {
  readonly name: string;
  readonly says: string;
  readonly hits: (command: SimpleCommand, facts: Facts) => boolean;
}

const named =
  (pattern: RegExp) =>
  ({ argv }: SimpleCommand): boolean =>
    typeof argv[0] === "string" && pattern.test(programName(argv[0]));

const withArguments =
  (pattern: RegExp, first: RegExp) =>
  (command: SimpleCommand): boolean =>
    named(pattern)(command) && readOptions(command.argv.slice(1)).operands.some((word) => word !== null && first.test(word));

const RULES: readonly Rule[] = [
  {
    name: "rm of everything",
    says: "it deletes the whole system or a home folder. Name the files or folders that should go.",
    hits: deletesAll,
  },
  {
    name: "other user",
    says: "commands run with the rights you have. If a step needs more, ask the person to do it.",
    hits: named(/^(sudo|sudoedit|sudo-rs|doas|su|pkexec|run0|runuser)$/),
  },
  {
    name: "file system",
    says: "it destroys what is on a disk.",
    hits: named(/^(mkfs.*|mke2fs|mkswap|newfs.*|[cs]?fdisk|[cs]?gdisk|parted|wipefs|blkdiscard)$/),
  },
  {
    name: "dd to a device",
    says: "it overwrites a disk. dd to an ordinary file is fine.",
    hits: ({ argv, cwd }) =>
      named(/^dd$/)({ argv } as SimpleCommand) && argv.some((word) => word?.startsWith("of=") && isDevice(joinFolder(cwd, word.slice(3)))),
  },
  { name: "power", says: "it stops the machine.", hits: named(/^(shutdown|reboot|halt|poweroff)$/) },
  { name: "power", says: "it stops the machine.", hits: withArguments(/^(init|telinit)$/, /^[06]$/) },
  {
    name: "power",
    says: "it stops the machine.",
    hits: withArguments(
      /^(systemctl|loginctl)$/,
      /^(poweroff|reboot|halt|kexec|suspend|hibernate|hybrid-sleep|emergency|rescue|soft-reboot)$/,
    ),
  },
];

const NETWORK: readonly Rule[] = [
  {
    name: "network",
    says: "the network is closed to commands, and no walls stand here that could decide what it reaches (tools.sandbox.allow_network; zeph doctor says how to get walls). Use the fetch tool for a page.",
    hits: named(/^(curl|wget|nc|ncat|netcat|nc\.\w+)$/),
  },
];

const NAMES: Record<string, string> = {
  "$()": "A substitution $(…)",
  "``": "A substitution in backticks",
  "<()": "A process substitution <(…)",
  ">()": "A process substitution >(…)",
  "<<<": "A here-string <<<",
  eval: "eval",
  source: "source",
  ".": "The dot command",
};

function device(path: string): BlockedCommand | null {
  if (!isDevice(path)) return null;
  return { rule: "raw device", why: `Writing to ${path} bypasses the file system and destroys what is there. Write to an ordinary file.` };
}

const isDevice = (path: ShellWord): boolean => {
  if (path === null || !path.startsWith("/")) return false;
  const real = posix.normalize(path);
  return (
    real === "/proc/sysrq-trigger" ||
    (/^\/dev\/./.test(real) && !nowhere(real) && !/^\/dev\/(shm|mqueue)\//.test(real) && real !== "/dev/ptmx")
  );
};

const socket = (url: string): BlockedCommand | null =>
  /^(tcp|udp):/.test(url)
    ? {
        rule: "network",
        why: `${url} is a connection through bash. The network is closed to commands, and no walls stand here that could decide what it reaches (tools.sandbox.allow_network).`,
      }
    : null;

/** Recursive and forced, of the root, of a home folder or of what holds it, in any spelling; `find / -delete` does the same. */
function deletesAll({ argv, cwd }: SimpleCommand, facts: Facts): boolean {
  const all = (word: ShellWord) => word !== null && places(word, cwd, facts).some((place) => isAll(place, facts.home));
  if (named(/^g?find$/)({ argv } as SimpleCommand))
    return find(argv.slice(1)).some((one) => one.kind === "path" && one.access === "delete" && all(one.path));
  if (!named(/^rm$/)({ argv } as SimpleCommand)) return false;
  const read = readOptions(argv.slice(1));
  if (!has(read, "-r", "-R", "--recursive") || !has(read, "-f", "--force")) return false;
  return read.operands.some(all);
}

const SYSTEM = /^\/(bin|boot|dev|etc|home|lib\d*|opt|proc|root|run|sbin|srv|sys|usr|var|Users|System|Library|usr\/(bin|lib|sbin|share))$/;

function isAll(place: string, home: string): boolean {
  const segments = place.split("/").slice(1);
  const glob = segments.findIndex((segment) => /[*?[]/.test(segment));
  if (glob === -1) return isWithin(place, home) || SYSTEM.test(place);
  const base = `/${segments.slice(0, glob).join("/")}`;
  if (glob < segments.length - 1 && !segments.slice(glob + 1).every(isBroad)) return false;
  return isBroad(segments[glob]!) && (isWithin(base, home) || SYSTEM.test(base));
}

/** Made of wildcards alone: `*`, `.*`, `[a-z]*`, `??*`. */
const isBroad = (segment: string) => /^(\*|\?|\.|\[[^\]]*\]|[@!+*?]\([^)]*\))+$/.test(segment) && /[*?[]/.test(segment);

/** The path as written and as it really is, both absolute. `~someone` is somebody's home. */
function places(word: string, cwd: string | null, facts: Facts): string[] {
  const path = joinFolder(cwd, word);
  if (path === null) return [];
  const absolute = posix.resolve(facts.cwd, path.replace(/^~(?=\/|$)/, facts.home).replace(/^~[\w.-]+(?=\/|$)/, facts.home));
  const real = attempt(() => (/\/\.?$/.test(word) ? facts.canonical(absolute) : facts.entry(absolute)), absolute);
  return [absolute, real];
}

const at = ({ inside }: CommandPlace): string => (inside ? ` (${inside})` : "");
const shorten = (text: string): string => JSON.stringify(bounded(text, 120));
