/** One line of what the doctor found. */
export interface DoctorFinding {
  readonly about: string;
  readonly state: "ok" | "warn" | "fail";
  readonly text: string;
  /** What to do about it. */
  readonly todo?: string;
}

export const okLine = (about: string, text: string): DoctorFinding => ({ about, state: "ok", text });
export const warnLine = (about: string, text: string, todo: string): DoctorFinding => ({ about, state: "warn", text, todo });
export const failLine = (about: string, text: string, todo: string): DoctorFinding => ({ about, state: "fail", text, todo });
