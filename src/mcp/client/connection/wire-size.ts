/** About as many bytes as it had on the wire, as far as that matters. Without going down into it: one may be deeper than there is room for. */
export function wireSize(tool: unknown, most: number): number {
  let size = 0;
  const open: unknown[] = [tool];
  while (open.length > 0 && size <= most) {
    const value = open.pop();
    if (typeof value === "string") size += Buffer.byteLength(value) + 2;
    else if (typeof value !== "object" || value === null) size += 4;
    else if (Array.isArray(value)) {
      size += value.length + 2;
      if (size <= most) for (const one of value) open.push(one);
    } else {
      size += 2;
      for (const [name, one] of Object.entries(value)) {
        size += Buffer.byteLength(name) + 4;
        open.push(one);
      }
    }
  }
  return size;
}
