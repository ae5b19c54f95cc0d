/** Does the work with what was opened for it, and closes that whatever happens. */
export async function whileOpen<R extends { close(): unknown }, T>(opened: R, work: (opened: R) => Promise<T>): Promise<T> {
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}
