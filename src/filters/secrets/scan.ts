import { type FoundAssignment, findAssignment } from "./named/assignment.ts";
import { commands, passPhrase } from "./named/commands.ts";
import { authorization, bearer, cookies } from "./named/headers.ts";
import { kubernetesSecret } from "./named/kubernetes.ts";
import { signature, userInfo } from "./named/urls.ts";
import { formatted } from "./shaped/formatted.ts";
import type { SecretSpan } from "./span.ts";

/**
 * Every secret in a text, in the order of the text as far as they do not overlap. Each pass is one search for something short that looks
 * closer only where it is found, so that a text without secrets costs little and no text costs more than its length allows.
 */
export function scan(text: string): SecretSpan[] {
  const known = formatted(text);
  const others = [...named(text), ...inUrls(text), ...commands(text)].sort((a, b) => a.start - b.start);
  return [...known, ...outside(others, known)];
}

/** A format says more than a name: what lies within a span that is known by its format is that secret. */
function outside(others: readonly SecretSpan[], known: readonly SecretSpan[]): SecretSpan[] {
  let at = 0;
  return others.filter((span) => {
    while (at < known.length && known[at]!.end <= span.start) at++;
    const over = known[at];
    return !over || over.start > span.start || over.end < span.end;
  });
}

/** Words that are part of a secret's name, or start something that holds one. */
const NAMING = /pass|pwd|secret|token|key|auth|cred|cookie|bearer|jwt|mnemonic|[-_]p(?:at|w)/gi;

function named(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  const secretObjects = kubernetesSecret(text);
  NAMING.lastIndex = 0;
  for (let match = NAMING.exec(text); match; match = NAMING.exec(text)) {
    const [word] = match;
    const at = match.index;
    const found = holder(text, at, word.toLowerCase());
    for (const span of found.spans) spans.push(span);
    if (/^secret$/i.test(word)) for (const span of secretObjects(at)) spans.push(span);
    NAMING.lastIndex = Math.max(found.end, at + word.length);
  }
  return spans;
}

type Finder = (text: string, at: number) => FoundAssignment;
const HOLDERS: ReadonlyMap<string, Finder> = new Map<string, Finder>([
  ["pass", passPhrase],
  ["auth", authorization],
  ["bearer", bearer],
  ["cookie", cookies],
]);

/** What the word starts, and if it starts nothing, the name it is part of. */
function holder(text: string, at: number, word: string): FoundAssignment {
  const found = HOLDERS.get(word)?.(text, at);
  return found && (found.spans.length > 0 || found.end > at + MAX_WORD) ? found : findAssignment(text, at);
}
/** What ends farther away has been looked at. */
const MAX_WORD = 100;

function inUrls(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  let seen = 0;
  for (let at = text.indexOf("://"); at >= 0; at = text.indexOf("://", at + 3)) {
    const password = userInfo(text, at + 3);
    if (password) spans.push(password);
    // An address inside of an address is part of it.
    if (at < seen) continue;
    const query = signature(text, at + 3);
    if (query.span) spans.push(query.span);
    seen = query.end;
  }
  return spans;
}
