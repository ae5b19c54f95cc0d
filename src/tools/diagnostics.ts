import * as z from "zod";
import type { Diagnosed, Diagnostic, DiagnosticsKind } from "../core/ports/diagnostics.ts";
import { defineOwnTool } from "../core/tool.ts";
import { oneLine } from "../text/visible.ts";
import { plural } from "../text/words.ts";
import { pathArgument } from "./path-argument.ts";

/** `clippy` is the name that Rust projects know for linting. */
const KINDS = { check: "check", lint: "lint", clippy: "lint" } as const satisfies Record<string, DiagnosticsKind>;

export const diagnostics = defineOwnTool({
  name: "diagnostics",
  description:
    "Run the project's own compilers or linters and list what they find. The programs are chosen by the files of the project around the path (Cargo.toml, tsconfig.json, go.mod, eslint.config.js and others).",
  effect: "runs",
  facets: { answers: "fresh", shape: "whole", needs: "nothing", about: "work" },
  input: () =>
    z.strictObject({
      kind: z
        .enum(["check", "lint", "clippy"])
        .optional()
        .describe('"check" (default): compile and type errors; "lint" or "clippy": what the linters find'),
      max_diagnostics: z.int().min(1).max(1000).optional().describe("Most findings to list; the rest is counted"),
      path: pathArgument("Only findings in this file or folder").optional(),
    }),
  // Build scripts, plugins and settings of the project are programs: nobody can say what they touch.
  touches: ({ path = "." }) => [
    { kind: "path", access: "read", path },
    { kind: "unknown", why: "it runs the project's own build scripts and plugins" },
  ],
  claims: "diagnostics",
  async run(permit, { host, signal, turn }) {
    const { kind = "check", max_diagnostics: max = null, path = null } = permit.input;
    const found = await host.diagnostics.check(permit, { kind: KINDS[kind], path, max }, { signal, turn });
    const { items, total, tools, warnings, walls } = found;
    return {
      text: [...items.map(line), summary(found), ...warnings.map((warning) => `[${oneLine(warning)}]`)].join("\n"),
      raw: { items, total, tools, warnings },
      truncated: total > items.length,
      locations: items.slice(0, 20).flatMap(({ file: path, line }) => (path === null ? [] : [{ path, ...(line !== null && { line }) }])),
      ...(walls && { walls }),
    };
  },
});

/** As compilers write it, so that people and editors find the place. */
function line({ severity, message, file: path, line, col, code }: Diagnostic): string {
  const place = path === null ? "" : `${oneLine([path, ...(line === null ? [] : [line, ...(col === null ? [] : [col])])].join(":"))}: `;
  return `${place}${severity}: ${oneLine(message)}${code === undefined ? "" : ` [${oneLine(code)}]`}`;
}

/** Nothing found and nothing looked at are two things. */
function summary({ items, total, counts, tools, warnings }: Diagnosed): string {
  if (total === 0 && tools.length === 0) return "No diagnostics: nothing was checked";
  if (total === 0) return warnings.length === 0 ? "No diagnostics" : "No diagnostics, but:";
  const words = [plural(counts.error, "error"), plural(counts.warning, "warning"), ...(counts.info > 0 ? [`${counts.info} info`] : [])];
  return `${words.join(", ")}${items.length < total ? ` (${items.length} shown)` : ""}`;
}
