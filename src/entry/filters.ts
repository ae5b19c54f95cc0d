// zeph/filters: what a model would read of a command's output.

export type { ConfigInput } from "../core/inputs/config-input.ts";
export type { FilteredOutput, FilterRequest } from "../filters/output.ts";
export { filterOutput, filterOutputAsync } from "../runtime/filter/filters.ts";
