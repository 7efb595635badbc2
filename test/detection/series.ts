// What the tests of shipped rules share: samples of one component in rounds, and the events that they lead to.

import { Detection } from '../../src/detection/detection.ts';
import { Identity } from '../../src/identity/identity.ts';
import type { Discovery, EventInput } from '../../src/model/record.ts';
import { native } from '../../src/native.ts';

export const T0 = 1_764_000_000_000;
export const GPU = 'gpu/0000:1b:00.0';

export type Round = Readonly<Record<string, number | undefined>>;

/** Each round's values, keyed by quantity of `GPU` or by whole series key, `stepMs` apart; whole events come back. */
export function eventsOf(
  rounds: readonly Round[],
  options: { stepMs?: number; before?: readonly Discovery[] } = {},
): EventInput[] {
  const { stepMs = 500, before = [] } = options;
  const core = new (native().Core)({ historySeconds: 600, maxSeries: 256, anchorMs: T0 });
  try {
    const identity = new Identity('node-3');
    const detection = new Detection(core, 'node-3', { identity });
    for (const discovery of before) identity.learn(discovery);
    detection.learned();
    return rounds.flatMap((round, i) => {
      const nowMs = T0 + i * stepMs;
      const keys = Object.keys(round).map((name) => (name.includes('#') ? name : `${GPU}#${name}`));
      const values = Object.values(round).map((value) => value ?? Number.NaN);
      detection.samples({ source: 'gpu', trust: 'driver', keys, timesMs: keys.map(() => nowMs), values });
      return detection.edges(core.drain().edges, nowMs).map(({ event }) => event);
    });
  } finally {
    core.close();
  }
}

/** `kind severity state round`, one per event. */
export function reported(rounds: readonly Round[], stepMs = 500): string[] {
  return eventsOf(rounds, { stepMs }).map(
    ({ kind, severity, state, timeMs }) => `${kind} ${severity} ${state} ${Math.round((timeMs - T0) / stepMs)}`,
  );
}

export function times<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}
