import type { Text } from "./search-code-text.ts";

/** How much a place counts for what it is. People look for the code, and only then for what tests, describes or copies it. */
const KINDS: readonly (readonly [RegExp, number])[] = [
  [/(?:^|\/)(?:node_modules|bower_components|vendor|third[_-]party|dist|build|out|target|\.next|site-packages)\//, 0.3],
  [
    /\.(?:min\.\w+|map|lock|snap|svg|csv|log|bundle\.js)$|[.-]lock\.(?:json|yaml)$|(?:\.pb\.\w+|_pb2\.py|[._-]generated\.\w+|\.g\.\w+)$/,
    0.3,
  ],
  [
    /(?:^|\/)(?:tests?|__tests__|specs?|testdata|fixtures?|golden|e2e|benchmarks?|bench|examples?|mocks?|__mocks__)\/|[._-](?:test|spec)s?\.\w+$|(?:^|\/)test_\w+\.py$|\p{Ll}Tests?\.\w+$/u,
    0.6,
  ],
  [/\.(?:md|mdx|markdown|txt|rst|adoc|json|jsonl|ya?ml|toml|ini|xml|html?)$/i, 0.6],
];
const MADE = /\bgenerated\b.*\bdo not (?:edit|modify)\b|\bdo not (?:edit|modify)\b.*\bgenerated\b|@generated\b/i;

/** The weight of a path. A query about tests finds tests. */
export function pathStanding(path: string, stems: ReadonlySet<string>): number {
  const asksForTests = stems.has("test") || stems.has("spec") || stems.has("benchmark") || stems.has("exampl");
  const weights = KINDS.filter(([kind], n) => kind.test(path) && !(n === 2 && asksForTests)).map(([, weight]) => weight);
  return Math.min(1, ...weights);
}

const HEAD = Array.from({ length: 10 }, (_, n) => n + 1);

/** A program wrote it: the first lines say so. */
export const isGenerated = ({ at }: Pick<Text, "at">): boolean => HEAD.some((line) => at(line).length < 500 && MADE.test(at(line)));
