// Rank lists as people write them: [16, 17] or "16-23" or "0-3,8".

const MAX_RANK = 1_048_575;
const MAX_RANKS = 4096;

/** Ranks in rising order without repeats; null when the text is not a rank list. */
export function parseRanks(written: string | readonly number[]): number[] | null {
  const ranks = new Set<number>();
  if (typeof written !== 'string') for (const rank of written) ranks.add(rank);
  else {
    for (const part of written.split(',')) {
      const match = /^\s*(\d{1,7})(?:\s*-\s*(\d{1,7}))?\s*$/.exec(part);
      const first = Number(match?.[1]);
      const last = Number(match?.[2] ?? match?.[1]);
      if (!match || last < first || last > MAX_RANK || last - first >= MAX_RANKS) return null;
      for (let rank = first; rank <= last; rank += 1) ranks.add(rank);
      if (ranks.size > MAX_RANKS) return null;
    }
  }
  return [...ranks].sort((a, b) => a - b);
}
