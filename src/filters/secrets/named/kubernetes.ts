import { decoded } from "../base64.ts";
import { isPlaceholderValue } from "../placeholder.ts";
import type { SecretSpan } from "../span.ts";

/** How far from `kind: Secret` its data may stand. */
const REACH = 16_384;
const KIND = /kind\\{0,3}["']?\s{0,4}:\s{0,4}\\{0,3}["']?$/;
/** `data:` and its lines, which are indented deeper. */
const BLOCK = /^([ \t]*)(?:- )?(data|stringData):[ \t]*\r?\n((?:\1[ \t]+\S.*\r?\n?)+)/gm;
const LINE = /^[ \t]+([\w.-]{1,253}):[ \t]*(?:[|>][+-]?[ \t]*\r?\n[ \t]+)?(["']?)([^\s"']{1,8192})\2[ \t]*\r?$/gm;
/** The same as JSON. */
const OBJECT = /\\{0,3}"(data|stringData)\\{0,3}"\s{0,4}:\s{0,4}\{([^{}]{0,16384})\}/g;
const ENTRY = /\\{0,3}"([\w.-]{1,253})\\{0,3}"\s{0,4}:\s{0,4}\\{0,3}"([^"\\]{1,8192})\\{0,3}"/g;

/** The values of Kubernetes Secrets: whatever they are called, they are secret. Asked at each word `secret`, in order. */
export function kubernetesSecret(text: string): (at: number) => SecretSpan[] {
  let done = 0;
  return (at) => {
    // Half of what is in reach has been read already: the next one will read on.
    if (at + REACH / 2 < done || /\w/.test(text[at + 6] ?? "") || !KIND.test(text.slice(Math.max(0, at - 24), at))) return [];
    // The YAML document around it. A list of Secrets is one document, and read once.
    const before = text.slice(Math.max(0, at - REACH), at);
    const after = text.slice(at, at + REACH);
    const from = Math.max(done, at - before.length + Math.max(0, before.lastIndexOf("\n---")));
    const to = at + (after.includes("\n---") ? after.indexOf("\n---") : after.length);
    if (to <= from) return [];
    done = to;
    return dataOf(text.slice(from, to), from);
  };
}

function dataOf(text: string, offset: number): SecretSpan[] {
  const spans: SecretSpan[] = [];
  const add = (field: string, name: string, value: string, start: number) => {
    if (value.length < 4 || /\.(?:crt|pub)$|^namespace$/.test(name) || isPlaceholderValue(value)) return;
    if (field === "data" && (value.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value))) return;
    const plain = field === "data" ? decoded(value) : "";
    if (plain.startsWith("-----BEGIN CERTIFICATE")) return;
    const also = /^[\x20-\x7e]{6,}$/.test(plain) ? { also: plain } : {};
    spans.push({ start: offset + start, end: offset + start + value.length, family: "password", value, ...also });
  };
  for (const [block, , field = "", lines = ""] of matches(BLOCK, text))
    for (const [line, name = "", quote = "", value = ""] of matches(LINE, lines))
      add(field, name, value, block.at + block.text.length - lines.length + line.at + line.text.lastIndexOf(value + quote));
  for (const [object, field = "", entries = ""] of matches(OBJECT, text))
    for (const [entry, name = "", value = ""] of matches(ENTRY, entries))
      add(field, name, value, object.at + object.text.length - 1 - entries.length + entry.at + entry.text.lastIndexOf(value));
  return spans;
}

function* matches(pattern: RegExp, text: string): Generator<[{ at: number; text: string }, ...string[]]> {
  for (const match of text.matchAll(pattern)) yield [{ at: match.index, text: match[0] }, ...match.slice(1)];
}
