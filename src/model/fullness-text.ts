// Fullness in words: which file system it is and what is left of it, for whoever has to free space there.

import type { Attributes } from './event.ts';

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const LONGEST_PATH = 120;
/** From here on it is the inodes that are short. */
const INODES_SHORT = 0.99;

/** "/var/log, 0.3 of 240 GiB left"; null for the attributes of an event that tells of no file system. */
export function fullnessText(attributes: Attributes): string | null {
  const { path, size_bytes: size, available_bytes: available, inode_utilization: inodes } = attributes;
  if (typeof path !== 'string' || typeof size !== 'number' || typeof available !== 'number') return null;
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(size, 1)) / 10)));
  const [left, whole] = [available, size].map((bytes) => Number((bytes / 1024 ** power).toPrecision(3)));
  const files =
    typeof inodes === 'number' && inodes >= INODES_SHORT ? `, ${Math.round(inodes * 100)} % of inodes used` : '';
  return `${path.slice(0, LONGEST_PATH)}, ${left} of ${whole} ${UNITS[power]} left${files}`;
}
