// What the native tests share: a core, samples pushed as one series, and waiting for what a reader says.

import { type Drained, type NativeCore, native } from '../../src/native.ts';
import { PATIENCE_MS } from '../until.ts';

export function makeCore(options: { historySeconds?: number; maxSeries?: number; anchorMs?: number } = {}): NativeCore {
  return new (native().Core)({ historySeconds: 60, maxSeries: 100, ...options });
}

/** A level detector without dwell: onset above `limit`, clear at or below it. */
export function above(limit: number, quantity = 'temperature') {
  return {
    name: 'hot',
    select: { componentType: 'gpu', quantity },
    type: 'level',
    when: 'above',
    limit,
    clear: limit,
    dwellMs: 0,
    clearDwellMs: 0,
  } as const;
}

export function push(core: NativeCore, key: string, points: readonly (readonly [timeMs: number, value: number])[]) {
  const id = core.series(key);
  core.push(
    new Uint32Array(points.length).fill(id),
    Float64Array.from(points, ([time]) => time),
    Float64Array.from(points, ([, value]) => value),
  );
}

export { until } from '../until.ts';

/** Drains at each wake until `done` says so. */
export function drainUntil(core: NativeCore, done: (all: Drained) => boolean): Promise<Drained> {
  const all = { edges: [], records: [], notices: [] } as { [Kind in keyof Drained]: Drained[Kind][number][] };
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error(`waited in vain, got ${JSON.stringify(all)}`)), PATIENCE_MS);
    core.onWake(() => {
      const drained = core.drain();
      all.edges.push(...drained.edges);
      all.records.push(...drained.records);
      all.notices.push(...drained.notices);
      if (!done(all)) return;
      clearTimeout(limit);
      resolve(all);
    });
  });
}
