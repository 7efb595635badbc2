// Rank hosts: on which host each rank of a job runs, as an event carries it: `gx-10 0-3, gx-11 4-7`.

/** What one attribute may hold; what is behind is left out. */
const LONGEST = 400;

/** Hosts in the order of their first rank, each with its ranks as runs. */
export function rankHostsText(hosts: ReadonlyMap<number, string>): string {
  const ranksOf = new Map<string, number[]>();
  for (const rank of [...hosts.keys()].sort((a, b) => a - b)) {
    const host = hosts.get(rank) ?? '';
    ranksOf.set(host, [...(ranksOf.get(host) ?? []), rank]);
  }
  let text = '';
  for (const [host, ranks] of ranksOf) {
    const next = `${text === '' ? '' : ', '}${host} ${runsOf(ranks).join(',')}`;
    if (text.length + next.length > LONGEST) break;
    text += next;
  }
  return text;
}

/** The only host that all of these ranks run on; null where that is not known. */
export function hostOfRanks(text: unknown, ranks: readonly number[]): string | null {
  if (typeof text !== 'string' || ranks.length === 0) return null;
  for (const part of text.split(', ')) {
    const [host = '', runs = ''] = part.split(' ');
    if (runs === '') continue;
    const spans = runs.split(',').map((run) => run.split('-').map(Number));
    const has = (rank: number): boolean => spans.some(([from = Number.NaN, to = from]) => rank >= from && rank <= to);
    if (has(ranks[0] ?? Number.NaN)) return ranks.every(has) ? host : null;
  }
  return null;
}

/** "0-3", "5": sorted numbers as runs. */
function runsOf(ranks: readonly number[]): string[] {
  const runs: [number, number][] = [];
  for (const rank of ranks) {
    const last = runs.at(-1);
    if (last !== undefined && rank === last[1] + 1) last[1] = rank;
    else runs.push([rank, rank]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
}
