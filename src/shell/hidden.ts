import type { ShellWord } from "./options.ts";
import type { Context, Spot, Walk } from "./walk.ts";

/** Some arguments are looked into for substitutions even when they are quoted: `let 'a[$(id)]=1'` runs id. */
export function hiddenEvaluation(walk: Walk, words: readonly ShellWord[], context: Context, node: Spot): void {
  for (const word of words) {
    if (word === null || !/\$[({]|`/.test(word)) continue;
    walk.doubt("a quoted argument is evaluated again and runs a command", context, node);
    for (const [text] of word.matchAll(/\$\(.*\)|`[^`]*`/gs))
      walk.script(`: ${text}`, "a quoted argument", { ...context, range: context.range ?? { start: node.pos, end: node.end } });
  }
}

/** `a['$(id)']`: in a subscript quotes do not protect. */
export function quotedSubscript(walk: Walk, text: string, context: Context, node: Spot): void {
  const [, inner] = /\[[^\]']{0,128}'([^']{0,256})'/.exec(text) ?? [];
  if (inner !== undefined) hiddenEvaluation(walk, [inner], context, node);
}
