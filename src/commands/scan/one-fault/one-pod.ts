// One pod: what its container printed before it ended is why it ends again and again, where its log is called after the pod or the container.

import { basename } from 'node:path';
import type { Incident } from '../../../model/incident.ts';
import { logOfHost } from '../../../model/unnamed-host.ts';
import { logOf } from '../found-events.ts';
import { type Group, isRooted, placeOf, rootOf } from './groups.ts';

/** Events of pods are kept for an hour, and printed later. */
const PRINTED_MS = 3 * 86_400_000;
/** A backoff is five minutes at most, and clocks differ. */
const BEFORE_MS = 600_000;
/** "Back-off restarting failed container vllm in pod qwen-0_serving(1a2b)", "container=vllm pod=qwen-0". */
const CONTAINER = /\bcontainer[ =]"?([a-z0-9][a-z0-9-]{0,62})\b/;
/** Of a container that was begun: one whose image or volume is not there has printed nothing. */
const NOT_BEGUN = /Image|Mount|Attach|Sandbox|Create|Config/;
const ENDINGS = /(?:\.(?:log|txt|out|err|json|previous|prev|\d{1,2})|[-_.](?:previous|prev|logs?))+$/i;

/** Groups of a pod that does not stay up with the only program whose log is that pod's, each led by the program. */
export function ofOnePod(incidents: readonly Incident[]): Group[] {
  const pods = incidents.filter((one) => isRooted(one) && one.root.kind === 'pod.start_failed');
  const programs = incidents.filter((one) => one.made === undefined && rootOf(one)?.source === 'job-log');
  return pods.flatMap((pod) => {
    const names = namesOf(pod);
    const own = programs.filter((one) => names.includes(nameOf(one)) && isOf(pod, one));
    const rivals = pods.filter((other) => other !== pod && own.some((one) => namesOf(other).includes(nameOf(one))));
    const [lead, ...others] = own;
    return lead === undefined || others.length > 0 || rivals.length > 0 ? [] : [{ lead, others: [pod] }];
  });
}

/** The pod, and its container where a line names it. */
function namesOf(pod: Incident): readonly string[] {
  const { pod: name, message, reason } = rootOf(pod)?.attributes ?? {};
  if (typeof name !== 'string' || NOT_BEGUN.test(String(reason ?? ''))) return [];
  const container = typeof message === 'string' ? CONTAINER.exec(message)?.[1] : undefined;
  return [name, ...(container === undefined ? [] : [container])];
}

/** What its log is called after. */
function nameOf(program: Incident): string {
  const root = rootOf(program);
  return root === undefined ? '' : basename(logOf(root)).replace(ENDINGS, '');
}

/** On the node of the pod, or where no line says; the log is of a run before the pod's events were printed. */
function isOf(pod: Incident, program: Incident): boolean {
  const at = placeOf(program);
  const beforeMs = pod.openedMs - program.openedMs;
  return (logOfHost(at) !== null || at === placeOf(pod)) && beforeMs >= -BEFORE_MS && beforeMs <= PRINTED_MS;
}
