import fc from "fast-check";
import { filtersConfig } from "../../../src/filters/config.ts";
import { createOutputFilter } from "../../../src/filters/output.ts";
import { changedOutput, realOutputs, type Sample } from "./outputs.ts";

// The same outputs each time; SEED=2 looks elsewhere.
const RUNS = 300;
const SEED = Number(process.env.SEED ?? 1);

const filter = createOutputFilter(filtersConfig().parse({ security: { enabled: false } }), null);
export const shorten = ({ command, raw, exitCode }: Omit<Sample, "name">) => filter.shorten({ command, raw, exitCode });

export const samples = realOutputs();
export const changed = changedOutput(samples);

export const always = (property: fc.IRawProperty<unknown>) => fc.assert(property as fc.IProperty<unknown>, { numRuns: RUNS, seed: SEED });
