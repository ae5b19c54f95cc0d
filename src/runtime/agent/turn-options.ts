import { assertLimits } from "../../agent/budget.ts";
import type { Quote } from "../../core/command.ts";
import type { Limits } from "../../core/event.ts";
import type { Model } from "../../core/ports/model.ts";
import { assertQuotes } from "../person/quotes.ts";

/** A turn as a program asks for it, with the defaults filled in. */
export interface TurnWish {
  readonly text: string | null;
  readonly maxTurns: number;
  readonly limits: Limits;
  /** How many there are. */
  readonly images: number;
  readonly quotes: readonly Quote[];
  readonly mentions: string | undefined;
}

/** Throws a TypeError that says what is wrong with it. */
export function assertTurn({ text, maxTurns, limits, images, quotes, mentions }: TurnWish): void {
  if (text !== null && (typeof text !== "string" || text.trim() === "")) throw new TypeError("There is nothing to send: give a text.");
  if (!Number.isInteger(maxTurns) || maxTurns < 1) throw new TypeError(`maxTurns must be a whole number from 1 on, not ${maxTurns}.`);
  assertLimits(limits);
  assertQuotes(quotes);
  if (mentions !== undefined && typeof mentions !== "string") throw new TypeError("mentions is a text: what the person typed.");
  if (text === null && images > 0) throw new TypeError("Images stand beside a text, and there is none.");
  if (text === null && (quotes.length > 0 || mentions !== undefined)) throw new TypeError("Quotes stand beside a text, and there is none.");
}

/** A limit in money needs a price. */
export function assertPriced(limits: readonly Limits[], { price }: Pick<Model, "price">): void {
  if (limits.some(({ usd }) => usd !== undefined) && !price)
    throw new TypeError(
      "limits.usd needs the price of the model, and this one has none. Set `price` for its provider (docs/models.md), or give the model one.",
    );
}
