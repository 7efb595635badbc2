// Jobs whose ranks cannot tell what they hung in: the recorder, or its dump at a timeout, is switched off in their environment.

import type { RankProcess } from '../../../identity/rank/processes.ts';
import type { EventInput } from '../../../model/record.ts';
import { listed } from '../dumps/verdict-text.ts';

/** One event a job, without those that nothing names. `nowMs`: epoch ms. */
export function recorderOff(ranks: readonly RankProcess[], nowMs: number): EventInput[] {
  const off = ranks.flatMap(({ job, rank, off: by }) => (job === null || by === null ? [] : [{ job, rank, by }]));
  return [...Map.groupBy(off, ({ job }) => job)].map(([job, here]) => {
    const numbers = here.map(({ rank }) => rank).sort((a, b) => a - b);
    const by = [...new Set(here.map((each) => each.by))].sort().join(', ');
    const text = `job ${job} runs without dumps of its collectives (${by}): a hang of it will name no rank`;
    return {
      kind: 'config.flight_recorder_off',
      component: { type: 'job', id: job },
      timeMs: nowMs,
      observedMs: nowMs,
      trust: 'tenant',
      source: 'flight-recorder',
      attributes: { job, setting: by, ranks: listed(numbers), text },
      evidence: [{ source: 'flight-recorder', timeMs: nowMs, text: `environment of rank ${listed(numbers)}: ${by}` }],
    };
  });
}
