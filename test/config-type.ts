/** A JSON Schema as far as that of the configuration goes. */
interface Described {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Described[];
  readonly items?: Described;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Described;
}

/** src/core/inputs/config-input.ts: the configuration as a type that no compiler has to work out. */
export function configType(schema: object): string {
  return `// Made from the schema of the configuration by \`npm run docs\`.

/** The configuration as a program gives it: what is left out has its default. docs/config.md explains every setting. */
export interface ConfigInput ${typeOf(schema as Described, "")}
`;
}

/** src/core/inputs/tool-inputs.ts: what the tools of a runtime take, by their names. */
export function toolInputsType(
  tools: readonly { readonly name: string; readonly description: string; readonly parameters: unknown }[],
): string {
  const lines = tools.map(({ name, parameters }) => `  readonly ${name}: ${typeOf(parameters as Described, "  ")};`);
  return `// Made from the tools by \`npm run docs\`.

/**
 * What Zeph's own tools take, by name. \`zeph.call\` knows no other names; a program adds those of its own tools by declaring this interface again:
 * \`declare module "zeph" { interface ToolInputs { count_words: { path: string } } }\`.
 */
export interface ToolInputs {
${lines.join("\n")}
}
`;
}

function typeOf(schema: Described, indent: string): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(one, indent)).join(" | ");
  if (schema.type === "array") return `readonly ${inList(typeOf(schema.items ?? {}, indent))}[]`;
  if (schema.type === "integer") return "number";
  if (schema.type !== "object") return schema.type ?? "unknown";
  if (schema.properties) return objectType(schema, indent);
  const values = typeof schema.additionalProperties === "object" ? typeOf(schema.additionalProperties, indent) : "unknown";
  return `{ readonly [name: string]: ${values} }`;
}

const inList = (type: string) => (/ \| |^readonly /.test(type) ? `(${type})` : type);

function objectType({ properties = {}, required = [] }: Described, indent: string): string {
  const inside = `${indent}  `;
  const lines = Object.entries(properties).flatMap(([name, schema]) => [
    ...commentOf(schema, inside),
    `${inside}readonly ${name}${required.includes(name) ? "" : "?"}: ${typeOf(schema, inside)};`,
  ]);
  return `{\n${lines.join("\n")}\n${indent}}`;
}

/** Tables have their defaults inside. */
function commentOf({ description, default: value }: Described, indent: string): string[] {
  const isPlain = value !== undefined && (typeof value !== "object" || value === null || Array.isArray(value));
  const text = [description, isPlain ? `Default: \`${JSON.stringify(value)}\`.` : undefined].filter(Boolean).join(" ");
  return text === "" ? [] : [`${indent}/** ${text.replaceAll("*/", "*\\/")} */`];
}
