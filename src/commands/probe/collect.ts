// What the probes of native readers share: run a reader for a moment, then take its notices, records and last values.

import { parseSeriesKey, type Reading } from '../../model/reading.ts';
import { type KernelRecord, type NativeCore, type NativeReader, type Notice, native } from '../../native.ts';
import { seriesMetric } from '../../sinks/metric-table.ts';

const STEP_MS = 20;

export interface Collected {
  readonly notices: readonly Notice[];
  readonly records: readonly KernelRecord[];
  /** The last value of every series, sorted by component and quantity. */
  readonly readings: readonly Reading[];
  readonly nowMs: number;
}

/** Runs a reader until `done` says so, at the longest `limitMs`; the reader is stopped in every case. */
export async function collect(
  start: (core: NativeCore) => NativeReader,
  limitMs: number,
  done: (so_far: Pick<Collected, 'notices' | 'records'>, elapsedMs: number) => boolean,
): Promise<Collected> {
  const core = new (native().Core)({ historySeconds: 10, maxSeries: 16_384 });
  const notices: Notice[] = [];
  const records: KernelRecord[] = [];
  const take = () => {
    const drained = core.drain();
    notices.push(...drained.notices);
    records.push(...drained.records);
  };
  let reader: NativeReader | null = null;
  try {
    core.onWake(take);
    reader = start(core);
    const started = performance.now();
    for (let elapsed = 0; elapsed < limitMs; elapsed = performance.now() - started) {
      await new Promise((resolve) => setTimeout(resolve, STEP_MS));
      take();
      if (done({ notices, records }, performance.now() - started)) break;
    }
    return { notices, records, readings: lastReadings(core), nowMs: core.now() };
  } finally {
    reader?.stop();
    core.close();
  }
}

function lastReadings(core: NativeCore): Reading[] {
  const { ids, last } = core.aggregates();
  const keys = core.seriesKeys();
  const readings = [...ids].map((id, i): Reading => {
    const { component, quantity } = parseSeriesKey(keys[id] ?? '');
    const value = last[i];
    return {
      component,
      quantity,
      value: value !== undefined && Number.isFinite(value) ? value : null,
      unit: unitOf(keys[id] ?? ''),
    };
  });
  return readings.sort((a, b) => a.component.localeCompare(b.component) || a.quantity.localeCompare(b.quantity));
}

/** SI, as the metric of the series has it; what is counted or pure has the unit 1. */
function unitOf(key: string): string {
  const unit = seriesMetric(key)?.metric.unit ?? '';
  return unit === '' || unit.startsWith('{') ? '1' : unit;
}
