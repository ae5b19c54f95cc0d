export function isNewer(next: string, current: string): boolean;
type Address = string | { readonly url?: string; readonly type?: string };
export function missingAddresses(manifest: {
  readonly homepage?: string;
  readonly repository?: Address;
  readonly bugs?: Address;
}): string[];
export function releaseNotes(changelog: string, version: string): string;
export function withRelease(changelog: string, version: string, date: string): string;
