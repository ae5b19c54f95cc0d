/** A value of JSON as it was written: nothing is understood, so nothing can change. */
export interface JsonValue {
  /** The bracket it begins with; null for a value without parts. */
  readonly open: "{" | "[" | null;
  /** Of a value without parts, its text. */
  readonly text: string;
  /** Of an object, the key of each part. */
  readonly keys: readonly string[];
  readonly parts: readonly JsonValue[];
  /** Characters, without blanks. */
  readonly length: number;
  /** Where it begins in the text that was read. */
  readonly from: number;
}

const DEEPEST = 100;
const SCALAR = /-?\d[\d.eE+-]*|true|false|null/y;
const BLANKS = new Set([" ", "\t", "\n", "\r"]);

/** Reads the value that begins at or behind a place. null: what stands there is no JSON. */
export function readJson(text: string, at: number): { readonly value: JsonValue; readonly end: number } | null {
  const reader = new JsonReader(text, at);
  const value = reader.value(0);
  return value && { value, end: reader.at };
}

class JsonReader {
  readonly #text: string;
  at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  value(depth: number): JsonValue | null {
    this.#skipBlanks();
    const open = this.#text[this.at];
    if (open === "{" || open === "[") return depth > DEEPEST ? null : this.#parts(open, depth);
    const from = this.at;
    const text = open === '"' ? this.#string() : this.#scalar();
    return text === null ? null : { open: null, text, keys: [], parts: [], length: text.length, from };
  }

  #parts(open: "{" | "[", depth: number): JsonValue | null {
    const from = this.at++;
    const keys: string[] = [];
    const parts: JsonValue[] = [];
    let length = 2;
    this.#skipBlanks();
    if (this.#takes(open === "{" ? "}" : "]")) return { open, text: "", keys, parts, length, from };
    for (;;) {
      if (open === "{") {
        this.#skipBlanks();
        const key = this.#string();
        this.#skipBlanks();
        if (key === null || !this.#takes(":")) return null;
        keys.push(key);
        length += key.length + 1;
      }
      const part = this.value(depth + 1);
      if (!part) return null;
      parts.push(part);
      length += part.length + 1;
      this.#skipBlanks();
      if (this.#takes(",")) continue;
      return this.#takes(open === "{" ? "}" : "]") ? { open, text: "", keys, parts, length: length - 1, from } : null;
    }
  }

  #takes(char: string): boolean {
    if (this.#text[this.at] !== char) return false;
    this.at++;
    return true;
  }

  #string(): string | null {
    if (this.#text[this.at] !== '"') return null;
    for (let end = this.at + 1; end < this.#text.length; end++) {
      const char = this.#text[end]!;
      if (char === "\n") return null;
      if (char === "\\") end++;
      else if (char === '"') {
        const text = this.#text.slice(this.at, end + 1);
        this.at = end + 1;
        return text;
      }
    }
    return null;
  }

  #scalar(): string | null {
    SCALAR.lastIndex = this.at;
    const text = SCALAR.exec(this.#text)?.[0];
    if (text === undefined) return null;
    this.at += text.length;
    return text;
  }

  #skipBlanks(): void {
    while (BLANKS.has(this.#text[this.at] ?? "")) this.at++;
  }
}
