export const ADAPTERS: Readonly<
  Record<string, { readonly example: string; readonly node22?: true; readonly packages: Readonly<Record<string, string>> }>
>;
export const BESIDES: Readonly<Record<string, string>>;
export const NODE: string;
