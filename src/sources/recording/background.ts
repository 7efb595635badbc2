// Background: natively sampled series as they stand, into a recording, so that a replay can show them as evidence.

import type { Aggregates, NativeCore } from '../../native.ts';
import type { Recorder } from './recorder.ts';

export function recordBackground(recorder: Recorder, aggregates: Aggregates, core: NativeCore): void {
  const { ids, last, lastTimeMs } = aggregates;
  const keys = core.seriesKeys();
  const batch = { keys: [] as string[], timesMs: [] as number[], values: [] as number[] };
  ids.forEach((id, i) => {
    const key = keys[id] ?? '';
    if (!/^(gpu|gpu_instance|nvlink|cpu|host)\//.test(key)) return;
    batch.keys.push(key);
    batch.timesMs.push(lastTimeMs[i] ?? 0);
    batch.values.push(last[i] ?? 0);
  });
  if (batch.keys.length > 0) recorder.background({ source: 'native', trust: 'driver', ...batch }, core.now());
}
