import type * as z from "zod";

/**
 * How a project file nobody vouched for may change a setting. A setting that says nothing cannot be set there at all.
 * `off`/`on`: only to that value. `smaller`: only a smaller number. `adds`: its entries are added to the list.
 * `within`: only paths inside the ones in force. `narrows`: only entries of a list in force, or a first list.
 * `denies`: only rules that deny. A list: only to a later word of it.
 */
export type Tighter = "off" | "on" | "smaller" | "adds" | "within" | "narrows" | "denies" | readonly string[];

export interface SettingMeta {
  readonly description: string;
  readonly tighter?: Tighter;
}

/** One key of the configuration. The description is the documentation; there is no other. Call it last, after `.default()`. */
export const setting = <S extends z.ZodType>(schema: S, description: string, tighter?: Tighter): S =>
  schema.meta({ description, ...(tighter && { tighter }) }) as S;
