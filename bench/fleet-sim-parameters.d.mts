export const PARAMETERS: {
  readonly database: Record<string, unknown>;
  readonly statements: Record<string, object>;
  readonly [key: string]: unknown;
};
export const WORKLOADS: Record<"steps" | "turn", object>;
