export interface Mutant {
  readonly kind: "condition" | "operator" | "negation" | "default" | "literal" | "method" | "statement";
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly from: string;
  readonly to: string;
}
export function findMutants(file: string, text: string): Mutant[];
export function applyMutant(text: string, mutant: Mutant): string;
