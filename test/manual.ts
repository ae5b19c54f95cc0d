import type { OptionSpec } from "../src/front/cli/program/command-spec.ts";
import { COMMANDS, GLOBAL_OPTIONS } from "../src/front/cli/program/commands.ts";
import { EXAMPLES } from "../src/front/cli/program/help.ts";

/** man/zeph.1, made from the table of commands and the texts of the help. */
export const manualPage = (): string =>
  `${[
    '.\\" Made by npm run docs from src/front/cli/program. Do not edit it here.',
    '.TH ZEPH 1 "" "Zeph" "Zeph Manual"',
    ".SH NAME",
    "zeph \\- a tool runtime for LLM agents",
    ".SH SYNOPSIS",
    ".B zeph",
    "[options] [command]",
    ".SH DESCRIPTION",
    escaped(
      "Zeph runs the tools that a language model calls, behind rules, a sandbox and an audit log. Without a command it opens a chat, or the tool console where there is no model.",
    ),
    ".SH OPTIONS",
    ...[...GLOBAL_OPTIONS, VERSION, HELP].flatMap(optionRows),
    ".SH COMMANDS",
    ...Object.entries(COMMANDS).flatMap(([name, { usage, summary, options, ownOptions = [] }]) => [
      `.SS zeph ${name}`,
      escaped(`${summary[0]!.toUpperCase()}${summary.slice(1)}.`),
      ...literal(`zeph ${name} ${usage}`.trimEnd().replace(/^ {7}/gm, "")),
      ...[...options, ...ownOptions].flatMap(optionRows),
      ...literal(EXAMPLES[name]!),
    ]),
    ".SH EXAMPLES AND EXIT STATUS",
    ...literal(EXAMPLES.zeph!),
    ".SH SEE ALSO",
    escaped("The pages in docs/ of the package; docs/README.md leads to all of them."),
  ].join("\n")}\n`;

const VERSION: OptionSpec = ["-V, --version", "print the version"];
const HELP: OptionSpec = ["-h, --help", "show the help of zeph, or of a command"];

const optionRows = ([flags, help]: OptionSpec): string[] => [".TP", `.B ${escaped(flags)}`, escaped(help)];

const literal = (text: string): string[] => [".PP", ".nf", ...text.trim().split("\n").map(escaped), ".fi"];

/** What roff would read as its own: backslashes, hyphens that are no minus, and a dot or an apostrophe at the beginning. */
const escaped = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/, "\\&");
