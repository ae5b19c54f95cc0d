import { listFiles } from "../../host/search/search.ts";
import { abortAfter } from "../../text/abort.ts";

const MOST_FILES = 50_000;
const LONGEST_MS = 5000;

/** What a person may name behind `@`. Rejects where the folder cannot be listed in time. */
export const listWorkspaceFiles = (cwd: string): Promise<string[]> => listFiles(cwd, MOST_FILES, abortAfter(LONGEST_MS));
