// Who gets a place where a wildcard matches more files than are read at once: each user as many, the newest of each first.

export interface FoundFile {
  readonly path: string;
  /** Device, inode and birth. */
  readonly identity: string;
  /** Whose it is; of a link whoever made that. */
  readonly uid: number;
  readonly mtimeMs: number;
}

/** A file that is read keeps its place against one that was written only a little later. */
const KEEPS_MS = 3_600_000;

/** At most `places` of them, so that no user's files take those of another. */
export function sharePlaces(
  found: readonly FoundFile[],
  places: number,
  isRead: (path: string) => boolean,
): ReadonlySet<string> {
  if (found.length <= places) return new Set(found.map(({ path }) => path));
  const age = ({ path, mtimeMs }: FoundFile): number => mtimeMs + (isRead(path) ? KEEPS_MS : 0);
  const byUser = new Map<number, FoundFile[]>();
  for (const file of found) {
    const own = byUser.get(file.uid);
    if (own === undefined) byUser.set(file.uid, [file]);
    else own.push(file);
  }
  for (const own of byUser.values()) own.sort((a, b) => age(b) - age(a));
  const chosen = new Set<string>();
  for (let turn = 0; chosen.size < places; turn += 1) {
    for (const own of byUser.values()) {
      const file = own[turn];
      if (file !== undefined && chosen.size < places) chosen.add(file.path);
    }
  }
  return chosen;
}
