// Log read: what a source of job logs emits while a log has nothing new, so that a silent log and one that is not read differ.

import type { SampleBatch } from './record.ts';

/** It is emitted this often, ms. */
export const LOG_READ_EVERY_MS = 10_000;
const QUANTITY = '#log_read';

/** The log of the job was read to its end at this time. */
export function logRead(source: string, job: string, timeMs: number): SampleBatch {
  return { source, trust: 'tenant', keys: [`job/${job}${QUANTITY}`], timesMs: [timeMs], values: [1] };
}

export const isLogRead = ({ keys }: SampleBatch): boolean => keys[0]?.endsWith(QUANTITY) === true;
