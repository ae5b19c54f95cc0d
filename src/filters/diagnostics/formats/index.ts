import type { DiagnosticFormat } from "../diagnostic.ts";
import { biome } from "./biome.ts";
import { box } from "./box.ts";
import { cmake } from "./cmake.ts";
import { colon } from "./colon.ts";
import { esbuild } from "./esbuild.ts";
import { bare, go } from "./go.ts";
import { compact, kotlin } from "./kotlin.ts";
import { linker } from "./linker.ts";
import { placeAbove } from "./located.ts";
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
  located: placeAbove,
  esbuild,
  webpack,
  cmake,
  maven,
  prettier,
  kotlin,
  paren,
  stylish,
  colon,
  compact,
  linker,
  go,
  bare,
} as const satisfies Readonly<Record<string, DiagnosticFormat>>;

export type FormatName = keyof typeof DIAGNOSTIC_FORMATS;
