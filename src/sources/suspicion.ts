// What other sources look closer at: a device that failed, whoever reports it, and a job that stopped.

import type { FaultEvent } from '../model/event.ts';
import type { Kind } from '../model/kind.ts';
import { severityNumber } from '../model/severity.ts';

export type Heard = Pick<FaultEvent, 'kind' | 'component' | 'state' | 'source' | 'severity' | 'trust' | 'timeMs' | 'observedMs'>; // biome-ignore format: one list

/** XIDs and SXIDs come from the kernel log and as points, readings from the GPU source as onsets. */
const DEVICE = /^(gpu|nvlink|nvswitch)\./;
const STOPPED: ReadonlySet<Kind> = new Set([
  'job.hang',
  'job.collective_timeout',
  'job.collective_desync',
  'job.collective_mismatch',
  'job.bootstrap_timeout',
]);
/** The longest usual timeout of a collective; what is older was read late, and no rank waits there any more. */
const HISTORY_MS = 1_800_000;
const ERROR = severityNumber('error');

function isNews({ state, timeMs, observedMs }: Heard): boolean {
  return state !== 'clear' && observedMs - timeMs <= HISTORY_MS;
}

/** By the word of a driver or the kernel: a tenant's line makes nothing read faster. */
export function isDeviceFault(event: Heard): boolean {
  return (
    isNews(event) && event.trust !== 'tenant' && DEVICE.test(event.kind) && severityNumber(event.severity) >= ERROR
  );
}

/** By whatever but the dumps themselves: they would ask for more of them. */
export function isStoppedJob(event: Heard): boolean {
  return isNews(event) && STOPPED.has(event.kind) && event.source !== 'flight-recorder';
}
