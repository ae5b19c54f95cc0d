import { makeOnce } from "../../../../../text/make-once.ts";
import { wordSet } from "../../../../../text/words.ts";

/** What a line of code is read by: enough for strings, numbers, comments and keywords, and no more. */
export interface CodeLanguage {
  /** Finds, in this order: a comment to the end of the line, the start of a text over several lines, a string, a number, a word. */
  readonly token: RegExp;
  /** What ends a text over several lines, by what starts it. */
  readonly spans: ReadonlyMap<string, { readonly end: string; readonly kind: "comment" | "string" }>;
  readonly keywords: ReadonlySet<string>;
  /** Keywords are written in small letters or in capitals. */
  readonly anyCase: boolean;
}

interface Family {
  readonly names: string;
  readonly comment: string | null;
  readonly spans: readonly (readonly [start: string, end: string, kind: "comment" | "string"])[];
  readonly quotes: string;
  readonly keywords: string;
  readonly anyCase?: true;
}

const FAMILIES: readonly Family[] = [
  {
    names: "js jsx ts tsx javascript typescript mjs cjs mts cts",
    comment: "//.*",
    spans: [
      ["/*", "*/", "comment"],
      ["`", "`", "string"],
    ],
    quotes: "\"'",
    keywords:
      "abstract as async await break case catch class const continue debugger default delete do else enum export extends false finally for from function get if implements import in instanceof interface let new null of private protected public readonly return satisfies set static super switch this throw true try type typeof undefined var void while with yield",
  },
  {
    names: "c h cpp cc hpp c++ cs csharp java kotlin kt scala swift go rust rs dart php zig objc",
    comment: "//.*",
    spans: [["/*", "*/", "comment"]],
    quotes: "\"'",
    keywords:
      "abstract as async auto await bool break case catch chan char class const constexpr continue crate default defer delete do double dyn else enum export extends extern false final finally float fn for foreach from func fun go goto guard if impl implements import in int interface internal is let long loop map match mod move mut namespace new nil null nullptr object override package private protected pub public range ref return select self short signed sizeof static string struct super switch template this throw throws trait true try type typedef typename union unsafe unsigned use using val var virtual void volatile when where while yield",
  },
  {
    names: "py python python3 pyi",
    comment: "#.*",
    spans: [
      ['"""', '"""', "string"],
      ["'''", "'''", "string"],
    ],
    quotes: "\"'",
    keywords:
      "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield",
  },
  {
    names: "sh bash zsh shell console fish dockerfile make makefile rb ruby perl pl elixir ex r nix",
    comment: "(?<=^|\\s)#.*",
    spans: [],
    quotes: "\"'",
    keywords:
      "begin case class def do done elif else elsif end ensure esac exit export fi for function if in local module next nil require rescue return self set shift source then true false unless until when while yield FROM RUN COPY CMD ENTRYPOINT ENV WORKDIR ARG EXPOSE",
  },
  {
    names: "sql psql mysql sqlite plsql lua haskell hs",
    anyCase: true,
    comment: "--.*",
    spans: [["/*", "*/", "comment"]],
    quotes: "\"'",
    keywords:
      "add all alter and as asc begin between by case check column commit constraint create cross default delete desc distinct do drop else elseif end exists false for foreign from full function group having if in index inner insert into is join key left like limit local natural nil not null offset on or order outer primary references repeat return right rollback select set table then true union unique until update using values view when where while with",
  },
  { names: "json jsonc json5", comment: "//.*", spans: [["/*", "*/", "comment"]], quotes: '"', keywords: "true false null" },
  {
    names: "yaml yml toml ini conf cfg properties env dotenv",
    comment: "(?<=^|\\s)[#;].*",
    spans: [],
    quotes: "\"'",
    keywords: "true false null yes no on off",
  },
  { names: "html xml svg vue markup", comment: null, spans: [["<!--", "-->", "comment"]], quotes: '"', keywords: "" },
  {
    names: "css scss less",
    comment: null,
    spans: [["/*", "*/", "comment"]],
    quotes: "\"'",
    keywords: "important media import supports keyframes charset from to",
  },
];

const byName = makeOnce(
  () => new Map(FAMILIES.flatMap((family) => family.names.split(" ").map((name) => [name, makeOnce(() => read(family))]))),
);

/** The language that stands behind a fence, or null for one that is not known. */
export const findLanguage = (info: string): CodeLanguage | null => byName().get(info.split(/[\s,{:]/, 1)[0]!.toLowerCase())?.() ?? null;

function read({ comment, spans, quotes, keywords, anyCase }: Family): CodeLanguage {
  const starts = spans.map(([start]) => start.replaceAll("*", "\\*")).join("|");
  const strings = [...quotes].map((quote) => `${quote}(?:[^${quote}\\\\]|\\\\.)*${quote}`).join("|");
  const parts = [comment, starts === "" ? null : starts, strings, "\\b\\d[\\w.]*", "[\\p{L}_$][\\p{L}\\p{N}_$]*"];
  return {
    token: new RegExp(parts.map((part) => `(${part ?? "(?!)"})`).join("|"), "gu"),
    spans: new Map(spans.map(([start, end, kind]) => [start, { end, kind }])),
    keywords: wordSet(keywords),
    anyCase: anyCase === true,
  };
}
