/** A conversation cannot be continued. The message is for people and says what to do. */
export class ConversationError extends Error {
  override readonly name = "ConversationError";

  /** JSON keeps no message of an error by itself. */
  toJSON(): object {
    return { name: this.name, message: this.message };
  }
}
