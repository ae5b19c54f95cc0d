import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuMs } from "../../../test/cpu.ts";
import { definedIn, sectionsOf } from "./search-code-symbols.ts";

describe("a definition", () => {
  it.each([
    ["export async function* readAll<T>(from: T) {", "readAll"],
    ["export default class Pool extends Base {", "Pool"],
    ["  export type Verdict =", "Verdict"],
    ["export const mayRetry = (effect: Effect): boolean =>", "mayRetry"],
    ["const LIMIT = 5;", "LIMIT"],
    ["  const inner = async (x) => {", "inner"],
    ["  async add(path: string, hit: Hit): Promise<boolean> {", "add"],
    ["  #close(): void {", "close"],
    ["  grep: (permit, query) =>", "grep"],
    ["def parse_header(self, line):", "parse_header"],
    ["    async def fetch(self):", "fetch"],
    ["class Größe:", "Größe"],
    ["MAX_SIZE = 10", "MAX_SIZE"],
    ["pub(crate) async fn spawn_all<T>(x: T) -> T {", "spawn_all"],
    ["impl<T: Clone> Display for Wrapper<T> {", "Wrapper"],
    ["pub struct Retry {", "Retry"],
    ["macro_rules! vec_of {", "vec_of"],
    ["func (s *Server) Serve(l net.Listener) error {", "Serve"],
    ["func main() {", "main"],
    ["type Handler interface {", "Handler"],
    ["    public static final int parse(String text) throws Bad {", "parse"],
    ["public interface Store<K, V> extends Map<K, V> {", "Store"],
    ["static int read_line(char *buf, size_t n) {", "read_line"],
    ["void Pool::release(Item *item) {", "release"],
    ["#define MAX(a, b) ((a) > (b) ? (a) : (b))", "MAX"],
    ["  def self.build?(x)", "build?"],
    ["module Zeit", "Zeit"],
    ["    private function loadUser(int $id): User {", "loadUser"],
    ["deploy-all() {", "deploy-all"],
    ["function cleanup {", "cleanup"],
    ["fun retryWith(times: Int): Result {", "retryWith"],
    ["CREATE TABLE IF NOT EXISTS memories (", "memories"],
    ["defmodule Retry do", "Retry"],
  ])("%s", (line, name) => expect(definedIn(line)).toBe(name));
  it.each([
    "  if (retry(x)) {",
    "  } else if (a) {",
    "  for (const x of all(y)) {",
    "  return build(x, () => {",
    "withPinned(dir, async (fd) => {",
    'describe("x", function () {',
    "  const local = 5;",
    "  readonly save: ((tool: string) => void) | null;",
    "  retry(x);",
    "  x = retry(y)",
    "  while (true) {",
    "  switch (kind) {",
    "",
    "}",
  ])("is not %s", (line) => expect(definedIn(line)).toBeNull());
});

describe("sections", () => {
  const of = (text: string, path = "a.ts") => sectionsOf(text.split("\n"), path).map(({ symbol, lines }) => [symbol, lines]);
  it("end where the indentation does, and begin with what is said above them", () =>
    expect(of("import x;\n\n/** Keeps. */\nclass Pool {\n  // One more.\n  add(x: X) {\n    go();\n  }\n  size = 1;\n}\nrun();")).toEqual([
      [null, [1, 11]],
      ["Pool", [3, 4, 9, 10]],
      ["Pool.add", [5, 6, 7, 8]],
    ]));
  it("of a language without brackets", () =>
    expect(of("class A:\n    @once\n    def go(self):\n        pass\n\ndef b():\n    pass", "a.py")).toEqual([
      [null, []],
      ["A", [1]],
      ["A.go", [2, 3, 4]],
      ["b", [6, 7]],
    ]));
  it("whose bracket stands on the next line", () =>
    expect(of("int go(int x)\n{\n  return x;\n}", "a.c")).toEqual([
      [null, []],
      ["go", [1, 2, 3, 4]],
    ]));
  it("of a page are its headings", () =>
    expect(of("top\n# One\ntext\n## Two words\nmore", "a.md")).toEqual([
      [null, [1]],
      ["One", [2, 3]],
      ["Two words", [4, 5]],
    ]));
  it("hold every line that is not blank once, whatever the text", () =>
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom("class A {", "  f() {", "  }", "// c", "", "def x", "}", "\tif (x) {"))),
        (lines) => {
          const all = sectionsOf(lines, "a.ts").flatMap((section) => section.lines);
          const wanted = lines.flatMap((line, n) => (/\S/.test(line) ? [n + 1] : []));
          expect(all.toSorted((a, b) => a - b)).toEqual(wanted);
        },
      ),
    ));
  it("of hostile lines take no time", () => {
    const hostile = [
      "export ".repeat(60),
      "(".repeat(399),
      "a ".repeat(199),
      `${"a:".repeat(190)}(`,
      `impl${"<".repeat(300)}`,
      "x = (".repeat(79),
      "\t".repeat(399),
    ];
    const started = cpuMs();
    for (let n = 0; n < 200; n++) sectionsOf(hostile, "a.ts");
    expect(cpuMs() - started).toBeLessThan(4000);
  });
});
