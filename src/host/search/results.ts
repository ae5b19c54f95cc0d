import type { SearchMatch, SearchResult } from "../../core/ports/host.ts";

/** More text than anybody reads. Beyond it the limit counts as reached. */
const MAX_TEXT = 4 * 1024 * 1024;
const RUN_OF_PATHS = 4096;

export interface SearchHit {
  readonly line: number;
  readonly kind: SearchMatch["kind"];
  readonly text: Buffer;
}

/** Collects matches up to a limit, file by file. */
export class Matches {
  readonly #limit: number;
  readonly #files = new Map<string, SearchMatch[]>();
  #count = 0;
  #size = 0;
  #more = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** False when there is no room for more. */
  add(path: string, { line, kind, text }: SearchHit): boolean {
    this.#size += path.length + text.length;
    if ((kind === "match" && ++this.#count > this.#limit) || this.#size > MAX_TEXT) {
      this.#more = true;
      return false;
    }
    const lines = this.#files.get(path) ?? [];
    if (lines.length === 0) this.#files.set(path, lines);
    lines.push({ path, line, text: text.toString("utf8", 0, text.at(-1) === 0x0d ? text.length - 1 : text.length), kind });
    return true;
  }

  found(): SearchResult<SearchMatch> {
    const paths = [...this.#files.keys()].sort();
    return { items: paths.flatMap((path) => this.#files.get(path)!), more: this.#more };
  }
}

/** Names in order, sorted a run at a time: to sort all of them at once would hold up everybody else. */
export class SortedRuns {
  readonly #runs: string[][] = [];
  #open: string[] = [];
  count = 0;

  add(name: string): void {
    this.count++;
    if (this.#open.push(name) === RUN_OF_PATHS) this.#close();
  }

  *inOrder(): Generator<string> {
    this.#close();
    const next = this.#runs.map(() => 0);
    for (;;) {
      let least = -1;
      for (const [n, run] of this.#runs.entries())
        if (next[n]! < run.length && (least === -1 || run[next[n]!]! < this.#runs[least]![next[least]!]!)) least = n;
      if (least === -1) return;
      yield this.#runs[least]![next[least]!++]!;
    }
  }

  #close(): void {
    this.#runs.push(this.#open.sort());
    this.#open = [];
  }
}
