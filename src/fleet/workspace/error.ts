/** A folder for a session could not be made, kept or brought back. The message is for people and names no secret. */
export class WorkspaceError extends Error {
  override readonly name = "WorkspaceError";
  /** Whether it may go well at another time. */
  readonly isPassing: boolean;

  constructor(message: string, { isPassing = false, ...options }: ErrorOptions & { readonly isPassing?: boolean } = {}) {
    super(message, options);
    this.isPassing = isPassing;
  }
}
