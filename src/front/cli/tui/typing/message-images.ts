import type { ImageInput } from "../../../../runtime/person/images.ts";

const MOST = 8;
/** A file that is named with `@`, or a path as a window writes it where a file is dropped onto it. */
const NAMED = /(?:^|\s)(?:@|'?(?=\.{0,2}\/|~\/))([^\s']+\.(?:png|jpe?g|gif|webp))(?='?(?:\s|$))/gi;

/** The images that a message names. */
export const imagesIn = (text: string): ImageInput[] => [...text.matchAll(NAMED)].slice(0, MOST).map(([, path]) => ({ path: path! }));
