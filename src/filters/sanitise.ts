import { isErrorShaped } from "./errors.ts";

// Colours, cursor moves, titles and links. An unfinished one ends with its line.
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of them
  /\u001b\[[0-9;:?<=>]*[ -/]*[@-~]|\u001b\][^\u0007\u001b\n]{0,4096}(?:\u0007|\u001b\\)?|\u001b[PX^_][^\u001b\n]{0,4096}(?:\u001b\\)?|\u001b[ -/]*[0-~]|\u009b[0-9;?]*[@-~]/g;
// Erasing the line or going back to its start: what follows overwrites what was there.
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of them
const REWINDS = /\u001b\[[012]?K\r?|\u001b\[[01]?G/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones meant
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f]/g;

/** What a terminal would show in the end, line by line: no colours, no progress bars, no runs of blank lines. Errors that were overwritten stay. */
export function sanitise(raw: string): string[] {
  const plain = withoutEscapes(raw);
  const lines: string[] = [];
  let blank = true;
  const add = (line: string) => {
    const isBlank = line === "" || line.trim() === "";
    if (!(isBlank && blank)) lines.push(isBlank ? "" : line);
    blank = isBlank;
  };
  for (const line of plain.split("\n")) {
    if (!line.includes("\r")) add(line);
    else for (const part of settled(line)) add(part);
  }
  while (lines.length > 0 && lines.at(-1) === "") lines.pop();
  return lines;
}

export function withoutEscapes(raw: string): string {
  const rewound = raw.includes("\u001b") ? raw.replace(REWINDS, "\r").replace(ESCAPES, "") : raw.replace(/\u009b[0-9;?]{0,32}[@-~]/g, "");
  return rewound.search(CONTROLS) === -1 ? rewound : rewound.replace(CONTROLS, "");
}

/** A line that was written over: what stands there at the end, after what went wrong on the way. */
function settled(line: string): string[] {
  const parts = line.split("\r").filter((part) => part.trim() !== "");
  const last = parts.pop();
  if (last === undefined) return [""];
  const errors = new Map<string, string>();
  for (const part of parts) {
    if (errors.size >= MOST_ERRORS) break;
    if (isErrorShaped(part)) errors.set(part.replace(/\d+/g, "0"), part);
  }
  return [...errors.values()].filter((part) => part !== last).concat(last);
}

const MOST_ERRORS = 50;

/** Bytes that are no text: shown to nobody. */
export function isBinary(raw: string): boolean {
  const sample = raw.length > SAMPLE ? raw.slice(0, SAMPLE) : raw;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones meant
  const odd = sample.match(/[\u0000-\u0006\u000e-\u001a\u001c-\u001f\ufffd]/g)?.length ?? 0;
  return odd > 8 && odd > sample.length / 50;
}

const SAMPLE = 65_536;
