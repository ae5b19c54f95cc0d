import type { LineRole, Row, Runner, RunnerPart } from "./runner.ts";

/** A runner as `rules/runners/*.toml` tells of it. */
export interface RunnerTable {
  readonly always: readonly RowText[];
  readonly parts: Readonly<Record<string, { readonly rows: readonly RowText[]; readonly [key: string]: unknown }>>;
  readonly dots?: string;
  readonly named?: readonly ReplaceText[];
  readonly aliases?: readonly ReplaceText[];
  /** `{id}` becomes the group `id` of the row in the list of failures. */
  readonly retitled?: readonly ReplaceText[];
  readonly [key: string]: unknown;
}

interface RowText {
  readonly see: string;
  readonly flags?: string;
  readonly do: string;
  readonly begins?: string;
  readonly say?: string;
}

interface ReplaceText {
  readonly see: string;
  readonly say: string;
  /** Once more for what it made, as long as it finds something. */
  readonly again?: boolean;
}

/** A runner ready to read lines. Throws when the table names a part that it does not have. */
export function buildRunner(name: string, { always, parts, dots, named, aliases, retitled, titles, alone }: RunnerTable): Runner {
  const rowsOf = (rows: readonly RowText[]): Row[] =>
    rows.map(({ see, flags, do: deed, ...more }) => {
      if (more.begins !== undefined && !Object.hasOwn(parts, more.begins)) throw new Error(`${name}: there is no part "${more.begins}"`);
      return { see: new RegExp(see, flags), do: deed as LineRole, ...more };
    });
  const built = Object.entries(parts).map(([part, { rows, ...about }]) => [part, { ...about, rows: rowsOf(rows) } as RunnerPart]);
  return {
    always: rowsOf(always),
    parts: Object.fromEntries(built) as Runner["parts"],
    ...(alone === true && { alone }),
    ...(dots !== undefined && { dots: new RegExp(dots) }),
    ...(named && { named: renamed(named) }),
    ...(aliases && { aliases: aliasesBy(aliases) }),
    ...(retitled && { retitled: retitledBy(retitled) }),
    ...(titles !== undefined && { titles: titles as NonNullable<Runner["titles"]> }),
  };
}

function renamed(steps: readonly ReplaceText[]): NonNullable<Runner["named"]> {
  const patterns = steps.map(({ see, say }) => ({ see: new RegExp(see, "g"), say }));
  return (key) => patterns.reduce((name, { see, say }) => name.replace(see, say), key);
}

function aliasesBy(ways: readonly ReplaceText[]): NonNullable<Runner["aliases"]> {
  const patterns = ways.map(({ see, say, again }) => ({ see: new RegExp(see), say, again }));
  return (key) =>
    patterns.flatMap(({ see, say, again }) => {
      const names: string[] = [];
      for (let name = key; see.test(name) && (again || names.length === 0); names.push(name)) name = name.replace(see, say);
      return names;
    });
}

/** null: the list tells nothing more. */
function retitledBy(ways: readonly ReplaceText[]): NonNullable<Runner["retitled"]> {
  const patterns = ways.map(({ see, say }) => ({ see: new RegExp(see), say, name: /\{(\w+)\}/.exec(say)?.[1] ?? "" }));
  return (title, found) => {
    const way = patterns.find(({ see }) => see.test(title));
    const value = way && found[way.name];
    return value === undefined ? null : title.replace(way!.see, way!.say).replace(`{${way!.name}}`, () => value);
  };
}
