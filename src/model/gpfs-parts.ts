// GPFS parts: which part of mmhealth's table explains the others.

/** The daemon before what it serves, and that before the way to it. */
const ORDER = ['GPFS', 'FILESYSTEM', 'DISK', 'NATIVE_RAID', 'FILESYSMGR', 'NETWORK'];

/** The less, the more of the others follow from it. `part`: as mmhealth calls it. */
export function gpfsRank(part: unknown): number {
  const at = ORDER.indexOf(String(part));
  return at === -1 ? ORDER.length : at;
}
