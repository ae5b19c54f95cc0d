import { basename } from "node:path";
import { type Seal, type Skill, type SkillHead, type SkillOrigin, type Skills, skillSubject, WITHDRAWN } from "../../core/ports/skill.ts";
import type { TrustRecords } from "../../core/ports/store.ts";
import type { Trust } from "../../core/turn.ts";
import { createSkillFinder, type FoundSkill, MANIFEST, manifestIn, type SkillPlace } from "./find-skills.ts";
import { BrokenManifest, type Manifest, readManifest } from "./manifest.ts";
import { listSkillFiles, newestChange, sealOf, skillPrint } from "./skill-files.ts";

export interface LocalSkills extends Skills {
  /** Whether there is one now. */
  any(): boolean;
  /** Those that are trusted as they are now. */
  trusted(): readonly FoundSkill[];
}

export interface LocalSkillsOptions {
  /** In order: of two skills with one name the first is taken. */
  readonly places: readonly SkillPlace[];
  readonly trust: Pick<TrustRecords, "get">;
  /** Whether a file is one that nobody may read. */
  readonly isHidden?: ((path: string) => boolean) | undefined;
}

const MOST_LISTED = 200;
const MOST_SEALS = 400;
const SETTLED_MS = 2000;

/** Skills in folders of this machine. Nothing is read before somebody asks, and little when nothing changed. */
export function createLocalSkills({ places, trust, isHidden }: LocalSkillsOptions): LocalSkills {
  const find = createSkillFinder(places, isHidden);
  const sealed = new Map<string, { readonly print: string; readonly seal: Seal }>();

  /** Everything in a folder is read only when somebody vouched for it, and again only when the system says that something changed. */
  const believed = ({ folder, origin }: Pick<FoundSkill, "folder" | "origin">): Trust => {
    const vouched = trust.get(skillSubject(folder));
    if (vouched === null || vouched === WITHDRAWN) return unvouched(vouched, origin);
    const tree = listSkillFiles(folder);
    const print = skillPrint(folder, tree);
    const before = sealed.get(folder);
    const seal = before?.print === print ? before.seal : hashOnly(sealOf(folder, tree, MANIFEST));
    if (sealed.size > MOST_SEALS) sealed.clear();
    // Times tell changes apart only once they have passed: what changed just now may change again within the same tick of the clock.
    if (Date.now() - newestChange(folder, tree) > SETTLED_MS) sealed.set(folder, { print, seal });
    else sealed.delete(folder);
    return agrees(seal, vouched);
  };

  const whole = ({ folder, origin, notes }: FoundSkill): Skill => {
    const vouched = trust.get(skillSubject(folder));
    const tree = listSkillFiles(folder);
    const seal = vouched === null || vouched === WITHDRAWN ? null : sealOf(folder, tree, MANIFEST);
    // The text that is returned is the text that was hashed.
    const manifest: Manifest = seal?.bytes ? readManifest(seal.bytes, basename(folder)) : manifestIn(folder);
    const files = tree.files.filter((path) => path !== MANIFEST);
    return {
      ...manifest,
      notes,
      folder,
      origin,
      files: files.slice(0, MOST_LISTED),
      filesLeftOut: Math.max(0, files.length - MOST_LISTED),
      trust: seal === null || vouched === null ? unvouched(vouched, origin) : agrees(seal, vouched),
    };
  };

  return {
    any: () => find().skills.length > 0,
    trusted: () => find().skills.filter((skill) => believed(skill) === "trusted"),
    list: async () =>
      find().skills.map(({ paths: _paths, isLoose: _isLoose, ...skill }): SkillHead => ({ ...skill, trust: believed(skill) })),
    // One that is not found any more is nobody's own.
    trustOf: (folder) => believed(find().skills.find((skill) => skill.folder === folder) ?? { folder, origin: "workspace" }),
    broken: async () => find().broken,
    async get(name) {
      const found = find().skills.find((skill) => skill.name === name);
      if (!found) return null;
      try {
        const skill = whole(found);
        return skill.name === name ? skill : null;
      } catch (error) {
        // It went away or broke just now: the next look tells why.
        if (error instanceof BrokenManifest || (error instanceof Error && "code" in error)) return null;
        throw error;
      }
    },
  };
}

/** The seal of a skill's folder as it is now. */
export const sealFolder = (folder: string): Seal => hashOnly(sealOf(folder, listSkillFiles(folder), MANIFEST));

const hashOnly = (seal: Seal): Seal => ("hash" in seal ? { hash: seal.hash } : { why: seal.why });
/** What the person put into a folder of their own is theirs, until they say otherwise. */
const unvouched = (record: null | string, origin: SkillOrigin): Trust => (record === null && origin === "own" ? "trusted" : "provisional");
/** Trust is in one content of the folder; a folder that cannot be compared does not have it. */
const agrees = (seal: Seal, vouched: string): Trust => ("hash" in seal && seal.hash === vouched ? "trusted" : "untrusted");
