// Log read: what a source of job logs emits of how far it has read, so that a silent log and one that is not read differ, and one that
// is silent and one whose lines report nothing.

import type { SampleBatch } from './record.ts';

/** It is emitted this often, ms. */
export const LOG_READ_EVERY_MS = 10_000;
const QUANTITY = '#log_read';

/** The log of the job was read to its end at this time, epoch ms; `lines` came since that was said last. The value is one more than these. */
export function logRead(source: string, job: string, timeMs: number, lines = 0): SampleBatch {
  return { source, trust: 'tenant', keys: [`job/${job}${QUANTITY}`], timesMs: [timeMs], values: [1 + lines] };
}

export const isLogRead = ({ keys }: SampleBatch): boolean => keys[0]?.endsWith(QUANTITY) === true;
