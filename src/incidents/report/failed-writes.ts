// Failed writes: a client of a file server that does not wait for it hands the error on: what was written meanwhile is not there.

import type { Incident } from '../../model/incident.ts';
import { backMs } from './back.ts';
import { evictedHost } from './evicted.ts';
import type { Special } from './special-step.ts';

/** Of a soft mount of NFS, and of BeeGFS' client once its retries are over, as their lines are known by. */
const FAILED: ReadonlySet<unknown> = new Set([
  'does not answer, and requests to it failed',
  'failed writes of this host',
]);
const SOFT = /^nfs: server \S{1,128} not responding, timed out/;

/** Whether programs of the host were given errors, so that with the end of the stall it is not over. */
export function hasFailedWrites({ root, events }: Pick<Incident, 'root' | 'events'>): boolean {
  if (!root.kind.startsWith('storage.')) return false;
  return events.some(
    ({ attributes, evidence }) =>
      FAILED.has(attributes.did) || evidence.some((one) => 'text' in one && SOFT.test(one.text)),
  );
}

/** With it what the words of a stall say of what waits are untrue. */
export function failedWritesText(incident: Incident): string | null {
  if (!hasFailedWrites(incident)) return null;
  return `what programs on ${evictedHost(incident)} wrote there since TIME got errors: have it checked`;
}

/** Where the server is back; null where it is not, or where all of it waited. */
export function afterFailedWrites(incident: Incident): Special | null {
  const back = backMs(incident);
  if (back === null || !hasFailedWrites(incident)) return null;
  const host = evictedHost(incident);
  return {
    does: `have checked what programs on ${host} wrote to % before it was back`,
    now: `from TIME to BACK their requests got errors, for this mount does not wait: files of that time may be cut or missing, and a checkpoint is to be loaded before work continues from it`,
    call: `who runs the jobs on ${host}`,
  };
}
