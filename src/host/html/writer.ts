/** Writes lines: blanks squeezed, breaks between blocks, each line behind the prefixes of the lists and quotes it stands in. */
export class LineWriter {
  #parts: string[] = [];
  #length = 0;
  readonly #most: number;
  #prefix = "";
  /** In place of the prefix, on the next line that is written: the bullet of an item. */
  #bullet: string | null = null;
  /** Of the line before: between a paragraph and a quote, the blank line belongs to neither. */
  #lastPrefix = "";
  #breaks = 0;
  #space = false;
  #lineStart = true;
  #marks: InlineMark[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  get full(): boolean {
    return this.#length >= this.#most;
  }

  /** Running text: any run of white space is one blank. */
  text(text: string): void {
    const squeezed = BLANKS.test(text) ? text.replace(BLANKS_ALL, " ") : text;
    if (squeezed === "" || squeezed === " ") {
      this.#space ||= squeezed === " ";
      return;
    }
    const start = squeezed.charCodeAt(0) === 32 ? 1 : 0;
    const end = squeezed.charCodeAt(squeezed.length - 1) === 32 ? squeezed.length - 1 : squeezed.length;
    if (start === 1) this.#space = true;
    this.#begin();
    this.#put(start === 0 && end === squeezed.length ? squeezed : squeezed.slice(start, end));
    this.#space = end < squeezed.length;
  }

  /** Text as it is, line by line. */
  lines(text: string): void {
    for (const [n, line] of text.split("\n").entries()) {
      if (n > 0) this.#newline();
      else this.#begin();
      this.#put(line);
    }
    this.#lineStart = false;
  }

  /** The next text stands this many lines further down. Marks that are open end here: none reaches over a block. */
  block(breaks: 1 | 2): void {
    for (const mark of this.#marks) this.#end(mark);
    this.#space = false;
    if (breaks > this.#breaks) this.#breaks = breaks;
  }

  /** Opened when text comes, so nothing is marked that is empty, and blanks stay outside. */
  open(before: string, after: string): InlineMark {
    const mark: InlineMark = { before, after, state: "waiting" };
    this.#marks.push(mark);
    return mark;
  }
  close(mark: InlineMark): void {
    this.#end(mark);
    const at = this.#marks.lastIndexOf(mark);
    if (at !== -1) this.#marks.splice(at, 1);
  }

  /** What `write` writes stands behind `prefix` on every line, and behind `bullet` on the first. */
  within(prefix: string, bullet: string, write: () => void): void {
    const outer = this.#prefix;
    const outerBullet = this.#bullet;
    this.#bullet = (outerBullet ?? outer) + bullet;
    this.#prefix = outer + prefix;
    write();
    // Still there: nothing was written.
    this.#bullet = this.#bullet === null ? null : outerBullet;
    this.#prefix = outer;
  }

  toString(): string {
    return this.#parts.join("");
  }

  #begin(): void {
    if (this.#length === 0) this.#put(this.#takePrefix());
    else if (this.#breaks > 0) {
      if (this.#breaks === 2) this.#put(`\n${common(this.#lastPrefix, this.#prefix).trimEnd()}`);
      this.#newline();
    } else if (this.#space && !this.#lineStart) this.#put(" ");
    this.#breaks = 0;
    this.#space = false;
    for (const mark of this.#marks)
      if (mark.state === "waiting") {
        mark.state = "open";
        this.#put(mark.before);
      }
    this.#lineStart = false;
  }

  #newline(): void {
    this.#put(`\n${this.#takePrefix()}`);
    this.#lineStart = true;
  }

  #takePrefix(): string {
    const prefix = this.#bullet ?? this.#prefix;
    this.#bullet = null;
    this.#lastPrefix = this.#prefix;
    return prefix;
  }

  #end(mark: InlineMark): void {
    if (mark.state === "open") this.#put(mark.after);
    if (mark.state === "open") mark.state = "ended";
  }

  #put(text: string): void {
    if (text === "" || this.full) return;
    this.#parts.push(text);
    this.#length += text.length;
  }
}

export interface InlineMark {
  readonly before: string;
  readonly after: string;
  state: "waiting" | "open" | "ended";
}

function common(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}

const BLANKS = /[\t\n\f\r]| {2}/;
const BLANKS_ALL = /[ \t\n\f\r]+/g;
