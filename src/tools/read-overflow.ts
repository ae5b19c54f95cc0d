import * as z from "zod";
import { ToolError } from "../core/error.ts";
import type { Overflow, Owner } from "../core/ports/printed/overflow.ts";
import { defineOwnTool, type Tool } from "../core/tool.ts";
import type { TurnContext } from "../core/turn.ts";
import { makeOnce } from "../text/make-once.ts";
import { patternView } from "./overflow-search.ts";
import { jsonView, linesView, rangeView } from "./overflow-view.ts";

const ID = /^(?:overflow:)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^raw#[1-9]\d{0,14}$/i;
const WINDOW = /^\d{1,12}(?:-\d{0,12})?$|^-\d{1,12}$/;

const HOW = 'write it as "10-40", "10-" or "-40" for the last 40';

/** Some models write both ends as a list. They are told of one way only. */
const asText = (given: unknown): unknown => (Array.isArray(given) ? JSON.stringify(given).replace(/^\[(\d+),(\d+)\]$/, "$1-$2") : given);

const window = (what: string) =>
  z
    .preprocess(asText, z.string({ error: HOW }).regex(WINDOW, HOW))
    .optional()
    .describe(what);

const WAYS = ["range", "lines", "pattern", "json_path"] as const;

const input = makeOnce(() =>
  z
    .strictObject({
      id: z.string().regex(ID, "it must be the id after overflow:, or raw# and a number").describe("The id after overflow:, or raw#n"),
      range: window('Characters from 0: "0-20000", "20000-", "-2000" for the last'),
      lines: window("Lines from 1, in the same way"),
      pattern: z.string().min(1).max(512).optional().describe("Only lines that match (RE2)"),
      context: z.int().min(0).max(20).optional().describe("Lines around each match, up to 20"),
      json_path: z.string().min(1).max(512).optional().describe("A place in JSON: $.a['b c'][0], [-1], [*]"),
    })
    .superRefine((given, { addIssue }) => {
      const [first, second] = WAYS.filter((way) => given[way] !== undefined);
      if (second)
        addIssue({ code: "custom", path: [second], message: `it does not go together with ${first}; use one way of looking at a time` });
      if (given.context !== undefined && given.pattern === undefined)
        addIssue({ code: "custom", path: ["context"], message: "it goes with pattern only" });
    }),
);

/** Shows what was left out of earlier results, a piece at a time. It sees what belongs to the caller's conversation and nothing else. */
export const readOverflow = (store: Pick<Overflow, "get">, ownerOf: (turn: TurnContext) => Owner): Tool<ReturnType<typeof input>> =>
  defineOwnTool({
    name: "read_overflow",
    description: "Read what was left out of a result, in one of these ways. Without any, its beginning.",
    effect: "reads",
    facets: { answers: "fresh", shape: "pieces", needs: "nothing", about: "overflow" },
    input,
    touches: () => [],
    async run(permit, { signal, turn }) {
      const { id, range, lines, pattern, context = 0, json_path } = permit.input;
      const kept = await store.get(ownerOf(turn), id.replace(/^overflow:/i, ""));
      if (!kept) throw notFound(id);
      if (pattern !== undefined) return patternView(kept.text, pattern, context, signal);
      if (json_path !== undefined) return jsonView(kept.text, json_path);
      return lines === undefined ? rangeView(kept.text, range ?? "0-") : linesView(kept.text, lines);
    },
  });

const notFound = (id: string) =>
  new ToolError(
    "permanent_failure",
    `NotFound: nothing is kept as ${id} in this conversation. It may have expired. Make the call again that gave it.`,
  );
