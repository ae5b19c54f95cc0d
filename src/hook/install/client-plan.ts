import type { ClientName, HookMode, HookMoment } from "../client.ts";
import type { JsonComments } from "./json-tree.ts";

export type OnFailure = "deny" | "allow";
/** Of this user everywhere, of this folder in a file that is not committed, or of this folder in one that is. */
export type HookScope = "user" | "project" | "shared";

/** A command line as a client shall run it at an event. */
export type CommandFor = (event: HookMoment) => string;

/** An entry of ours in a client's settings: below which event of the client it stands, and what it is. */
export interface HookEntry {
  readonly event: string;
  readonly entry: object;
}

/** How Zeph is put into one client: where, what, and what cannot be had there. */
export interface ClientPlan {
  readonly name: ClientName;
  /** The program on PATH. */
  readonly program: string;
  /** The npm package it comes in, by which its processes are known where their name is `node`. */
  readonly package: string;
  /** Below the home folder, and below the folder of a project; null where the client has no such file. */
  readonly files: Readonly<Record<HookScope, string | null>>;
  /** The folders of its own: a link to elsewhere is not written through. */
  readonly folder: Readonly<Record<HookScope, string>>;
  /** What passes by the hook, besides what the client's table of abilities says. */
  readonly gaps: readonly string[];
  /** How its file is written. */
  readonly form: SettingsForm | PluginForm;
}

/** Entries in a file of settings that others write too. */
export interface SettingsForm {
  readonly kind: "settings";
  readonly comments: JsonComments;
  readonly top: readonly (readonly [string, unknown])[];
  entries(command: CommandFor, how: { readonly mode: HookMode; readonly onFailure: OnFailure }): readonly HookEntry[];
}

/** What a person chose, and the program that is run, as far as that is known. */
export interface PluginChoice {
  readonly mode: HookMode;
  readonly onFailure: OnFailure;
  readonly program?: readonly string[];
}

/** A file that is ours as a whole. */
export interface PluginForm {
  readonly kind: "plugin";
  text(command: CommandFor, how: PluginChoice): string;
}

/** How long clients wait, in seconds. Zeph says no after three, or twenty where a gate asks a model, so theirs is never reached. */
export const CLIENT_WAIT_SECONDS = 60;

/** Which events a mode needs. A guard hears of the end of calls too: its gates remember what was read and done. */
export const eventsOf = (mode: HookMode): readonly HookMoment[] => (mode === "filter" ? ["post"] : ["pre", "post"]);
