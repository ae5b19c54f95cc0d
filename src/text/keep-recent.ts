/** Keeps an entry as the most recent one of a map. Of more than so many, the one that was kept longest ago goes. */
export function keepRecent<K, V>(entries: Map<K, V>, key: K, value: V, most: number): V {
  entries.delete(key);
  entries.set(key, value);
  if (entries.size > most) entries.delete(entries.keys().next().value!);
  return value;
}
