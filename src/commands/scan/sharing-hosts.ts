// Sharing hosts: logs that report of other hosts alone, together where they report of the same ones.

interface AboutOthers {
  readonly kernel: boolean;
  readonly about?: readonly string[];
}

/** Logs by their place among all. */
interface Group {
  places: number[];
  about: Set<string>;
}

/** In the order of the last log of each. Work grows with the hosts that are named, however logs hang together. */
export function sharingHosts<L extends AboutOthers>(logs: readonly L[]): { logs: L[]; about: ReadonlySet<string> }[] {
  const of = new Map<string, Group>();
  for (const [place, { about = [], kernel }] of logs.entries()) {
    if (about.length === 0 || kernel) continue;
    let group: Group = { places: [place], about: new Set() };
    for (const host of about) {
      const had = of.get(host);
      if (had === undefined) {
        group.about.add(host);
        of.set(host, group);
      } else if (had !== group) group = joined(had, group, of);
    }
  }
  return [...new Set(of.values())]
    .map(({ places, about }) => ({ places: places.sort((a, b) => a - b), about }))
    .sort((a, b) => (a.places.at(-1) ?? 0) - (b.places.at(-1) ?? 0))
    .map(({ places, about }) => ({ logs: places.flatMap((place) => logs[place] ?? []), about }));
}

/** The smaller one moves. */
function joined(a: Group, b: Group, of: Map<string, Group>): Group {
  const size = ({ places, about }: Group): number => places.length + about.size;
  const [large, small] = size(a) >= size(b) ? [a, b] : [b, a];
  for (const place of small.places) large.places.push(place);
  for (const host of small.about) {
    large.about.add(host);
    of.set(host, large);
  }
  return large;
}
