import type { ToolCall } from "../../core/call.ts";
import type { Facts } from "../../core/ports/facts.ts";
import { joinFolder } from "../../shell/relative-path.ts";
import type { SimpleCommand } from "../../shell/understanding.ts";
import { commandOf, understood } from "../permissions/commands.ts";
import { type Sure, surely } from "./certain-paths.ts";
import { allTexts } from "./find-text.ts";
import { type Address, reachedBy } from "./network-programs.ts";
import { filePath, type Perhaps, perhapsPaths } from "./possible-paths.ts";

/** Paths and addresses that a call names, besides those it is known to touch. */
export interface NamedPlaces {
  /** It certainly touches these: a rule that allows must cover them. */
  readonly sure: readonly Sure[];
  /** It may touch these: a rule that forbids looks at them too. */
  readonly perhaps: readonly Perhaps[];
  readonly addresses: readonly Address[];
  /** It may touch files that are not among these. */
  readonly isOpen: boolean;
  /** It may reach addresses that are not among these. */
  readonly isOpenToAddresses: boolean;
}

export function namedInCommand(call: ToolCall, { exists }: Facts): NamedPlaces {
  const { touches } = call;
  const commands = (understood(call) ?? []).flatMap(({ commands }) => commands);
  const isDoubtful = touches.some((touch) => touch.kind === "unknown" || (touch.kind === "command" && touch.argv.includes(null)));
  const known = isDoubtful ? [] : commands.map(surely);
  const line = commandOf(call) ?? "";
  const reached = commands.map(reachedBy);
  return {
    sure: known.flatMap((paths) => paths ?? []),
    perhaps: perhapsPaths(commands, exists, line),
    addresses: reached.flatMap(({ addresses }) => addresses),
    isOpen: isDoubtful || known.includes(null) || mayStayBehind(commands, line, exists) || reached.some(({ isOpen }) => isOpen),
    isOpenToAddresses: isDoubtful || reached.some(({ isOpen }) => isOpen),
  };
}

/** A `cd` that fails leaves the rest of the line where it was, and what is relative there means something else. */
function mayStayBehind(commands: readonly SimpleCommand[], line: string, exists: Facts["exists"]): boolean {
  const moves = commands.filter(({ argv }) => argv[0] === "cd");
  if (moves.length === 0) return false;
  if (line.includes("PWD")) return true;
  if (line !== "" && !/[;\n&]|\|\|/.test(line.trim().replaceAll("&&", ""))) return false;
  const isFolder = ({ argv, cwd }: SimpleCommand) => {
    const to = argv.length === 2 && argv[1] ? joinFolder(cwd, argv[1]) : null;
    return to !== null && exists(`${to}/.`);
  };
  return !moves.every(isFolder) || commands.some(({ argv }) => /^(rm|rmdir|mv|ln|chmod)$/.test(argv[0] ?? ""));
}

/** Arguments of a tool that does not say what it touches. */
export function namedInArguments({ touches, input }: ToolCall): NamedPlaces {
  const isOpen = touches.some(({ kind }) => kind === "unknown");
  if (!isOpen) return { sure: [], perhaps: [], addresses: [], isOpen, isOpenToAddresses: isOpen };
  const texts = allTexts(input).flatMap((text) => (text.includes("\n") ? [text, ...text.split(/[\r\n]+/)] : [text]));
  const names = texts.filter((text) => text !== "" && text.length <= LONGEST && (LIKELY.test(text) || !/\s/.test(text)));
  const paths = names.flatMap((text) => {
    const file = filePath(text);
    return file !== null ? [file] : isAddress(text) ? [] : [text];
  });
  return {
    sure: [],
    perhaps: paths.map((path) => ({ path, reach: "inside" })),
    addresses: names.filter(isAddress).map((url) => ({ url, isBare: false })),
    isOpen,
    isOpenToAddresses: isOpen,
  };
}

const isAddress = (name: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(name);

const LONGEST = 4096;
const LIKELY = /^[~.]|\//;
