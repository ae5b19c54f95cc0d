import type { CustomTypesConfig, types } from "pg";

export type { CustomTypesConfig };
export type TypeParsers = typeof types;
