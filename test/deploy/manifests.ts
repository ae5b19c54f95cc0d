import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";

const root = join(import.meta.dirname, "../..");
const at = (path: string): string => join(root, "deploy", path);

/** A document of Kubernetes, as YAML has it. */
export interface Manifest {
  readonly file: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: any;
  readonly data?: Readonly<Record<string, string>>;
}

export const readDeployed = (path: string): string => readFileSync(at(path), "utf8");

export function readManifests(): readonly Manifest[] {
  return readdirSync(at("kubernetes"))
    .filter((name) => name.endsWith(".yaml"))
    .flatMap((file) => {
      const documents = parseAllDocuments(readDeployed(`kubernetes/${file}`), { strict: true });
      return documents.map((document) => {
        if (document.errors.length > 0) throw new Error(`${file}: ${document.errors[0]!.message}`);
        return { file, ...document.toJS() };
      });
    });
}

/** The template of the pods of a workload. */
export const podOf = ({ spec }: Manifest): any => spec.template;

export const isWorkload = ({ kind }: Manifest): boolean => ["Deployment", "StatefulSet", "Job"].includes(kind);

export const readCompose = (): any => parse(readDeployed("compose.yaml"), { merge: true, strict: true });

/** Sections of a unit, each with its keys in order. */
export function readUnit(path: string): Readonly<Record<string, readonly (readonly [string, string])[]>> {
  const sections: Record<string, [string, string][]> = {};
  let section = "";
  for (const line of readDeployed(path).split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const name = /^\[(\w+)\]$/.exec(line)?.[1];
    if (name) {
      section = name;
      sections[section] = [];
      continue;
    }
    const [key, value] = [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)];
    sections[section]!.push([key, value]);
  }
  return sections;
}
