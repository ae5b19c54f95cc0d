import type { Compilable, CompiledQuery, Kysely } from "kysely";
import type { Tables } from "./tables.ts";

export type Builder = Kysely<Tables>;

/**
 * A unit of work: the queries it needs, each answered before the next is asked for. SQLite runs a unit in one breath,
 * a database over the network will await each answer; the queries are written once.
 */
export type QuerySteps<T> = Generator<CompiledQuery, T, readonly unknown[]>;

/** Each unit is one transaction: all of it happened, or nothing. */
export interface Database {
  read<T>(work: (build: Builder) => QuerySteps<T>): Promise<T>;
  write<T>(work: (build: Builder) => QuerySteps<T>): Promise<T>;
}

/** The rows a query returns. Queries that change something return rows only with `returning`. */
export function* rows<O>(query: Compilable<O>): Generator<CompiledQuery, readonly O[], readonly unknown[]> {
  return (yield query.compile()) as readonly O[];
}
