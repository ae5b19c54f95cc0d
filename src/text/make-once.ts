/** What is dear to make is made when it is first wanted, and then kept. zod's objects are: no module makes one while it is read. */
export function makeOnce<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
