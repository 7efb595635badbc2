// Meeting place: the host and port at which the ranks of a job could not reach each other, as the line that gave up names it.

import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
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

/** Address and port, as the line that gave up names them. */
export function placeIn(events: Incident['events']): Partial<Record<string, string>> | undefined {
  const text = textOf(events);
  return (PLACE.exec(text) ?? ADDRESS.exec(text))?.groups;
}

function textOf(events: Incident['events']): string {
  const said = events.flatMap(({ attributes: { message }, evidence }) => [
    ...(typeof message === 'string' ? [message] : []),
    ...evidence.flatMap((one) => ('text' in one ? [one.text] : [])),
  ]);
  return said.join('\n');
}

/** Null where no line of it says where. */
export function meetingPlace({ root, events }: Incident): Special | null {
  if (root.kind !== 'job.bootstrap_timeout') return null;
  const own = events.find(({ id }) => id === root.eventId);
  const { host, port } = placeIn(own === undefined ? [] : [own]) ?? {};
  if (host === undefined || port === undefined) return null;
  const firewall = own === undefined ? null : rejected(own, host, port);
  if (firewall !== null) return firewall;
  const why = WHY.find(([words]) => words.test(textOf(own === undefined ? [] : [own])))?.[1];
  const listens = `whether rank 0 runs on ${host} and listens: ssh ${host} ss -ltnp | grep :${port}`;
  const rest = `whether the others reach it (nc -vz ${host} ${port}); and in the log whether every rank started, and over which interface (NCCL_SOCKET_IFNAME sets it)`;
  return why === undefined
    ? { does: 'find out why the ranks of % did not meet', now: `see ${listens}; ${rest}`, call: OWNER }
    : {
        does: `find out why ${host} port ${port} was not reached by %: ${why.said}`,
        now: `${why.now.replaceAll('HOST', host)}; ${listens}; ${rest}`,
        call: OWNER,
      };
}

interface Why {
  readonly said: string;
  readonly now: string;
}

/** What the system answers, and what that is the answer of. */
const WHY: readonly (readonly [RegExp, Why])[] = [
  [/No route to host/, { said: 'no route to host', now: 'see the firewall of HOST (ssh HOST sudo nft list ruleset; sudo firewall-cmd --list-all): one that rejects looks the same; then whether HOST is up (ping -c 3 HOST) and the way there (ip route get HOST)' }],
  [/Network is unreachable/, { said: 'network unreachable', now: 'see the way to HOST on the host that says it (ip route get HOST; ip -br addr)' }],
  [/Connection timed out/, { said: 'no answer', now: 'see whether HOST is up (ping -c 3 HOST), and its firewall (ssh HOST sudo nft list ruleset): one that drops gives no answer' }],
]; // biome-ignore format: a table

/** Of a host whose kernel logged that its firewall turned the connection away. */
function rejected(
  { attributes: { rejected_by: by, rejected_rule: rule } }: FaultEvent,
  host: string,
  port: string,
): Special | null {
  if (typeof by !== 'string') return null;
  const at = plain(by, 64);
  const as = typeof rule === 'string' && rule !== '' ? ` (${plain(rule, 64)})` : '';
  return {
    does: `let the job through the firewall of ${at}, which turns port ${port} of ${host} away${as}`,
    now: `on ${at}, sudo nft list ruleset; sudo firewall-cmd --list-all; systemctl status firewalld ufw nftables: who started it, and when; trust the network between the hosts of jobs there, or stop it where it is not wanted, and at its source, so that it does not come back`,
    call: `who runs ${at}`,
  };
}
