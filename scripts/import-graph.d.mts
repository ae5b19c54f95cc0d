export type Imports = ReadonlyMap<string, readonly string[]>;
export function readImports(root?: string, folders?: readonly string[]): Imports;
export function importsOf(file: string, text: string): string[];
export function importsAtOnce(file: string, text: string): string[];
export function reachOf(file: string, imports: Imports): ReadonlySet<string>;
