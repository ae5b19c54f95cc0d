import { steeringMoved } from "../../core/protected.ts";
import { createCachedFiles } from "../../files/cached-file.ts";
import { CLIENT_PLANS } from "../../hook/install/client-plans.ts";
import { type InstalledHook, installedFile } from "../../hook/install/installed.ts";
import { folderOfInstalled } from "../../hook/install/place.ts";

/** The files that `zeph hook install` wrote, wherever they lie, and what else counts in the folders around them. Read again when the record changes. */
export function createInstalledPlaces(state: string): () => readonly string[] {
  const read = createCachedFiles((_path, text) => placesOf((JSON.parse(text) as { readonly hooks?: unknown }).hooks));
  return () => {
    const found = read(installedFile(state));
    return found.kind === "read" ? found.value : [];
  };
}

const placesOf = (hooks: unknown): readonly string[] =>
  (Array.isArray(hooks) ? (hooks as readonly Partial<InstalledHook>[]) : []).flatMap(({ client, file }) => {
    if (client === undefined || typeof file !== "string" || !Object.hasOwn(CLIENT_PLANS, client)) return [];
    const around = folderOfInstalled(client, CLIENT_PLANS[client].files, file);
    return [file, ...(around === null ? [] : steeringMoved(around.usual, around.folder))];
  });
