export declare const ENTRIES: Readonly<Record<string, string>>;
