/** Texts that made some reader of TOML slow, or could. Each has about 80 kB, the size of the file that once froze a server for 19 seconds. */
const SIZE = 80_000;
const times = (count: number, piece: (n: number) => string, between = "\n") =>
  Array.from({ length: count }, (_, n) => piece(n)).join(between);

export interface Shape {
  readonly name: string;
  readonly text: string;
  /** The limit it exceeds, in the words of the message; null when it is within all of them. */
  readonly exceeds: RegExp | null;
}

const PARTS = /a key has more than 32 parts/;
const KEY = /a key has more than 2,000 characters/;
const DEPTH = /brackets stand more than 32 deep/;
const THINGS = /more than 5,000 tables, keys and entries/;

export const SHAPES: readonly Shape[] = [
  { name: "a dotted key", text: `${"a.".repeat(SIZE / 2)}a = 1`, exceeds: PARTS },
  { name: "a dotted header", text: `[${"a.".repeat(SIZE / 2)}a]`, exceeds: PARTS },
  { name: "a dotted list header", text: `[[${"a.".repeat(SIZE / 2)}a]]`, exceeds: PARTS },
  { name: "quoted dotted parts", text: `${'"a".'.repeat(SIZE / 4)}a = 1`, exceeds: PARTS },
  { name: "a dotted key in an inline table", text: `a = { ${"a.".repeat(SIZE / 2)}a = 1 }`, exceeds: PARTS },
  { name: "headers that grow", text: times(400, (n) => `[${"a.".repeat(n)}a]`), exceeds: PARTS },
  { name: "headers 30 deep", text: times(SIZE / 66, (n) => `[[${"a.".repeat(29)}b${n}]]`), exceeds: null },
  { name: "many headers", text: times(SIZE / 8, (n) => `[a${n}]`), exceeds: THINGS },
  { name: "many lists", text: "[[a]]\n".repeat(SIZE / 6), exceeds: THINGS },
  { name: "many empty rules", text: "[[tools.policy.rules]]\n".repeat(2400), exceeds: null },
  { name: "many keys", text: times(SIZE / 8, (n) => `a${n}=1`), exceeds: THINGS },
  { name: "5,000 unknown keys", text: times(5000, (n) => `a${n}=1`), exceeds: null },
  { name: "5,000 unknown keys in a table", text: `[tools.file]\n${times(4999, (n) => `a${n}=1`)}`, exceeds: null },
  { name: "5,000 dotted keys", text: times(5000, (n) => `a.b.c.d.e.f${n} = 1`), exceeds: null },
  { name: "a deep list", text: `a = ${"[".repeat(SIZE / 2)}${"]".repeat(SIZE / 2)}`, exceeds: DEPTH },
  { name: "many deep lists", text: times(80, (n) => `a${n} = ${"[".repeat(500)}${"]".repeat(500)}`), exceeds: DEPTH },
  { name: "deep lists over lines", text: `a = ${"[\n".repeat(SIZE / 2)}`, exceeds: DEPTH },
  { name: "deep inline tables", text: `a = ${"{a=".repeat(SIZE / 4)}1${"}".repeat(SIZE / 4)}`, exceeds: DEPTH },
  { name: "a wide list", text: `a = [${"1,".repeat(SIZE / 2)}]`, exceeds: THINGS },
  { name: "a wide inline table", text: `a = {${times(SIZE / 8, (n) => `a${n}=1`, ",")}}`, exceeds: THINGS },
  { name: "many globs", text: `[tools.file]\ndeny_read = [${'"{a,b}{a,b}**",'.repeat(4900)}]`, exceeds: null },
  {
    name: "globs that stand for many others",
    text: `[tools.file]\ndeny_read = [${times(100, () => `"${"{a,b}".repeat(7)}${"x".repeat(700)}"`, ",")}]`,
    exceeds: null,
  },
  { name: "a long key", text: `${"a".repeat(SIZE)} = 1`, exceeds: KEY },
  { name: "a long quoted key", text: `"${"\\u0041".repeat(SIZE / 6)}" = 1`, exceeds: KEY },
  { name: "a long header", text: `[${"a".repeat(SIZE)}]`, exceeds: KEY },
  { name: "a long key behind a comma", text: `a = { b = 1, ${"a".repeat(SIZE)} = 1 }`, exceeds: KEY },
  { name: "a long text", text: `a = "${"x".repeat(SIZE)}"`, exceeds: null },
  { name: "a long text in a list", text: `a = ["b", "${"x".repeat(SIZE)}"]`, exceeds: null },
  { name: "a long number", text: `a = ${"1".repeat(SIZE)}`, exceeds: null },
  { name: "a long line with a mistake", text: `a = "${"x".repeat(SIZE)}" y`, exceeds: null },
  { name: "control characters", text: `a = 1\n${"\r".repeat(SIZE)}`, exceeds: null },
  { name: "text that is never closed", text: `a = """${'"a'.repeat(SIZE / 2)}`, exceeds: null },
  { name: "comments", text: "#\n".repeat(SIZE / 2), exceeds: null },
  { name: "spaces", text: `${" ".repeat(SIZE)}x`, exceeds: null },
  {
    name: "a thousand rules an untrusted file may not have",
    text: times(1000, (n) => `[[tools.permissions.t${n}]]\npattern = "x"\naction = "allow"`),
    exceeds: null,
  },
  {
    name: "a thousand wrong rules",
    text: times(1000, (n) => `[[tools.permissions.t${n}]]\npattern = "x"\naction = "maybe"`),
    exceeds: null,
  },
];
