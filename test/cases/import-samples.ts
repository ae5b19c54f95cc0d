import { parseConfigToml } from "../../src/config/read.ts";
import type { SourceStanding } from "../../src/neighbours/import/convert-rules.ts";
import type { SourceKind } from "../../src/neighbours/import/convert-source.ts";
import { type ImportPlan, planImport } from "../../src/neighbours/import/plan-import.ts";
import type { DocumentForm } from "../../src/neighbours/import/read-document.ts";
import { createSecretValues } from "../../src/neighbours/import/secret-values.ts";

/** Whose file a source is: the person's own, that of a project they trust, or that of a stranger's project. */
export type Scope = "own" | "vouched" | "stranger";

export const WORKSPACE = "/srv/project";

export const standingOf = (scope: Scope): SourceStanding => ({
  anchors: { workspace: "", settings: scope === "own" ? "/home/p/.claude/" : "" },
  allows: scope === "stranger" ? "denials only" : "all",
  holdsSecret: createSecretValues().holdsSecret,
});

const FORMS: Partial<Record<SourceKind, DocumentForm>> = {
  "claude settings": "json",
  "codex settings": "toml",
  "codex rules": "statements",
  "gemini policies": "toml",
};

export interface Given {
  readonly kind: SourceKind;
  readonly text: string;
  readonly scope?: Scope;
  readonly name?: string;
}

/** What the settings are once these files are imported. */
export function importAll(given: readonly Given[], before = "", date = "2026-11-18"): ImportPlan {
  const sources = given.map(({ kind, text, scope = "own", name = `~/${kind.replace(" ", "/")}` }) => ({
    kind,
    form: FORMS[kind] ?? "jsonc",
    name,
    text,
    standing: standingOf(scope),
  }));
  return planImport(before, sources, { date, workspace: WORKSPACE, into: "user" });
}

export const settingsOf = (plan: ImportPlan): Record<string, unknown> => parseConfigToml(undefined, plan.text);
