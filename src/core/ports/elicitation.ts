/** What a server behind a tool wants to know from the person while it works. Never a model's to answer. */
export type Elicitation = Form | Visit;

/** A form that an MCP server wants filled in. */
export interface Form {
  readonly kind: "form";
  /** Who asks, as the person knows it. */
  readonly from: string;
  readonly message: string;
  readonly fields: readonly Field[];
}

/** The person is to open an address; what they do there is between them and it. Nothing is opened for them. */
export interface Visit {
  readonly kind: "visit";
  readonly from: string;
  readonly message: string;
  readonly url: string;
}

/** One field of a form, and what may be written into it. */
export interface Field {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly type: "text" | "number" | "integer" | "boolean" | "choice" | "choices";
  /** For a choice, and for several. */
  readonly options?: readonly { readonly value: string; readonly label: string }[];
  readonly required: boolean;
  readonly default?: FieldValue;
  /** For a text: email, uri, date, date-time. */
  readonly format?: string;
  /** Of a number, or of the length of a text. */
  readonly least?: number;
  readonly most?: number;
}
/** What a person wrote into a field. */
export type FieldValue = string | number | boolean | readonly string[];

/** `cancel`: nobody answered. That is not a no. */
export type Elicited =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, FieldValue>> }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** Puts a question of an MCP server to a person. */
export type Elicit = (asked: Elicitation, signal: AbortSignal) => Promise<Elicited>;
