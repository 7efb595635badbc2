// Meeting place: the host and port at which the ranks of a job could not reach each other, as the line that gave up names it.

import type { Incident } from '../../model/incident.ts';
import { OWNER } from './kind-step.ts';
import type { Special } from './special-step.ts';

/** "trying to connect to (gx-21, 29500)", "to host gx-21:29500", "to [gx-21]:29500"; only this is pasted: a name and a number. */
const PLACE =
  /\b(?:connect(?:ing)?(?:\/validate)? to|to host) (?:host )?[([]?(?<host>[A-Za-z0-9][A-Za-z0-9.-]{0,252})(?:, |\]?:)(?<port>\d{1,5})\b/;

/** Null where no line of it says where. */
export function meetingPlace({ root, events }: Incident): Special | null {
  if (root.kind !== 'job.bootstrap_timeout') return null;
  const { message } = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  const { host, port } = (typeof message === 'string' ? PLACE.exec(message)?.groups : undefined) ?? {};
  if (host === undefined || port === undefined) return null;
  return {
    does: 'find out why the ranks of % did not meet',
    now: `see whether rank 0 runs on ${host} and listens: ssh ${host} ss -ltnp | grep :${port}; whether the others reach it (nc -vz ${host} ${port}); and in the log whether every rank started, and over which interface (NCCL_SOCKET_IFNAME sets it)`,
    call: OWNER,
  };
}
