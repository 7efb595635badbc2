// Meeting place: the host and port at which the ranks of a job could not reach each other, as the line that gave up names it.

import type { Incident } from '../../model/incident.ts';
import { OWNER } from './kind-step.ts';
import type { Special } from './special-step.ts';

/** "trying to connect to (gx-21, 29500)", "to host gx-21:29500", "to [gx-21]:29500"; only this is pasted: a name and a number. */
const PLACE =
  /\b(?:[Cc]onnect(?:ing)?(?:\/validate)? to|to host) (?:host )?[([]?(?<host>[A-Za-z0-9][A-Za-z0-9.-]{0,252})(?:, |\]?:|<)(?<port>\d{1,5})\b/;
/** gRPC: "last error: UNKNOWN: ipv4:10.0.0.1:8476: Failed to connect to remote host". */
const ADDRESS = /\bipv4:(?<host>\d{1,3}(?:\.\d{1,3}){3}):(?<port>\d{1,5}): /;

interface Search {
  readonly find: string;
  readonly now: string;
  readonly call: string;
}

/** Of a connection that the other side closed, where its lines name rank 0's host and port; null of anything else. */
export function closedByPlace({ root, events }: Pick<Incident, 'root' | 'events'>): Search | null {
  if (root.kind !== 'net.connection_reset') return null;
  const { host, port } = placeIn(events) ?? {};
  if (host === undefined || port === undefined) return null;
  return {
    find: `why rank 0 on ${host} closed it or did not answer`,
    now: `see the end of the log of rank 0; on ${host}, ss -ltnp | grep :${port} (does it still listen); sudo dmesg -T | grep -iE "xid|out of memory" at TIME and before. Where rank 0 is well: nc -vz ${host} ${port} from @`,
    call: OWNER,
  };
}

function placeIn(events: Incident['events']): Partial<Record<string, string>> | undefined {
  const said = events.flatMap(({ attributes: { message }, evidence }) => [
    ...(typeof message === 'string' ? [message] : []),
    ...evidence.flatMap((one) => ('text' in one ? [one.text] : [])),
  ]);
  const text = said.join('\n');
  return (PLACE.exec(text) ?? ADDRESS.exec(text))?.groups;
}

/** Null where no line of it says where. */
export function meetingPlace({ root, events }: Incident): Special | null {
  if (root.kind !== 'job.bootstrap_timeout') return null;
  const own = events.find(({ id }) => id === root.eventId);
  const { host, port } = placeIn(own === undefined ? [] : [own]) ?? {};
  if (host === undefined || port === undefined) return null;
  return {
    does: 'find out why the ranks of % did not meet',
    now: `see whether rank 0 runs on ${host} and listens: ssh ${host} ss -ltnp | grep :${port}; whether the others reach it (nc -vz ${host} ${port}); and in the log whether every rank started, and over which interface (NCCL_SOCKET_IFNAME sets it)`,
    call: OWNER,
  };
}
