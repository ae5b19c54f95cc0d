import { createKeyReader, keyFilePath } from "../../../config/api-keys.ts";
import { ConfigError } from "../../../config/problem.ts";
import { statEntry } from "../../../files/stat.ts";
import type { Desk } from "../../../runtime/create.ts";
import { listKnownProviders } from "../../../runtime/first-run/known-providers.ts";
import { bounded } from "../../../text/visible.ts";
import { type DoctorFinding, failLine, okLine, warnLine } from "./finding.ts";

type Variables = Readonly<Record<string, string | undefined>>;

const MANY_BYTES = 2 * 1024 ** 3;

/** The configuration files and whether the project's counts. */
export function findSettings({ loaded }: Pick<Desk, "loaded">): readonly DoctorFinding[] {
  const { userFile, project, warnings } = loaded;
  const own = statEntry(userFile) === null ? `${userFile} (not there: defaults)` : userFile;
  return [
    okLine("config", own),
    ...(project ? [trustOf(project)] : [okLine("trust", "this folder has no .zeph/config.toml, so there is nothing to trust")]),
    ...warnings.map((text) => warnLine("config", text, "See: zeph config explain")),
  ];
}

function trustOf({ file, trusted, ignored }: NonNullable<Desk["loaded"]["project"]>): DoctorFinding {
  if (trusted) return okLine("trust", `${file} is trusted`);
  if (ignored.length === 0) return okLine("trust", `${file} only tightens, so it counts without trust`);
  return warnLine("trust", `${file} is not trusted: ${ignored.length} of its settings do not count`, "Read it, then run: zeph trust");
}

/** A configuration that cannot be read, in its own words. */
export const wrongSettings = (error: ConfigError): readonly DoctorFinding[] =>
  error.problems.map(({ file, line, message }) =>
    failLine(
      "config",
      `${file === undefined ? "" : `${file}${line === undefined ? "" : `:${line}`}: `}${bounded(message, 500)}`,
      "Put it right; until then nothing of Zeph starts here.",
    ),
  );

/** Where keys are, by their names. Never a part of one. */
export function findKeys({ loaded, at }: Pick<Desk, "loaded" | "at">, env: Variables): readonly DoctorFinding[] {
  const { providers } = loaded.config.llm;
  const own = providers.map(({ api_key_env }) => api_key_env).filter((name) => name !== undefined);
  const names = [...new Set([...own, ...listKnownProviders().map(({ keyName }) => keyName)])];
  const inFile = createKeyReader({ home: at.home, env: { XDG_CONFIG_HOME: env.XDG_CONFIG_HOME } });
  try {
    const found = names.flatMap((name) => {
      if (env[name]?.trim()) return [`${name} from the environment`];
      return inFile(name) ? [`${name} from ${keyFilePath({ home: at.home, env })}`] : [];
    });
    if (found.length > 0) return [okLine("key", found.join(", "))];
    return [warnLine("key", "none was found", "Run zeph at a terminal and paste one, or use a local Ollama. The tools work without.")];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [failLine("key", error.message, "Put it right; no key is read from this file until then.")];
  }
}

export function findStore({ at }: Pick<Desk, "at">): DoctorFinding {
  const size = (path: string) => statEntry(path)?.size ?? 0;
  const store = size(at.store) + size(`${at.store}-wal`);
  const audit = size(at.audit);
  const text = `${at.store} (${megabytes(store)}), audit log ${at.audit} (${megabytes(audit)})`;
  if (store + audit < MANY_BYTES) return okLine("store", text);
  return warnLine("store", text, "Delete conversations with: zeph sessions delete; move old audit logs elsewhere.");
}

/** The database that machines share, where there is one. It is another machine's, so it is asked only if anybody may be. */
export async function findSharedStore(
  { shared, loaded }: Pick<Desk, "shared" | "loaded">,
  asks: "online" | "offline",
): Promise<readonly DoctorFinding[]> {
  if (shared === null) return [];
  if (asks === "offline") return [okLine("shared", `${shared} (not tried; \`zeph store check\` does)`)];
  const { findings, ok } = await (await import("../../../runtime/fleet/shared-store.ts")).checkStore(loaded.config.store.url);
  if (ok) return [okLine("shared", `${shared}: ${findings.map(({ about, text }) => `${about} ${text}`).join("; ")}`)];
  return findings
    .filter(({ state }) => state === "fail")
    .map(({ about, text, todo }) => failLine("shared", `${shared}: ${about}: ${text}`, todo ?? "Run: zeph store check"));
}

const megabytes = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MB`;
