// Which ranks wrote dumps, by the names of the files: the recorder puts its rank behind a prefix.

import { basename } from 'node:path';

const RANK = /(?:^|\D)(0|[1-9]\d{0,4})$/;
/** As many as one host may have. */
const MOST = 1024;

/** Rising; of more than a host may have none: they are the whole job's. */
export function dumpedRanks(paths: readonly string[]): number[] {
  const ranks = new Set(paths.flatMap((path) => RANK.exec(basename(path))?.[1] ?? []).map(Number));
  return ranks.size > MOST ? [] : [...ranks].sort((a, b) => a - b);
}
