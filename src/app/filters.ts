// Apart from app.ts, so that a small command does not load every rule.
export { type FilteredOutput, type FilterRequest, filterOutput } from "../filters/output.ts";
