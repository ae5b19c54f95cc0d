import { assertKnownOptions } from "../../core/inputs/options.ts";
import type { Anchor, Anchors } from "../../core/ports/anchors.ts";
import type { AuditPage, Verification } from "../../core/ports/audit.ts";
import { openAuditFile } from "../../store/audit/audit-file.ts";
import { createAuditReader } from "../../store/audit/audit-reader.ts";
import { openStore } from "../../store/open.ts";
import type { AuditOptions, OpenAudit } from "./audit.ts";

export async function openAuditAlone(options: AuditOptions): Promise<OpenAudit> {
  const { anchors, close } = openAnchors("openAudit", options);
  try {
    const log = openAuditFile(options.path, anchors);
    return {
      path: log.path,
      append: log.append,
      record: log.record,
      async close() {
        log.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

export const verifyAuditAlone = (options: AuditOptions): Promise<readonly Verification[]> =>
  withReader("verifyAuditLog", options, (reader) => reader.verify());

export const readTailAlone = (options: AuditOptions, count: number): Promise<AuditPage> =>
  withReader("readAuditTail", options, (reader) => reader.tail(count));

async function withReader<T>(
  owner: string,
  options: AuditOptions,
  read: (reader: ReturnType<typeof createAuditReader>) => Promise<T>,
): Promise<T> {
  const { anchors, close } = openAnchors(owner, options);
  try {
    return await read(createAuditReader(options.path, anchors));
  } finally {
    await close();
  }
}

function openAnchors(owner: string, options: AuditOptions): { readonly anchors: Anchors; close(): Promise<void> } {
  assertKnownOptions(owner, options, ["path", "store"]);
  return options.store === undefined ? { anchors: forgetful(), close: async () => {} } : openStore(options.store);
}

/** Remembers for as long as the log is open. */
function forgetful(): Anchors {
  const known = new Map<string, Anchor>();
  return {
    get: (file) => known.get(file) ?? null,
    set: (file, anchor) => void known.set(file, anchor),
    announce(file, announced) {
      const anchor = known.get(file);
      if (anchor) known.set(file, { ...anchor, announced });
      return anchor !== undefined;
    },
    files: () => [...known.keys()],
  };
}
