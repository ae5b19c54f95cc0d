import { type Assigned, assignment } from "./assignments.ts";
import { commands, passPhrase } from "./commands.ts";
import { formatted } from "./formatted.ts";
import { authorization, bearer, cookies } from "./headers.ts";
import { kubernetesSecret } from "./kubernetes.ts";
import type { Span } from "./span.ts";
import { urlSecrets } from "./urls.ts";

/**
 * Every secret in a text, in the order of the text as far as they do not overlap. Each pass is one search for something short that looks
 * closer only where it is found, so that a text without secrets costs little and no text costs more than its length allows.
 */
export function scan(text: string): Span[] {
  const known = formatted(text);
  const others = [...named(text), ...inUrls(text), ...commands(text)].sort((a, b) => a.start - b.start);
  return [...known, ...outside(others, known)];
}

/** A format says more than a name: what lies within a span that is known by its format is that secret. */
function outside(others: readonly Span[], known: readonly Span[]): Span[] {
  let at = 0;
  return others.filter((span) => {
    while (at < known.length && known[at]!.end <= span.start) at++;
    const over = known[at];
    return !over || over.start > span.start || over.end < span.end;
  });
}

/** Words that are part of a secret's name, or start something that holds one. */
const NAMING = /pass|pwd|secret|token|key|auth|cred|cookie|bearer|jwt|mnemonic|[-_]p(?:at|w)/gi;

function named(text: string): Span[] {
  const spans: Span[] = [];
  const secretObjects = kubernetesSecret(text);
  NAMING.lastIndex = 0;
  for (let match = NAMING.exec(text); match; match = NAMING.exec(text)) {
    const [word] = match;
    const at = match.index;
    const found = holder(text, at, word.toLowerCase());
    for (const span of found.spans) spans.push(span);
    if (word === "Secret") for (const span of secretObjects(at)) spans.push(span);
    NAMING.lastIndex = Math.max(found.end, at + word.length);
  }
  return spans;
}

type Finder = (text: string, at: number) => Assigned;
const HOLDERS: ReadonlyMap<string, Finder> = new Map<string, Finder>([
  ["pass", passPhrase],
  ["auth", authorization],
  ["bearer", bearer],
  ["cookie", cookies],
]);

/** What the word starts, and if it starts nothing, the name it is part of. */
function holder(text: string, at: number, word: string): Assigned {
  const found = HOLDERS.get(word)?.(text, at);
  return found && found.spans.length > 0 ? found : assignment(text, at);
}

function inUrls(text: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf("://"); at >= 0; at = text.indexOf("://", at + 3)) spans.push(...urlSecrets(text, at + 3));
  return spans;
}
