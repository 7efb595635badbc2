// Ranks as people write them: runs shortened, long lists cut.

const SHOWN_RUNS = 8;

/** "0…2, 4…7"; ascending input. */
export function ranksText(ranks: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const rank of ranks) {
    const last = runs.at(-1);
    if (last && rank === last[1] + 1) last[1] = rank;
    else runs.push([rank, rank]);
  }
  const texts = runs.slice(0, SHOWN_RUNS).map(([from, to]) => {
    if (from === to) return `${from}`;
    return to === from + 1 ? `${from}, ${to}` : `${from}…${to}`;
  });
  const shown = runs.slice(0, SHOWN_RUNS).reduce((sum, [from, to]) => sum + to - from + 1, 0);
  return texts.join(', ') + (shown < ranks.length ? ` and ${ranks.length - shown} more` : '');
}

/** "rank 3" or "ranks 9, 14". */
export function namedRanks(ranks: readonly number[]): string {
  return `${ranks.length === 1 ? 'rank' : 'ranks'} ${ranksText(ranks)}`;
}
