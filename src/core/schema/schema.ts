/**
 * A schema of any library that keeps to Standard Schema, version 1: zod 4, valibot, arktype. Only what tools rely on is declared here, so that no
 * program has to check the types of one library's version against another's.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": StandardProps<Input, Output>;
}

/** What a schema of that standard offers. */
export interface StandardProps<Input = unknown, Output = Input> {
  readonly version: 1;
  /** The library's name. */
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
}

/** A value that fits, or what is wrong with it. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that is wrong with a value, and where. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a schema takes. */
export type InputOf<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["input"];

/** What a schema makes of a value that fits. */
export type OutputOf<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["output"];

/** An issue with its path in one form. What a library says besides (zod's `code`) stays. */
export type InputIssue = Omit<StandardIssue, "path"> & { readonly path: readonly PropertyKey[] };

/** A value held against a schema. `failed` says that the schema itself could not answer. */
export type Fit =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly InputIssue[]; readonly failed?: string };

/** Holds a value against a schema. The answer is needed at once: what asks the world belongs into `run`, behind the door. */
export function fitSchema(schema: StandardSchema, value: unknown): Fit {
  try {
    const result = schema["~standard"].validate(value);
    if (isLater(result)) {
      // Its failure would be nobody's.
      result.then(undefined, () => {});
      return { ok: false, issues: [], failed: "its schema answers later (a promise), and arguments are checked at once" };
    }
    return result.issues ? { ok: false, issues: result.issues.map(plainIssue) } : { ok: true, value: result.value };
  } catch (error) {
    return { ok: false, issues: [], failed: `its schema failed: ${error instanceof Error ? error.message : String(error)}` };
  }
}

const isLater = (result: unknown): result is Promise<unknown> => typeof (result as { readonly then?: unknown } | null)?.then === "function";

const plainIssue = (issue: StandardIssue): InputIssue => ({
  ...issue,
  message: issue.message,
  path: [...(issue.path ?? [])].map((step) => (typeof step === "object" ? step.key : step)),
});

/** How a schema is written as JSON Schema: by itself, by our zod, or not at all. */
export type Conversion =
  | { readonly by: "itself"; readonly convert: () => unknown }
  | { readonly by: "zod" }
  /** `why` is the rest of a sentence about it. */
  | { readonly by: "nobody"; readonly why: string };

export function conversionOf(schema: unknown): Conversion {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return { by: "nobody", why: NO_SCHEMA };
  const own = schema as Convertible;
  if (own._zod !== undefined) {
    const { toJSONSchema } = own;
    return typeof toJSONSchema === "function" ? { by: "itself", convert: () => toJSONSchema.call(schema, { io: "input" }) } : { by: "zod" };
  }
  if (isZod3(own)) return { by: "nobody", why: ZOD_3 };
  const standard = own["~standard"];
  if (typeof standard?.validate !== "function" || standard.version !== 1) return { by: "nobody", why: NO_SCHEMA };
  const { input } = standard.jsonSchema ?? {};
  if (typeof input === "function") return { by: "itself", convert: () => input({ target: "draft-2020-12" }) };
  const { toJsonSchema } = own;
  if (typeof toJsonSchema === "function") return { by: "itself", convert: () => toJsonSchema.call(schema) };
  return { by: "nobody", why: `cannot be written as JSON Schema by ${standard.vendor} itself. Give its JSON Schema as jsonSchema, too.` };
}

interface Convertible {
  readonly _zod?: unknown;
  readonly _def?: { readonly typeName?: unknown };
  readonly toJSONSchema?: (options: { readonly io: "input" }) => unknown;
  readonly toJsonSchema?: () => unknown;
  readonly "~standard"?: {
    readonly version?: unknown;
    readonly vendor?: string;
    readonly validate?: unknown;
    readonly jsonSchema?: { readonly input?: (options: { readonly target: string }) => unknown };
  };
}

const isZod3 = ({ _def }: Convertible): boolean => typeof _def?.typeName === "string" && _def.typeName.startsWith("Zod");

const ZOD_3 = 'is one of zod 3. Zeph takes zod 4: install zod ^4, or import it from "zod/v4".';
const NO_SCHEMA =
  "is no schema of zod 4 or another library of Standard Schema. Write z.strictObject({ … }), or z.fromJSONSchema(schema) for a JSON Schema.";

/** Why this schema cannot be a tool's input, as the rest of a sentence; null when it can. A JSON Schema beside it makes a conversion unnecessary. */
export function inputProblem(schema: unknown, jsonSchema: unknown): string | null {
  const conversion = conversionOf(schema);
  if (conversion.by !== "nobody") return null;
  const isUnwritten = conversion.why !== ZOD_3 && conversion.why !== NO_SCHEMA;
  return isUnwritten && jsonSchema !== undefined ? null : `has an input that ${conversion.why}`;
}
