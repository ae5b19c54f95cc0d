import { plural } from "../../text/words.ts";
import { heading, type Line, standFor, sumOf } from "../line.ts";

/** A trace without the frames of libraries, of which only the number is said. Stays: every message, every frame of the program itself, the frame where it happened. */
export function shortTraces(lines: readonly Line[]): { readonly lines: readonly Line[]; readonly harmless: number } {
  const kept: Line[] = [];
  // A frame that is left out may have "error" in its name; the error itself stays above it.
  let harmless = 0;
  for (let at = 0; at < lines.length; ) {
    if (!MAY_MATTER.test(lines[at]!.text)) {
      kept.push(lines[at++]!);
      continue;
    }
    const drawn = drawnAt(lines, at);
    if (drawn > at) {
      harmless += sumOf(lines.slice(at, drawn)).errors;
      at = drawn;
      continue;
    }
    const run = framesFrom(lines, at);
    if (run.length === 0) kept.push(ruleOf(lines[at++]!));
    else {
      const shown = told(run);
      const end = run.at(-1)!.end;
      harmless += sumOf(lines.slice(at, end)).errors - sumOf(shown).errors;
      for (const line of shown) kept.push(line);
      at = end;
    }
  }
  return kept.length < lines.length ? { lines: kept, harmless } : { lines, harmless: 0 };
}

/** A cheap look, before all others: how lines of a trace begin, and what a call in Go looks like. */
const MAY_MATTER = /^(?:\s|at |File "|from |#\d|\d+: |created by |Node\.js v|file:\/\/|\/|node:|[A-Z]:\\|[\w./*]+\.[\w.()*]+\(.*\)$)/;

/** Where what is only drawn ends: a place with its source and a mark, of which the frames tell; the heads and feet of exceptions in a group; Node's version. */
function drawnAt(lines: readonly Line[], at: number): number {
  const { text } = lines[at]!;
  if (IN_GROUP.test(text) || (NODE_VERSION.test(text) && isBelowFrames(lines, at))) return at + 1;
  const [, file, line] = THROWN.exec(text) ?? [];
  if (file === undefined || !MARK.test(lines[at + 2]?.text ?? "")) return at;
  const below = lines.slice(at + 3, at + 3 + FAR);
  const isTold = file.startsWith("node:")
    ? below.some(({ text }) => FRAME.test(text))
    : below.some((one) => one.text.includes(`${file}:${line}:`));
  return isTold ? at + 3 : at;
}

const IN_GROUP = /^ {2,40}(?:\| (?:Exception Group )?Traceback \(most recent call last\):|\+-{30,})$/;
const NODE_VERSION = /^Node\.js v\d+\.\d+\.\d+\S*$/;
const THROWN = /^(?:file:\/\/)?((?:\/|node:|[A-Z]:\\).{0,500}):(\d{1,7})$/;
const MARK = /^\s*\^+\s*$/;
const FRAME = /^\s+at \S/;
/** The message of an error may have some lines before its frames. */
const FAR = 30;
const isBelowFrames = (lines: readonly Line[], at: number): boolean =>
  lines.slice(Math.max(0, at - FAR), at).some(({ text }) => FRAME.test(text));

/** `+-+---------------- 1 ----------------`: the number is enough. */
function ruleOf(line: Line): Line {
  const [, margin, number] = /^( {2,40}\+-?\+?)-{10,} (\d+|\.\.\.) -{10,}$/.exec(line.text) ?? [];
  return number === undefined ? line : standFor(`${margin}- ${number}`, [line]);
}

interface Frame {
  /** The call, and the source below it if there is some. */
  readonly lines: readonly Line[];
  /** Where the next line begins. */
  readonly end: number;
  readonly origin: "own" | "library" | "count";
  /** Where the failure itself is: Python names it last, Java first. In Go and Rust only the machinery of the panic stands there. */
  readonly happened: "first" | "last" | "elsewhere";
}

/** A cheap look, before the patterns: `at `, `File "`, `from `, `#0 `, ` 12: `, a call in Go. */
const MAY_BE_FRAME = /^(?:\s*(?:at |File "|from |#\d|\d+: )|created by |[\w./*]+\.[\w.()*]+\(.*\)$)/;

interface Language {
  readonly frame: RegExp;
  readonly library: RegExp;
  readonly happened: Frame["happened"];
  /** How many lines after the first belong to the frame. */
  readonly tail: (lines: readonly Line[], from: number) => number;
}

const NONE = () => 0;
const PACKAGES =
  /^\s*at (?:async )?(?:[\w.@-]*\/{1,2})?(?:new )?(?:javax?|jakarta|jdk|sun|com\.sun|kotlinx?|scala|akka|groovy|clojure|reactor|rx|play|okhttp3|retrofit2|lombok|junit|oracle|System|Microsoft|Xunit|NUnit|Newtonsoft|Castle|Autofac|MediatR|Npgsql|Serilog|org\.(?:springframework|apache|hibernate|eclipse|jboss|wildfly|junit|mockito|gradle|codehaus|slf4j|postgresql|mariadb|xnio|glassfish|aspectj|thymeleaf|jooq|flywaydb|quartz|bouncycastle|reactivestreams|testng|opentest4j|assertj)|io\.(?:netty|undertow|quarkus|micronaut|vertx|grpc|reactivex|smallrye|lettuce|micrometer|opentelemetry|kotest|ktor)|com\.(?:google|fasterxml|zaxxer|mysql|intellij|netflix|amazonaws|microsoft|mongodb|rabbitmq|squareup|github\.benmanes|datastax|codahale)|net\.(?:bytebuddy|sf|sourceforge)|ch\.qos|software\.amazon)[./$]/;
const LANGUAGES: readonly Language[] = [
  {
    frame: /^\s+at .*(?:node_modules[/\\]|\(?node:|\(internal\/|<anonymous>\)?$|\(native\))/,
    library: /node_modules[/\\]|\bnode:|\(internal\/|^\s+at (?:new )?[\w.]+ \(<anonymous>\)$|^\s+at <anonymous>$|\(native\)/,
    happened: "first",
    tail: NONE,
  },
  {
    frame: /^\s*at (?:async )?[\w.$@/<>[\]` -]+(?: ?\(|:\d+:\d+\)?$| in )/,
    library: PACKAGES,
    happened: "first",
    tail: NONE,
  },
  {
    frame: /^\s+File ".{1,500}", line \d+/,
    library:
      /(?:site|dist)-packages[/\\]|[/\\]lib(?:64)?[/\\]python\d|"<frozen |[/\\]Lib[/\\](?!site)\w+\.py"|[/\\]versions[/\\]\d[\w.]*[/\\]lib[/\\]/,
    happened: "last",
    tail: sourceLines,
  },
  {
    frame: /^\s+\d+: +(?:0x[\da-f]+ - )?\S.*$/,
    library:
      /^\s+\d+: +(?:0x[\da-f]+ - )?<?(?:std|core|alloc|test|tokio|futures\w*|rayon|hyper|axum|tower|actix\w*)::|: +(?:0x[\da-f]+ - )?(?:rust_begin_unwind|rust_panic|__\w+|_start|main|clone3?|start_thread|<unknown>)$|\/rustc\//,
    happened: "elsewhere",
    tail: (lines, from) => (/^\s{6,}at \S/.test(lines[from]?.text ?? "") ? 1 : 0),
  },
  {
    frame: /^[\w./*()[\]{}-]+\(.*\)$|^created by \S/,
    library: /^(?:runtime|testing|net\/http|sync|reflect|os|syscall|internal\/[\w/]+)\.|^created by (?:testing|net\/http|runtime)\./,
    happened: "elsewhere",
    tail: (lines, from) => (/^\s+\/?\S+\.(?:go|s):\d+/.test(lines[from]?.text ?? "") ? 1 : 0),
  },
  { frame: /^\s+from \S+:\d+:in /, library: /\/gems\/|\/lib\/ruby\/|<internal:/, happened: "first", tail: NONE },
  { frame: /^#\d+ +(?:0x[\da-f]+ in )?\S.* \(.*\) (?:at|from) \S+$/, library: / from \/(?:usr\/)?lib/, happened: "first", tail: NONE },
  { frame: /^#\d+ (?:\S+\(\d+\): |\{main\})/, library: /\/vendor\/|\[internal function\]|\{main\}/, happened: "first", tail: NONE },
];
const GO = 4;
const MORE = /^\s*(?:\.\.\. \d+ (?:more|common frames omitted|lines matching)|--- End of stack trace from previous location)/;

/** Frames that follow one another. */
function framesFrom(lines: readonly Line[], from: number): Frame[] {
  const run: Frame[] = [];
  for (let at = from; at < lines.length; at = run.at(-1)!.end) {
    const frame = frameAt(lines, at, run.length > 0);
    if (!frame) break;
    run.push(frame);
  }
  return run;
}

function frameAt(lines: readonly Line[], at: number, inRun: boolean): Frame | null {
  const text = withoutMargin(lines[at]!.text);
  if (!MAY_BE_FRAME.test(text) && !inRun) return null;
  if (inRun && MORE.test(text)) return { lines: [lines[at]!], end: at + 1, origin: "count", happened: "first" };
  const kind = LANGUAGES.findIndex(({ frame }) => frame.test(text));
  if (kind === -1) return null;
  const { library, happened, tail } = LANGUAGES[kind]!;
  const more = tail(lines, at + 1);
  // A call, or a number with a colon, may be a line of any text: a frame of Go or Rust has its place below.
  if (more === 0 && happened === "elsewhere" && !inRun) return null;
  const own = lines.slice(at, at + 1 + more);
  const place = kind === GO ? /\/go[-\d.]*\/src\/|\/pkg\/mod\//.test(own.at(-1)!.text) : false;
  const isLibrary = place || own.some(({ text }) => library.test(text));
  const said = own.filter(({ text }) => !CARETS.test(withoutMargin(text)));
  return { lines: said, end: at + 1 + more, origin: isLibrary ? "library" : "own", happened };
}

const CARETS = /^\s+[\^~]+\s*$/;

/** Python draws a line down the side of each exception in a group. */
const withoutMargin = (text: string): string => (MARGIN.test(text) ? text.replace(MARGIN, "") : text);
const MARGIN = /^ {1,40}\| /;

/** The source below a Python frame: one line, more of them indented alike, and the carets. */
function sourceLines(lines: readonly Line[], from: number): number {
  const indent = /^\s+/.exec(withoutMargin(lines[from - 1]!.text))![0].length;
  let count = 0;
  while (count < 8) {
    const text = withoutMargin(lines[from + count]?.text ?? "");
    if (/^\s+File "/.test(text) || /^\s*/.exec(text)![0].length <= indent || text.trim() === "") break;
    count++;
  }
  return count;
}

/** What is raised is said below. */
const raises = ({ lines }: Frame): boolean => /^\s+raise\b/.test(withoutMargin(lines[1]?.text ?? ""));

/** Frames of its own, and the place where it happened; without any of its own, the three around that place must do. Source text is told where it happened in them. */
function told(run: readonly Frame[]): Line[] {
  const hasOwn = run.some(({ origin }) => origin === "own");
  const { happened } = run[0]!;
  const around = hasOwn ? (happened === "elsewhere" ? 0 : 1) : 3;
  const isShown = ({ origin }: Frame, n: number) =>
    origin === "own" || (origin === "library" && (happened === "last" ? n >= run.length - around : n < around));
  const innermost = happened === "last" ? run.findLastIndex(({ origin }) => origin === "own" || !hasOwn) : -1;
  const shown: Line[] = [];
  let hidden = 0;
  const say = () => {
    if (hidden > 0) shown.push(heading(`    … ${plural(hidden, "frame")}`));
    hidden = 0;
  };
  const again = calledAgain(run);
  for (const [n, frame] of run.entries()) {
    if (isShown(frame, n) && !again.has(n)) {
      say();
      for (const line of happened === "last" && (n !== innermost || raises(frame)) ? frame.lines.slice(0, 1) : frame.lines)
        shown.push(line);
    } else hidden += frame.origin === "count" ? Number(/\d+/.exec(frame.lines[0]!.text)?.[0] ?? 0) : 1;
  }
  say();
  return shown;
}

const MANY_CALLS = 5;
/** The number of a frame, addresses, and what a call was given. */
const HAS_VALUES = /^\s*#\d|0x[\da-f]/;
const VALUES = /^\s*#?\d+:? +|0x[\da-f]+|(?<==)\d+/g;

/** A function that called itself many times, or two that called each other: of such frames the first and the last few stay. */
function calledAgain(run: readonly Frame[]): ReadonlySet<number> {
  // Frames that are the same to the letter are told as any lines that repeat.
  const shapes = run.map(({ lines: [call], origin }) =>
    origin === "count" || !HAS_VALUES.test(call!.text) ? null : call!.text.replace(VALUES, ""),
  );
  const again = new Set<number>();
  for (const period of [1, 2, 3]) {
    for (let from = 0; from + period < shapes.length; ) {
      let end = from + period;
      while (end < shapes.length && shapes[end] !== null && shapes[end] === shapes[end - period]) end++;
      if (end - from < MANY_CALLS * period) from++;
      else {
        for (let n = from + period; n < end - period; n++) again.add(n);
        from = end;
      }
    }
  }
  return again;
}
