import type { TextJob, Texts } from "../core/ports/texts.ts";
import type { FiltersConfig } from "../filters/config.ts";
import type { Omission } from "../filters/filter.ts";
import { createPace } from "../text/pace.ts";
import type { CleanedTexts, CleanOptions } from "./clean.ts";
import type { OutcomeTexts } from "./redact-texts.ts";

/** As `cleanStrings`, in a thread. */
export type CleanLong = (strings: OutcomeTexts, options: CleanOptions, signal: AbortSignal) => Promise<CleanedTexts>;

/** What the thread needs to know of the configuration: plain data, sent with each job. */
export interface FilterSettings {
  readonly config: FiltersConfig;
  /** The person's own rules. */
  readonly file: { readonly name: string; readonly text: string } | null;
  /** Keys of our own that must never be shown. */
  readonly own: readonly string[];
}

export interface CleanJob extends TextJob {
  readonly kind: "clean";
  readonly settings: FilterSettings;
  readonly options: CleanOptions;
  readonly shape: Shape;
  /** Texts that begin as what was printed, and how they go on; they are not sent twice. */
  readonly repeated: readonly Repeated[];
}
interface Repeated {
  readonly at: number;
  readonly rest: string;
}

/** How a list of texts becomes what it was made from. */
interface Shape {
  readonly texts: number;
  readonly hasMessage: boolean;
}

export interface CleanAnswer extends Pick<CleanedTexts, "filter" | "warning"> {
  /**
   * For each text that changed: its place, which of the texts sent back it is, and how many line ends stand behind it. As numbers in a row:
   * an answer is copied in one piece, and hundreds of thousands of objects take hundreds of milliseconds.
   */
  readonly changed: { readonly at: Uint32Array; readonly text: Uint32Array; readonly lineEnds: Uint32Array };
  /** `whole` is one of the texts sent back; -1 when it is what was printed. */
  readonly omitted: (Omission & { readonly whole: number }) | null;
}

/** The side that waits. */
export const createLongCleaner =
  (texts: Texts, settings: () => FilterSettings): CleanLong =>
  async (strings, options, signal) => {
    const list = listTexts(strings);
    const printed = printedIn(list, options);
    const repeated: Repeated[] = [];
    const sent = list.map((text, at) => {
      if (at === options.printed?.at || printed.length < LONG || text.length - printed.length > LONG || !text.startsWith(printed))
        return text;
      repeated.push({ at, rest: text.slice(printed.length) });
      return "";
    });
    const job: CleanJob = { kind: "clean", settings: settings(), options, shape: shapeOf(strings), repeated };
    const worked = await texts.work(job, sent, signal);
    const { changed, omitted, ...rest } = worked.answer as CleanAnswer;
    const pace = createPace();
    for (const [n, at] of changed.at.entries()) {
      const [text, lineEnds] = [worked.texts[changed.text[n]!]!, changed.lineEnds[n]!];
      list[at] = lineEnds === 0 ? text : text + "\n".repeat(lineEnds);
      if (n % 1000 === 999) await pace.step();
    }
    const same = changed.at.length === 0 ? { others: strings.others } : {};
    return {
      ...textsFrom(list, job.shape),
      ...same,
      ...rest,
      omitted: omitted && { ...omitted, whole: omitted.whole < 0 ? printed : worked.texts[omitted.whole]! },
    };
  };

/** A shorter text is sent as often as it comes. */
const LONG = 10_000;

export const listTexts = ({ texts, others, message }: OutcomeTexts): string[] => [
  ...texts,
  ...others,
  ...(message === null ? [] : [message]),
];
const shapeOf = ({ texts, message }: OutcomeTexts): Shape => ({ texts: texts.length, hasMessage: message !== null });
export const textsFrom = (list: readonly string[], { texts, hasMessage }: Shape): OutcomeTexts => ({
  texts: list.slice(0, texts),
  others: list.slice(texts, hasMessage ? -1 : undefined),
  message: hasMessage ? list.at(-1)! : null,
});
export const printedIn = (list: readonly string[], { printed }: CleanOptions): string => (printed ? list[printed.at]! : "");
