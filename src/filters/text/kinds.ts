import { groupBy } from "../../text/group-by.ts";
import type { Line } from "../line.ts";
import { hashShape } from "./shape-hash.ts";

/** Lines that are alike but for their numbers and ids, in the order in which each kind first came. */
export const kindsOf = (lines: readonly Line[]): Line[][] => [
  ...groupBy(lines, ({ text }) => hashShape(text.slice(0, LOOKED_AT), "digits")).values(),
];

const LOOKED_AT = 300;

/** Where a program says itself that something is an error, and does not only speak of one. */
export const isOutspoken = ({ text }: Line): boolean =>
  /\b(?:ERROR|FATAL|PANIC|FAILED|error:|fatal:|panicked at|\w*(?:Error|Exception):)/.test(text);
