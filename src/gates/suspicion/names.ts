import type { ToolCall } from "../../core/call.ts";
import { writeSchema } from "../../core/schema/schema-json.ts";
import type { AnyTool } from "../../core/tool.ts";
import { attempt } from "../../text/attempt.ts";
import { record } from "../../text/json.ts";
import { nameOf } from "../../text/path.ts";
import type { PathFacts } from "./paths.ts";
import type { Words } from "./words.ts";

const MOST_VALUES = 100;
/** Longer texts are written, not named. */
const LONGEST = 300;

/** One short text or number of the arguments, and what it is called. */
export interface NamedArgument {
  readonly key: string;
  readonly value: string | number;
}

/** Arguments that name something. What is searched for may well not be there, and what is written is new: neither claims anything. */
export function namingArguments({ input }: ToolCall): NamedArgument[] {
  const found: NamedArgument[] = [];
  const open: { readonly key: string; readonly value: unknown }[] = [{ key: "", value: input }];
  for (let seen = 0; open.length > 0 && seen < MOST_VALUES; seen++) {
    const { key, value } = open.shift()!;
    if (typeof value === "number" || (typeof value === "string" && value.length <= LONGEST && !value.includes("\n"))) {
      if (!FREE.test(key)) found.push({ key, value });
    } else if (Array.isArray(value)) open.push(...value.slice(0, MOST_VALUES).map((one: unknown) => ({ key, value: one })));
    else if (typeof value === "object" && value !== null)
      open.push(
        ...Object.entries(value)
          .slice(0, MOST_VALUES)
          .map(([name, one]) => ({ key: name, value: one as unknown })),
      );
  }
  return found;
}

const FREE =
  /content|text|body|string|message|descr|prompt|query|pattern|regex|glob|search|select|title|code|script|command|task|goal|note|reason|comment|summary|instruction|question|answer|subject|label|value|focus|step|plan|when/i;

/**
 * Names in a call that nobody has spoken of: identifiers, ids, mailboxes. They are looked for where a call claims that something is there:
 * in arguments that name things, among the words of a command, and in the text an edit is to replace. Few, so that a warning means something.
 */
export function unheardNames(call: ToolCall, words: Words, { exists }: Pick<PathFacts, "exists">): string[] {
  const own = schemaWords(call.tool);
  const isKnown = (name: string) => words.holds(name) || own.has(name.toLowerCase());
  const names = [
    ...commandNames(call).filter((name) => !exists(name)),
    ...replacedNames(call),
    ...namingArguments(call).flatMap(({ key, value }) =>
      typeof value === "number" ? (ID_KEY.test(key) && isId(String(value)) ? [String(value)] : []) : named(value),
    ),
  ];
  return [...new Set(names)].filter((name) => !isKnown(name));
}

const ID_KEY = /(?:^|_)(?:id|ids|number|issue|ticket|pr|pid|order|account)$|[a-z](?:Id|Ids|Number)$/;

/** A path is judged as a path, an address as an address. */
function named(value: string): string[] {
  if (/[/\\]|:\/\//.test(value)) return [];
  return (value.match(/[\w.+-]*@[\w-]+(?:\.[\w-]+)+|[\w-]+/g) ?? []).filter(
    (word) => isIdentifier(word) || isId(word) || word.includes("@"),
  );
}

/** Words joined as only programs join them: `UserService`, `user_service`. */
const isIdentifier = (word: string): boolean =>
  word.length >= 6 && (/^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/i.test(word) || /^[A-Za-z][a-z0-9]+(?:[A-Z][a-z0-9]+)+$/.test(word));

/** Numbers and marks that are given to things. Round numbers are amounts, and eight digits may be a day. */
function isId(word: string): boolean {
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(word)) return true;
  if (/^\d{6,20}$/.test(word)) return !/000$/.test(word) && !/^(?:19|20)\d{6}$/.test(word) && !isPowerOfTwo(Number(word));
  return /^(?=.*\d)(?=.*[a-f])[0-9a-f]{7,64}$/.test(word);
}

const isPowerOfTwo = (n: number): boolean => Number.isInteger(Math.log2(n));

/** Of a command ids, and whole words that only programs join. What is searched for, said, made or behind an option claims nothing. */
const commandNames = ({ touches }: ToolCall): string[] =>
  touches.flatMap((touch) => {
    if (touch.kind !== "command") return [];
    const [program, ...args] = touch.argv.slice(0, MOST_VALUES);
    const isFree = program === null || program === undefined || CLAIMS_NOTHING.test(nameOf(program));
    return args.flatMap((word, n) => {
      if (word === null || word.length > LONGEST) return [];
      if (word.length <= 64 && isId(word)) return [word];
      if (isFree) return [];
      if (/^(psql|mysql|mariadb|sqlite3|duckdb)$/.test(nameOf(program))) return tablesIn(word);
      return isIdentifier(word) && !args[n - 1]?.startsWith("-") && !/^(create|add|init|new|branch|tag|install)$/.test(args[n - 1] ?? "")
        ? [word]
        : [];
    });
  });

const CLAIMS_NOTHING =
  /^(echo|printf|e?f?grep|rg|ag|ack|g?sed|[gmn]?awk|find|fd|locate|which|type|command|man|mkdir|touch|cp|mv|ln|tee|export|declare|local|readonly|read|unset|alias|set|test|\[|jq|yq|xargs|kill|sleep|node|deno|bun|python[\d.]*|perl|ruby|php|sh|bash|zsh)$/i;

/** What a query takes from, or changes. */
const tablesIn = (query: string): string[] =>
  [...query.matchAll(/\b(?:from|join|into|update|table|describe|desc)\s+["`]?(\w+)/gi)].map(([, name]) => name!).filter(isIdentifier);

/** An edit says that its old text stands in the file, so the names in it were read somewhere, or were made up. */
const replacedNames = ({ tool, input }: ToolCall): string[] => {
  const old = tool.name === "edit" && typeof input.old_string === "string" ? input.old_string.slice(0, LONGEST) : "";
  return (old.match(/[\w-]+/g) ?? []).filter((word: string) => isIdentifier(word) || isId(word));
};

const schemas = new WeakMap<AnyTool, { has(word: string): boolean }>();

/** What a tool says of itself was said to the model. */
function schemaWords(tool: AnyTool): { has(word: string): boolean } {
  const known =
    schemas.get(tool) ??
    new Set(
      schemaText(tool)
        .toLowerCase()
        .match(/[\w-]+/g) ?? [],
    );
  schemas.set(tool, known);
  return known;
}

function schemaText(tool: AnyTool): string {
  const about = `${tool.name} ${tool.description}`.slice(0, 20_000);
  const schema = attempt(() => JSON.stringify(writeSchema(tool.input)).slice(0, 100_000), null);
  return `${about} ${schema ?? Object.keys(record(tool.jsonSchema?.properties)).join(" ")}`;
}
