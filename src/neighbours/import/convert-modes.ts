import { type SourcePath, valueIn } from "../rules/client-rule.ts";
import { DENIALS_ONLY, type SourceStanding } from "./convert-rules.ts";
import type { Fate, ImportLedger } from "./ledger.ts";
import type { Piece } from "./piece.ts";

const setting = (key: string, value: string | boolean): Piece => ({ kind: "setting", key, value });
const notTaken = (why: string): Fate => ({ list: "not taken", why });

const BYPASS = "a mode that asks nobody is never taken over; Zeph stays supervised";

/** How much an agent asks, as it is called by all of them. */
const MODES: Readonly<Record<string, Fate>> = {
  plan: { list: "taken", pieces: [setting("autonomy", "readonly")] },
  acceptedits: { list: "changed", pieces: [setting("autonomy", "edits")], why: "commands that change files are asked about as before" },
  "auto-edit": { list: "changed", pieces: [setting("autonomy", "edits")], why: "commands that change files are asked about as before" },
  auto_edit: { list: "changed", pieces: [setting("autonomy", "edits")], why: "commands that change files are asked about as before" },
  default: { list: "taken", pieces: [], why: "Zeph asks by itself" },
  dontask: notTaken("Zeph denies what nobody answers; there is no mode for it"),
  bypasspermissions: notTaken(BYPASS),
  yolo: notTaken(BYPASS),
  auto: notTaken(BYPASS),
};

export function convertMode(data: unknown, path: readonly string[], { allows }: SourceStanding, ledger: ImportLedger): void {
  const mode = valueIn(data, ...path);
  if (mode === undefined) return;
  const fate = (typeof mode === "string" ? MODES[mode.toLowerCase()] : undefined) ?? notTaken("Zeph knows no such mode");
  const isWider = fate.list === "changed" && allows !== "all";
  ledger.claim(path, isWider ? notTaken(DENIALS_ONLY) : fate, {
    written: `${path.at(-1)} ${typeof mode === "string" && mode.length < 40 ? mode : ""}`.trim(),
    action: null,
  });
}

/** More folders to work in. The list needs the folder itself, which is named by nobody where there is no list. */
export function convertFolders(
  data: unknown,
  path: readonly string[],
  list: "tools.file.allowed_paths" | "tools.sandbox.allow_write",
  { allows }: SourceStanding,
  ledger: ImportLedger,
): void {
  const folders = valueIn(data, ...path);
  if (!Array.isArray(folders)) return;
  for (const [n, folder] of folders.entries()) {
    const place: SourcePath = [...path, n];
    if (typeof folder !== "string" || folder === "" || /^(?:\/|~\/?)$/.test(folder) || folder.includes("${"))
      ledger.claim(place, notTaken("it is no single folder"));
    else if (allows !== "all") ledger.claim(place, notTaken(DENIALS_ONLY));
    else
      ledger.claim(place, {
        list: "taken",
        pieces: [".", folder].map((value): Piece => ({ kind: "value", list, value })),
      });
  }
}

/** Keys that say why they are not taken. */
export function leaveKeys(data: unknown, reasons: Readonly<Record<string, string>>, ledger: ImportLedger): void {
  for (const [key, why] of Object.entries(reasons)) {
    const path = key.split(".");
    if (valueIn(data, ...path) !== undefined) ledger.claim(path, notTaken(why));
  }
}
