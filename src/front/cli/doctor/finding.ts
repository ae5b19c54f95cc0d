/** One line of what the doctor found. */
export interface DoctorFinding {
  readonly about: string;
  readonly state: "ok" | "warn" | "fail";
  readonly text: string;
  /** What to do about it. */
  readonly todo?: string;
}

export const fine = (about: string, text: string): DoctorFinding => ({ about, state: "ok", text });
export const doubtful = (about: string, text: string, todo: string): DoctorFinding => ({ about, state: "warn", text, todo });
export const broken = (about: string, text: string, todo: string): DoctorFinding => ({ about, state: "fail", text, todo });
