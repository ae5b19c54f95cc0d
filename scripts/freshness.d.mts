export declare const isFresh: (root?: string) => boolean;
export declare function markFresh(started: Date, root?: string): void;
