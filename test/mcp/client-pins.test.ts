import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toolName } from "../../src/mcp/client/tool-name.ts";
import { createDefinition, hashOf, keptDefinition, serverIdentity } from "../../src/mcp/client/trust/definitions.ts";
import { good, serverConfig } from "./client-support.ts";

const json = fc.jsonValue({ maxDepth: 4 });
const wire = fc.record(
  {
    name: fc.string({ minLength: 1 }),
    description: fc.string(),
    inputSchema: fc.dictionary(fc.string(), json),
    outputSchema: json,
    annotations: fc.dictionary(fc.string(), json),
    icons: fc.array(json),
    _meta: fc.dictionary(fc.string(), json),
    "x-unknown": json,
  },
  { requiredKeys: ["name", "inputSchema"] },
);

type Path = readonly (string | number)[];
/** Every place in a value, the value itself left out. */
const placesIn = (value: unknown, at: Path = []): Path[] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => [[...at, key], ...placesIn(inner, [...at, key])])
    : [];

function changedAt(value: unknown, [key, ...rest]: Path, change: (inner: unknown) => unknown): unknown {
  const copy = (Array.isArray(value) ? [...value] : Object.fromEntries(Object.entries(value as object))) as Record<string, unknown>;
  const next = rest.length === 0 ? change(copy[key!]) : changedAt(copy[key!], rest, change);
  if (next === undefined) delete copy[key!];
  else Object.defineProperty(copy, key!, { value: next, enumerable: true, writable: true, configurable: true });
  return copy;
}

const shuffled = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(shuffled)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([key, inner]) => [key, shuffled(inner)]),
        )
      : value;

describe("the hash of a definition", () => {
  it("changes with anything anywhere", () => {
    fc.assert(
      fc.property(wire, fc.nat(), json, (tool, n, other) => {
        const places = placesIn(tool);
        const place = places[n % places.length]!;
        const after = changedAt(tool, place, (before) => (JSON.stringify(before) === JSON.stringify(other) ? ["different", other] : other));
        fc.pre(JSON.stringify(shuffled(tool)) !== JSON.stringify(shuffled(after)) && place.every((key) => key !== "__proto__"));
        expect(hashOf(JSON.parse(JSON.stringify(after)))).not.toBe(hashOf(JSON.parse(JSON.stringify(tool))));
      }),
      { numRuns: 50 },
    );
  });

  it("changes with a field that is added, whatever its name", () => {
    fc.assert(
      fc.property(wire, fc.string(), json, (tool, name, value) => {
        fc.pre(!Object.hasOwn(tool, name) && name !== "__proto__");
        expect(hashOf({ ...tool, [name]: value })).not.toBe(hashOf(tool));
      }),
    );
  });

  it("does not change with the order of names", () => {
    fc.assert(
      fc.property(wire, (tool) => {
        expect(hashOf(shuffled(tool))).toBe(hashOf(tool));
      }),
    );
  });

  it("sees a name that objects treat in their own way", () => {
    const plain = JSON.parse('{"name":"a","inputSchema":{}}');
    expect(hashOf(JSON.parse('{"name":"a","inputSchema":{},"__proto__":{"a":1}}'))).not.toBe(hashOf(plain));
  });

  it("is the same after it was kept", () => {
    fc.assert(
      fc.property(wire, (tool) => {
        const parsed = JSON.parse(JSON.stringify(tool));
        const one = createDefinition(parsed.name, parsed);
        expect(keptDefinition(one.tool, one.hash, one.json)?.hash).toBe(one.hash);
      }),
    );
    expect(keptDefinition("a", "0".repeat(64), "{}")).toBeNull();
    expect(keptDefinition("a", "0".repeat(64), "{")).toBeNull();
  });
});

describe("whose definitions they are", () => {
  it("is told by program, arguments and names of variables, not by values or limits", () => {
    const base = good({ env: { KEY: "one" } });
    expect(serverIdentity(good({ env: { KEY: "two" }, timeout_secs: 5, trust: "trusted" }))).toBe(serverIdentity(base));
    for (const other of [
      good({ env: { KEY: "one", MORE: "x" } }),
      good({ env: { KEY: "one" }, command: "/bin/other" }),
      good({ env: { KEY: "one" } }, "more"),
      good({ env: { KEY: "one" }, name: "b" }),
    ])
      expect(serverIdentity(other)).not.toBe(serverIdentity(base));
    const far = (url: string, key: string) => serverIdentity(serverConfig({ name: "far", url, headers: { key } }));
    expect(far("https://a.example/mcp", "1")).toBe(far("https://a.example/mcp", "2"));
    expect(far("https://a.example/mcp", "1")).not.toBe(far("https://b.example/mcp", "1"));
    expect(serverIdentity(base)).not.toContain("one");
  });
});

describe("the name of a tool", () => {
  it("is one that every provider takes, and two long ones differ", () => {
    fc.assert(
      fc.property(fc.string(), (tool) => {
        expect(toolName("server-1", tool)).toMatch(/^mcp__server-1__[A-Za-z0-9_-]{0,53}$/);
      }),
    );
    const long = "x".repeat(80);
    expect(toolName("a", `${long}1`)).not.toBe(toolName("a", `${long}2`));
    expect(toolName("a", `${long}1`)).toHaveLength(64);
  });
});
