import type { HookMode } from "../../../hook/client.ts";
import { HOOK_CLIENTS } from "../../../hook/find-client.ts";
import { readClientFile } from "../../../hook/install/client-file.ts";
import type { ClientPlan, HookScope, OnFailure } from "../../../hook/install/client-plan.ts";
import { FileRefused, type FoundHook, hookCommands, hookFaults } from "../../../hook/install/edit-text.ts";
import { switchesOn } from "../../../hook/install/find-switches.ts";
import { programFault } from "../../../hook/install/hook-program.ts";
import { type InstallPlace, scopesOf } from "../../../hook/install/install-hooks.ts";
import { type InstalledHook, readInstalled } from "../../../hook/install/installed.ts";
import { isJudgingLine, isOwnCommand } from "../../../hook/install/mark.ts";
import { movedFolder, placeOf } from "../../../hook/install/place.ts";
import { OWN_SESSION, recordedCalls, verdictIn } from "../../../hook/install/probe-inputs.ts";
import { gapsOf, wallsNotes } from "../../../hook/install/refuse-mode.ts";
import { type ClientVersion, versionOf } from "./client-version.ts";
import { hooksInCodexConfig, isLeftOutByCodex, isTrustedByCodex, readCodexTrust } from "./codex-config.ts";
import { runShellLine } from "./run-line.ts";

/** A file of a client, as it is now. */
export interface ExaminedFile {
  readonly scope: HookScope;
  readonly file: string;
  readonly own: readonly FoundHook[];
  readonly others: readonly Pick<FoundHook, "event" | "command">[];
  readonly record: InstalledHook | null;
  /** How the hooks are not as they were written. */
  readonly faults: readonly string[];
  /** Why it could not be read. */
  readonly refused: string | null;
}

/** What is true of one client. */
export interface ClientReport {
  readonly client: string;
  readonly state: "governed" | "not in force" | "not installed";
  /** Why it is not in force. */
  readonly wrong: readonly string[];
  readonly notes: readonly string[];
  readonly files: readonly string[];
  readonly mode: HookMode | null;
  readonly on_failure: OnFailure | null;
  /** Whether commands run behind Zeph's walls. */
  readonly walls: boolean;
  readonly answered_ms: number | null;
  readonly version: string | null;
  readonly version_tested: boolean;
  readonly trusted: boolean | null;
  readonly other_hooks: readonly { readonly file: string; readonly event: string; readonly command: string }[];
  readonly last_call: string | null;
}

export function examineFiles(plan: ClientPlan, place: InstallPlace): readonly ExaminedFile[] {
  const records = readInstalled(place.state).filter(({ client }) => client === plan.name);
  return scopesOf(plan).map((scope) => {
    const file = placeOf(plan, scope, place);
    const record = records.find((one) => one.file === file.path) ?? null;
    const common = { scope, file: file.path, record };
    try {
      const text = readClientFile(file);
      const found = text === null ? [] : hookCommands(plan, text);
      const isOwn = ({ command }: FoundHook) => isOwnCommand(plan.name)(command);
      return {
        ...common,
        own: found.filter(isOwn),
        others: found.filter((one) => !isOwn(one)),
        faults: text === null || record === null ? [] : hookFaults(plan, text, record),
        refused: null,
      };
    } catch (error) {
      if (!(error instanceof FileRefused)) throw error;
      return { ...common, own: [], others: [], faults: [], refused: error.message.replace(" Nothing was written.", "") };
    }
  });
}

/** The command lines of a client that decide about calls. */
export const judgingLines = (files: readonly Pick<ExaminedFile, "own">[]): readonly string[] => [
  ...new Set(files.flatMap(({ own }) => own.map(({ command }) => command)).filter(isJudgingLine)),
];

/** Longer than any client waits. */
export const ANSWER_LIMIT_MS = 65_000;

/** Why no walls can be built on this machine; null where they can. Asked once, and only where somebody wants walls. */
export type FindNoWalls = () => Promise<string | null>;

export async function examineClient(
  plan: ClientPlan,
  place: InstallPlace,
  { lastCall, noWalls }: { readonly lastCall: string | null; readonly noWalls: FindNoWalls },
): Promise<ClientReport> {
  const files = examineFiles(plan, place);
  const here = files.filter(({ own, record }) => own.length > 0 || record !== null);
  const version = await versionOf(plan);
  const chosen = here.find(({ record }) => record !== null)?.record ?? null;
  const probe = await probeLines(plan, { lines: judgingLines(here), mustJudge: here.length > 0 && chosen?.mode !== "filter" }, place);
  const trusted = plan.name === "codex" ? here.length > 0 && here.every((one) => isTrustedFile(one, place)) : null;
  const missing = chosen?.mode === "walls" ? await noWalls() : null;
  const left = leftBehind(plan, place, files);
  const isInstalled = here.length > 0 || left.length > 0;
  const wrong = !isInstalled
    ? []
    : [
        ...wrongWith(here),
        ...left,
        ...switchesOn(plan, place),
        ...probe.wrong,
        ...(trusted === false ? [UNTRUSTED] : []),
        ...(plan.name === "codex" && here.some(({ file, own }) => isLeftOutByCodex(place, file, own)) ? [LEFT_OUT] : []),
        ...(missing === null ? [] : [`No walls can be built on this machine: ${missing}`]),
      ];
  const foreign = files.flatMap(({ file, others }) => others.map(({ event, command }) => ({ file, event, command })));
  const inToml = plan.name === "codex" ? hooksInCodexConfig(place).map((one) => ({ file: "config.toml", ...one })) : [];
  return {
    client: plan.name,
    state: !isInstalled ? "not installed" : wrong.length > 0 ? "not in force" : "governed",
    wrong,
    notes: !isInstalled ? [] : notesOn(plan, version, chosen),
    files: here.map(({ file }) => file),
    mode: chosen?.mode ?? null,
    on_failure: chosen?.onFailure ?? null,
    walls: chosen?.mode === "walls" && missing === null,
    answered_ms: probe.ms,
    version: version.version,
    version_tested: version.isTested,
    trusted,
    other_hooks: [...foreign, ...inToml],
    last_call: lastCall,
  };
}

const UNTRUSTED = "Codex does not run these hooks, because nobody trusted them as they are now: open codex and type /hooks.";

const LEFT_OUT = "config.toml: hooks.state says enabled = false of these hooks, so Codex leaves them out: open codex and type /hooks.";

const isTrustedFile = ({ own, file, record }: ExaminedFile, place: InstallPlace): boolean => {
  const trusted = readCodexTrust(place, file);
  return own.length > 0 && own.every((hook) => isTrustedByCodex(hook, trusted, record?.oldTrust));
};

const wrongWith = (files: readonly ExaminedFile[]): readonly string[] =>
  files.flatMap(({ file, own, record, faults, refused }) => {
    if (refused !== null) return [`${file}: ${refused}`];
    if (own.length === 0) return [`${file}: the hooks that Zeph wrote are no longer there.`];
    if (record === null) return [`${file}: these hooks are not in Zeph's records. Install them again, or remove them.`];
    const program = programFault(record.program, record.programSign);
    return [...faults.map((fault) => `${file}: ${fault}`), ...(program === null ? [] : [program])];
  });

/** Hooks that stand where the client does not look any more, because a variable leads it elsewhere. */
function leftBehind(plan: ClientPlan, place: InstallPlace, files: readonly ExaminedFile[]): readonly string[] {
  const moved = movedFolder(plan, place);
  const old = readInstalled(place.state).find(({ client, scope }) => client === plan.name && scope === "user");
  if (moved === null || old === undefined || files.some(({ file, own }) => file === old.file || own.length > 0)) return [];
  return [`${moved.variable} leads ${plan.name} to ${moved.folder}, where no hook of Zeph stands. Those in ${old.file} are not read.`];
}

async function probeLines(
  plan: ClientPlan,
  { lines, mustJudge }: { readonly lines: readonly string[]; readonly mustJudge: boolean },
  { cwd }: InstallPlace,
): Promise<{ readonly ms: number | null; readonly wrong: readonly string[] }> {
  const input = JSON.stringify(recordedCalls(plan.name, { cwd, session: `${OWN_SESSION}status` }).allowed);
  const wrong: string[] = lines.length === 0 && mustJudge ? ["No entry of Zeph's judges calls."] : [];
  let slowest: number | null = null;
  for (const line of lines) {
    const end = await runShellLine(line, { input, cwd, env: process.env, limitMs: ANSWER_LIMIT_MS });
    const verdict = verdictIn(end);
    slowest = Math.max(slowest ?? 0, Math.round(end.ms));
    if (verdict !== "pass" && verdict !== "ask")
      wrong.push(`The program does not answer: ${end.stderr.trim().split("\n")[0] || `exit ${end.code ?? "never"}`} (${line})`);
  }
  return { ms: slowest, wrong };
}

function notesOn(plan: ClientPlan, { program, version, isTested }: ClientVersion, record: InstalledHook | null): readonly string[] {
  return [
    ...(record?.onFailure === "allow" ? ["Where Zeph does not answer, calls are made: --on-failure allow."] : []),
    ...(program === null ? [`${plan.program} is not on PATH.`] : []),
    ...(program !== null && version === null ? [`${plan.program} does not say which version it is.`] : []),
    ...(version !== null && !isTested
      ? [`Version ${version} was never tried with Zeph; ${HOOK_CLIENTS[plan.name].tested ?? "none"} was.`]
      : []),
    ...(record?.mode === "walls" ? wallsNotes(plan.name) : []),
    ...gapsOf(plan.name),
  ];
}
