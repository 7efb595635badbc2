// What native code can read of a card while nothing changes: its counters as series, the texts behind its state as they stand. Pure.

import type { WatchedFile, WatchedSeries } from '../../native.ts';
import type { WatchPlan } from '../files/watched-source.ts';
import type { Counter } from './catalogue.ts';

/** What is longer is not a state of a port. */
const MAX_TEXT = 63;
const WAYS = [
  ['received', 'rdma_receive_rate'],
  ['transmitted', 'rdma_transmit_rate'],
] as const;

/** A card as its last reading left it. */
export interface LastReading {
  /** Texts that the reading followed from, by path; null where a file gave none. */
  readonly seen: ReadonlyMap<string, string | null>;
  /** Files of counters that are at the end of their range. */
  readonly full: ReadonlySet<string>;
  readonly ports: readonly {
    readonly folder: string;
    readonly counters: readonly Counter[];
    readonly received: string;
    readonly transmitted: string;
  }[];
  /** Bytes that one step of the traffic counters held for. */
  readonly unit: number;
}

export interface Known {
  /** "nic/0000:1b:00.0" */
  readonly component: string;
  /** Values that follow from the texts, by quantity. */
  readonly held: ReadonlyMap<string, number>;
  /** Whether traffic is a series. */
  readonly rates: boolean;
  readonly bytes: { readonly timeMs: number; readonly received: number; readonly transmitted: number } | null;
}

/** Its last two series are the rates of traffic. Null where a file may yet say something else than it did. `refused`: files that are not read again. */
export function nicPlan(last: LastReading, known: Known, refused: (path: string) => boolean): WatchPlan[number] | null {
  const { seen, full, ports, unit } = last;
  const files: WatchedFile[] = [];
  const places = new Map<string, number>();
  const place = (file: WatchedFile): number => {
    const at = places.get(file.path) ?? files.length;
    if (at === files.length) files.push(file);
    places.set(file.path, at);
    return at;
  };
  for (const [path, text] of seen) {
    if (text === null && refused(path)) continue;
    if (text === null || text.length > MAX_TEXT || text.includes('\0')) return null;
    place({ path, expected: text });
  }
  const sums = new Map<string, { readonly at: number[]; readonly slow: boolean }>();
  for (const { folder, counters } of ports) {
    for (const { file, quantity, limit, slow } of counters) {
      const path = `${folder}/${file}`;
      if (refused(path)) continue;
      const sum = sums.get(quantity) ?? { at: [], slow };
      sums.set(quantity, sum);
      const held = full.has(path) && limit !== null ? { expected: String(limit) } : {};
      sum.at.push(place({ path, slow, ...(limit === null || full.has(path) ? held : { limit }) }));
    }
  }
  const key = (quantity: string): string => `${known.component}#${quantity}`;
  const series: WatchedSeries[] = [];
  for (const [quantity, { at, slow }] of sums) series.push({ key: key(quantity), kind: 'counter', files: at, slow });
  for (const [quantity, value] of known.held) series.push({ key: key(quantity), kind: 'held', value });
  for (const [way, quantity] of WAYS) {
    const at = ports.map((port) => port[way]).filter((path) => !refused(path));
    const total = known.bytes === null ? {} : { total: known.bytes[way] };
    const own = { key: known.rates ? key(quantity) : '', value: unit, ...total };
    series.push({ ...own, kind: 'rate', files: at.map((path) => place({ path })) });
  }
  return { files, series, ...(known.bytes === null ? {} : { totalsMs: known.bytes.timeMs }) };
}
