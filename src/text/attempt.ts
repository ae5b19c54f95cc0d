/** What `act` returns; `otherwise` when it throws. For questions whose failure is an answer: what cannot be looked at is not there. */
export function attempt<T, U>(act: () => T, otherwise: U): T | U {
  try {
    return act();
  } catch {
    return otherwise;
  }
}
