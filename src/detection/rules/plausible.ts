// Plausible: what a device says and cannot be, and a voltage that only comes back; neither is a fault of the feed.

import { parseSeriesKey } from '../../model/reading.ts';
import type { SampleBatch } from '../../model/record.ts';
import type { DetectorEdge } from '../../native.ts';

/** V: under this nothing that hangs on a phase can draw current. */
const DEAD_VOLTAGE = 10;
const VOLTAGE = '#voltage';
/** Back to no more than this share over what was usual before the sag is not a swell. */
const USUAL = 1.1;
/** The window of the voltage detectors: as long a sag's own level can be taken for the usual one. */
const REMEMBERED_MS = 600_000;
const MAX_SERIES = 4096;

/** The batch without voltages of (nearly) nothing on parts that draw current in the same reading: sentinels, not readings. */
export function plausible(batch: SampleBatch): SampleBatch {
  if (!hasDead(batch)) return batch;
  const currents = new Map(batch.keys.map((key, i) => [key, batch.values[i] ?? 0]));
  const keep = batch.keys.map((key, i) => {
    if (!isDead(batch.values[i] ?? 0, key)) return true;
    return !((currents.get(`${parseSeriesKey(key).component}#current`) ?? 0) > 0);
  });
  const kept = <T>(list: readonly T[]): T[] => list.filter((_, i) => keep[i]);
  return { ...batch, keys: kept(batch.keys), timesMs: kept(batch.timesMs), values: kept(batch.values) };
}

function hasDead({ keys, values }: SampleBatch): boolean {
  for (let i = 0; i < keys.length; i += 1) if (isDead(values[i] ?? 0, keys[i] ?? '')) return true;
  return false;
}

function isDead(value: number, key: string): boolean {
  return value < DEAD_VOLTAGE && key.endsWith(VOLTAGE);
}

/** Tells the swell that is only the end of a long sag: the rolling median has followed the sag meanwhile. */
export class Returns {
  /** Series → what was usual before its last sag, and when that ended; null while it lasts. */
  readonly #sags = new Map<string, { readonly usual: number; endMs: number | null }>();
  readonly #passedOver = new Set<string>();

  /** True for an edge that is not news. `kind` is that of its rule. */
  isReturn(kind: string, edge: DetectorEdge): boolean {
    const { key } = edge;
    if (kind === 'power.voltage_sag') {
      this.#sag(edge);
      return false;
    }
    if (kind !== 'power.voltage_swell') return false;
    if (edge.edge === 'clear') return this.#passedOver.delete(key);
    const sag = this.#sags.get(key);
    const recent = sag !== undefined && edge.timeMs - (sag.endMs ?? edge.timeMs) <= REMEMBERED_MS;
    const isReturn = recent && edge.value <= USUAL * sag.usual;
    if (isReturn && this.#passedOver.size < MAX_SERIES) this.#passedOver.add(key);
    return isReturn;
  }

  #sag({ key, edge, reference, timeMs }: DetectorEdge): void {
    if (edge === 'onset') {
      if (this.#sags.size < MAX_SERIES || this.#sags.has(key)) this.#sags.set(key, { usual: reference, endMs: null });
      return;
    }
    const sag = this.#sags.get(key);
    if (sag !== undefined) sag.endMs = timeMs;
  }
}
