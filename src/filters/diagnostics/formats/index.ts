import type { DiagnosticFormat } from "../diagnostic.ts";
import { biome } from "./biome.ts";
import { box } from "./box.ts";
import { colon } from "./colon.ts";
import { bare, go } from "./go.ts";
import { maven } from "./maven.ts";
import { paren } from "./paren.ts";
import { prettier } from "./prettier.ts";
import { rustc } from "./rustc.ts";
import { shellcheck } from "./shellcheck.ts";
import { stylish } from "./stylish.ts";
import { pretty } from "./tsc-pretty.ts";
import { webpack } from "./webpack.ts";

/** The ways in which tools write diagnostics, the more particular first. */
export const DIAGNOSTIC_FORMATS = {
  pretty,
  rustc,
  biome,
  box,
  shellcheck,
  webpack,
  maven,
  prettier,
  paren,
  stylish,
  colon,
  go,
  bare,
} as const satisfies Readonly<Record<string, DiagnosticFormat>>;

export type FormatName = keyof typeof DIAGNOSTIC_FORMATS;
