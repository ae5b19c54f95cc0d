/** Puts a meaning's colour around a text. */
export type Paint = (text: string) => string;

/** Signs that are drawn. Each stands beside a word that says the same. */
export interface Signs {
  readonly ok: string;
  readonly failed: string;
  readonly refused: string;
  /** Where something was cut off, or waits for the rest. */
  readonly cut: string;
  /** The left edge of a question. */
  readonly edge: string;
  /** The left edge of an output and of a quote. */
  readonly pipe: string;
  readonly rule: string;
  readonly prompt: string;
  readonly chosen: string;
  readonly bullet: string;
  readonly arrow: string;
  /** Between two pieces of a line. */
  readonly dot: string;
  readonly times: string;
  readonly minus: string;
  /** Stands for a line break in a text that is shown on one line. */
  readonly line: string;
  /** One after the other while something is waited for. */
  readonly spinner: readonly string[];
}

/** Colours by meaning, and signs. Nothing is told by either of them alone. */
export interface Theme {
  readonly dim: Paint;
  readonly bold: Paint;
  readonly em: Paint;
  readonly strike: Paint;
  readonly accent: Paint;
  readonly good: Paint;
  readonly bad: Paint;
  readonly warn: Paint;
  readonly code: Paint;
  readonly add: Paint;
  readonly del: Paint;
  /** The words of an added or a removed line that differ. */
  readonly addMark: Paint;
  readonly delMark: Paint;
  /** What the person typed. */
  readonly you: Paint;
  /** The edge of a question. */
  readonly bar: Paint;
  /** A text that leads to an address; null where the terminal may not know such links. */
  readonly link: ((text: string, address: string) => string) | null;
  readonly signs: Signs;
  readonly isUtf8: boolean;
}

export type ThemeSetting = "auto" | "dark" | "light" | "none";
type Environment = Readonly<Record<string, string | undefined>>;
type Colour = Exclude<keyof Theme, "link" | "signs" | "isUtf8">;

/** `NO_COLOR` and `TERM=dumb` first, then the setting, then what the terminal says of its background, else dark. */
export function chooseTheme(env: Environment, setting: ThemeSetting): Theme {
  const isUtf8 = /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || "");
  const codes = chooseCodes(env, setting);
  const paints = Object.fromEntries(COLOURS.map((name) => [name, createPaint(codes?.[name])])) as Record<Colour, Paint>;
  return { ...paints, link: codes !== null && knowsLinks(env) ? link : null, signs: isUtf8 ? UTF8 : ASCII, isUtf8 };
}

function chooseCodes({ NO_COLOR, TERM, COLORFGBG }: Environment, setting: ThemeSetting): Codes | null {
  if (NO_COLOR || TERM === "dumb" || setting === "none") return null;
  if (setting !== "auto") return setting === "light" ? LIGHT : DARK;
  const background = COLORFGBG?.split(";").at(-1);
  return background === "7" || background === "15" ? LIGHT : DARK;
}

/** The code that switches on, and the one that switches off. 16 colours, so that the person's own palette decides. */
type Codes = Readonly<Record<Colour, readonly [string, string]>>;

const DARK: Codes = {
  dim: ["90", "39"],
  bold: ["1", "22"],
  em: ["3", "23"],
  strike: ["9", "29"],
  accent: ["36", "39"],
  good: ["32", "39"],
  bad: ["91", "39"],
  warn: ["33", "39"],
  code: ["96", "39"],
  add: ["32", "39"],
  del: ["31", "39"],
  addMark: ["7", "27"],
  delMark: ["7", "27"],
  you: ["1;36", "22;39"],
  bar: ["33", "39"],
};
const LIGHT: Codes = {
  ...DARK,
  accent: ["34", "39"],
  bad: ["31", "39"],
  warn: ["35", "39"],
  code: ["34", "39"],
  you: ["1;34", "22;39"],
  bar: ["35", "39"],
};
const COLOURS = Object.keys(DARK) as readonly Colour[];

/** A text inside may end the same switch; it goes on after that. */
function createPaint(codes: readonly [string, string] | undefined): Paint {
  if (!codes) return (text) => text;
  const [on, off] = codes.map((code) => `\u001b[${code}m`) as [string, string];
  return (text) => (text === "" ? "" : on + text.replaceAll(off, off + on) + off);
}

/** An address holds no character that ends the sequence: it is written as a URL writes it. */
const link = (text: string, address: string): string =>
  `\u001b]8;;${address.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent)}\u001b\\${text}\u001b]8;;\u001b\\`;

const LINKING_TERMS = /^(?:xterm-kitty|xterm-ghostty|alacritty|foot|wezterm)/;
const LINKING_PROGRAMS = /^(?:iTerm\.app|WezTerm|vscode|ghostty|Hyper|Tabby|rio)$/;
/** The first libvte that draws links without faults. */
const LINKING_VTE = 5000;

/** A terminal that does not know links could show their address as text. */
const knowsLinks = ({ TERM = "", TERM_PROGRAM = "", VTE_VERSION, WT_SESSION, KONSOLE_VERSION }: Environment): boolean =>
  LINKING_TERMS.test(TERM) ||
  LINKING_PROGRAMS.test(TERM_PROGRAM) ||
  Number(VTE_VERSION) >= LINKING_VTE ||
  WT_SESSION !== undefined ||
  KONSOLE_VERSION !== undefined;

const UTF8: Signs = {
  ok: "✓",
  failed: "!",
  refused: "✗",
  cut: "…",
  edge: "▌",
  pipe: "│",
  rule: "─",
  prompt: "❯",
  chosen: "›",
  bullet: "•",
  arrow: "→",
  dot: "·",
  times: "×",
  minus: "−",
  line: "⏎",
  spinner: [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"],
};
const ASCII: Signs = {
  ok: "+",
  failed: "!",
  refused: "x",
  cut: "...",
  edge: "|",
  pipe: "|",
  rule: "-",
  prompt: ">",
  chosen: ">",
  bullet: "-",
  arrow: "->",
  dot: "-",
  times: "x",
  minus: "-",
  line: "/",
  spinner: [..."|/-\\"],
};
