/** A message on the wire, read by a table of its fields: what a collector does, in few lines. */
export type Shape = { readonly [field: number]: readonly [name: string, kind: Kind] };
type Kind = "text" | "hex" | "number" | "double" | "fixed" | "bool" | "doubles" | "fixeds" | Shape | readonly [Shape];

export function decode(bytes: Uint8Array, shape: Shape): Record<string, any> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found: Record<string, any> = {};
  let at = 0;
  const varint = (): number => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("It ends within a number.");
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return Number(BigInt.asIntN(64, value));
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const [name, kind] = shape[tag >> 3] ?? ["", "hex"];
    const wire = tag & 7;
    if (wire === 0) found[name] = kind === "bool" ? varint() === 1 : varint();
    else if (wire === 1) {
      found[name] = kind === "double" ? view.getFloat64(at, true) : Number(view.getBigUint64(at, true));
      at += 8;
    } else if (wire === 5) at += 4;
    else if (wire === 2) {
      const length = varint();
      const part = bytes.subarray(at, at + length);
      if (part.length !== length) throw new Error("It ends within a field.");
      at += length;
      const value = read(part, kind);
      found[name] = Array.isArray(kind) ? [...(found[name] ?? []), value] : value;
    } else throw new Error(`There is no wire type ${wire}.`);
  }
  delete found[""];
  return found;
}

function read(part: Uint8Array, kind: Kind): unknown {
  if (kind === "hex") return Buffer.from(part).toString("hex");
  if (kind === "text") return new TextDecoder("utf-8", { fatal: true }).decode(part);
  if (Array.isArray(kind)) return decode(part, kind[0]);
  if (typeof kind === "object") return decode(part, kind as Shape);
  const view = new DataView(part.buffer, part.byteOffset, part.byteLength);
  return Array.from({ length: part.length / 8 }, (_, n) =>
    kind === "doubles" ? view.getFloat64(n * 8, true) : Number(view.getBigUint64(n * 8, true)),
  );
}

const VALUE: Shape = { 1: ["stringValue", "text"], 2: ["boolValue", "bool"], 3: ["intValue", "number"], 4: ["doubleValue", "double"] };
const ANY: Shape = { ...VALUE, 5: ["arrayValue", { 1: ["values", [VALUE]] }] };
const PAIRS = ["attributes", [{ 1: ["key", "text"], 2: ["value", ANY] }]] as const satisfies Shape[number];
const RESOURCE = ["resource", { 1: PAIRS }] as const satisfies Shape[number];
const SPAN: Shape = {
  1: ["traceId", "hex"],
  2: ["spanId", "hex"],
  4: ["parentSpanId", "hex"],
  5: ["name", "text"],
  6: ["kind", "number"],
  9: PAIRS,
  15: ["status", { 2: ["message", "text"], 3: ["code", "number"] }],
};
const POINT: Shape = {
  4: ["count", "fixed"],
  5: ["sum", "double"],
  6: ["bucketCounts", "fixeds"],
  7: ["explicitBounds", "doubles"],
  9: PAIRS,
};
const METRIC: Shape = {
  1: ["name", "text"],
  3: ["unit", "text"],
  9: ["histogram", { 1: ["dataPoints", [POINT]], 2: ["aggregationTemporality", "number"] }],
};

export const TRACES: Shape = { 1: ["resourceSpans", [{ 1: RESOURCE, 2: ["scopeSpans", [{ 2: ["spans", [SPAN]] }]] }]] };
export const METRICS: Shape = { 1: ["resourceMetrics", [{ 1: RESOURCE, 2: ["scopeMetrics", [{ 2: ["metrics", [METRIC]] }]] }]] };
