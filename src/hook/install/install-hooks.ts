import type { HookMode } from "../client.ts";
import { assertWritable, backUpOnce, type ClientFile, dropBackup, dropFolders, readClientFile, replaceClientFile } from "./client-file.ts";
import type { ClientPlan, HookScope, OnFailure } from "./client-plan.ts";
import { type Cleaned, type Edited, hashOfText, hookCommands, withHooks, withoutHooks } from "./edit-text.ts";
import { signOfProgram } from "./hook-program.ts";
import { type InstalledHook, keepInstalled, readInstalled } from "./installed.ts";
import { hookLine, isOwnCommand } from "./mark.ts";
import { placeOf, type Whereabouts } from "./place.ts";

/** Where Zeph's own records lie, and where the person's settings do. */
export interface InstallPlace extends Whereabouts {
  readonly state: string;
}

export interface InstallWish {
  readonly scope: HookScope;
  readonly mode: HookMode;
  readonly onFailure: OnFailure;
  /** The program that the client runs, by its absolute path, and the words before the client's name. */
  readonly program: readonly string[];
}

/** A change that nobody has made yet. */
export interface InstallStep {
  readonly plan: ClientPlan;
  readonly file: ClientFile;
  readonly before: string | null;
  readonly after: string;
  readonly isSame: boolean;
  /** Writes it. `oldTrust`: see InstalledHook. */
  apply(oldTrust?: Readonly<Record<string, string>>): void;
}

/** What an installation would change. Throws a FileRefused; nothing is written before `apply`. */
export function createInstallStep(plan: ClientPlan, wish: InstallWish, place: InstallPlace): InstallStep {
  const file = placeOf(plan, wish.scope, place);
  const before = readClientFile(file);
  assertWritable(file);
  const record = recordOf(plan, file, place.state);
  const clean = cleaned(plan, before, record);
  const edited = withHooks(plan, clean.text, (event) => hookLine(wish.program, plan.name, event, wish.onFailure), wish);
  const isSame = edited.text === before && record?.hash === hashOfText(edited.text);
  return { plan, file, before, after: edited.text, isSame, apply: (oldTrust) => write(oldTrust) };

  function write(oldTrust: Readonly<Record<string, string>> | undefined): void {
    if (clean.how === "none of ours") backUpOnce(file, before);
    const made = edited.text === before ? [] : replaceClientFile(file, before, edited.text);
    const kept = newRecord(edited, { plan, wish, file, place, clean, record, made });
    keepInstalled(place.state, plan.name, file.path, oldTrust === undefined ? kept : { ...kept, oldTrust });
  }
}

const cleaned = (plan: ClientPlan, before: string | null, record: InstalledHook | null): Cleaned =>
  before === null ? { text: null, how: "none of ours" } : withoutHooks(plan, before, record);

const recordOf = (plan: ClientPlan, file: ClientFile, state: string): InstalledHook | null =>
  readInstalled(state).find((one) => one.client === plan.name && one.file === file.path) ?? null;

interface Surroundings {
  readonly plan: ClientPlan;
  readonly wish: InstallWish;
  readonly file: ClientFile;
  readonly place: InstallPlace;
  readonly clean: Cleaned;
  readonly record: InstalledHook | null;
  readonly made: readonly string[];
}

const signOf = (program: readonly string[]): Pick<InstalledHook, "programSign"> => {
  const programSign = signOfProgram(program);
  return programSign === null ? {} : { programSign };
};

const newRecord = ({ text, splices }: Edited, { plan, wish, file, place, clean, record, made }: Surroundings): InstalledHook => ({
  client: plan.name,
  scope: wish.scope,
  file: file.path,
  folder: wish.scope === "user" ? null : place.cwd,
  mode: wish.mode,
  onFailure: wish.onFailure,
  program: wish.program,
  ...signOf(wish.program),
  was: clean.text === null ? "missing" : "there",
  made: made.length > 0 ? made : (record?.made ?? []),
  at: new Date().toISOString(),
  hash: hashOfText(text),
  splices,
});

/** A removal that nobody has made yet. */
export interface RemoveStep {
  readonly plan: ClientPlan;
  readonly file: ClientFile;
  readonly before: string;
  readonly after: string | null;
  /** Takes it out. Returns a sentence for each thing that stays. */
  apply(): readonly string[];
}

/** What a removal would change; null where nothing of this client stands in the file. Throws a FileRefused. */
export function createRemoveStep(plan: ClientPlan, scope: HookScope, place: InstallPlace): RemoveStep | null {
  const file = placeOf(plan, scope, place);
  const before = readClientFile(file);
  const record = recordOf(plan, file, place.state);
  const clean = cleaned(plan, before, record);
  if (before === null || clean.how === "none of ours") return null;
  assertWritable(file);
  const apply = (): readonly string[] => {
    replaceClientFile(file, before, clean.text);
    if (clean.text === null) dropFolders(record?.made ?? []);
    keepInstalled(place.state, plan.name, file.path, null);
    return stays(plan, file, clean);
  };
  return { plan, file, before, after: clean.text, apply };
}

/** Forgets what was written into a file that holds none of it any more. */
export function forgetInstalled(plan: ClientPlan, scope: HookScope, place: InstallPlace): void {
  const file = placeOf(plan, scope, place);
  if (recordOf(plan, file, place.state)) keepInstalled(place.state, plan.name, file.path, null);
}

function stays(plan: ClientPlan, file: ClientFile, { text, how }: Cleaned): readonly string[] {
  const backup = dropBackup(file);
  const others = text === null ? [] : hookCommands(plan, text).filter(({ command }) => !isOwnCommand(plan.name)(command));
  return [
    ...(how === "by mark" ? ["The file was changed since Zeph wrote it, so only its entries were taken out; blank space may differ."] : []),
    ...others.map(({ event, command }) => `A hook of somebody else stays (${event}): ${command}`),
    ...(backup === null ? [] : [`The copy of the file from before the installation stays: ${backup}`]),
  ];
}

/** Every file of a client in which an entry of ours could stand, seen from a folder. */
export function scopesOf(plan: ClientPlan): readonly HookScope[] {
  const seen = new Set<string>();
  return (["user", "project", "shared"] as const).filter((scope) => {
    const name = plan.files[scope];
    const key = `${scope === "user" ? "home" : "folder"} ${name}`;
    if (name === null || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
