/** A count with its noun: `1 line`, `3 lines`, `2 entries`. */
export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** A count a person reads: `1,234,567`. */
export const grouped = (count: number): string => count.toLocaleString("en-US");
