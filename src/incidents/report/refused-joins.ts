// Refused joins: a host's IPoIB interface asks the subnet manager for its multicast group, and is refused: the partition is not what the manager has.
// No cable makes that, and no host is to be drained for it.

import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import type { Special } from './special-step.ts';

type Read = Pick<Incident, 'root' | 'events' | 'host'>;

const CALL = 'who runs the InfiniBand fabric (its subnet manager)';
/** Lines of one fault are one event, which has their texts. */
const LINE = /PARSE ERROR ?: ?(?:\/[\w./-]{1,128}:|(?:at )?line )(\d{1,6})\b/;
/** More names than these are counted. */
const NAMED = 4;

/** `opensm did not take line 9 of its partitions: joins refused on gx-1 and gx-2, partition 0x8001`; null of anything else. */
export function refusedRoot(incident: Read & Pick<Incident, 'evidence'>): string | null {
  const { manager, joins } = partsOf(incident);
  const hosts = [...new Set(joins.map(hostOf))].sort();
  if (manager === undefined && joins.length === 0) return null;
  const whose = joins.length === 0 ? '' : `joins refused on ${listOf(hosts)}${partitionText(joins)}`;
  if (manager === undefined) return `the subnet manager refuses: ${whose}`;
  const line = incident.evidence.flatMap((one) => ('text' in one ? (LINE.exec(one.text)?.[1] ?? []) : []))[0];
  const what = line === undefined ? '' : `line ${line} of `;
  return `opensm did not take ${what}its partitions${whose === '' ? '' : `: ${whose}`}`;
}

export function ofRefusedJoins(incident: Read): Special | null {
  const { manager, joins } = partsOf(incident);
  const pkey = joins.find(({ attributes }) => attributes.pkey !== undefined)?.attributes.pkey;
  const partition = pkey === undefined ? 'the partition' : `partition 0x${plain(String(pkey), 8)}`;
  if (manager !== undefined)
    return {
      does: 'correct the partition configuration of the subnet manager, then have it read again; no cable, no drain',
      now: `on the subnet manager's host, see /etc/opensm/partitions.conf (at the line that its log names at TIME) and who changed it; once it is right, sudo systemctl restart opensm, and its log names no error`,
      call: CALL,
    };
  if (joins.length === 0) return null;
  return {
    does: `see whether the subnet manager has ${partition} with these hosts' ports; no cable, no drain`,
    now: `see its log at TIME (opensm: /var/log/opensm.log; UFM: its partitions) and whether it was restarted or its partitions.conf changed then; on @, sudo cat /sys/class/infiniband/*/ports/*/pkeys/* lists what its port was given`,
    call: CALL,
  };
}

/** Of an incident whose root is one of them. */
function partsOf({ root, events }: Read): { readonly manager?: FaultEvent; readonly joins: readonly FaultEvent[] } {
  const own = events.find(({ id }) => id === root.eventId)?.attributes;
  if (own?.join_refused !== true && own?.sm_partitions !== true) return { joins: [] };
  const manager = events.find(({ attributes }) => attributes.sm_partitions === true);
  const joins = events.filter(({ attributes }) => attributes.join_refused === true);
  return manager === undefined ? { joins } : { manager, joins };
}

function partitionText(joins: readonly FaultEvent[]): string {
  const pkeys = [...new Set(joins.flatMap(({ attributes: { pkey } }) => (pkey === undefined ? [] : [String(pkey)])))];
  return pkeys.length === 1 ? `, partition 0x${plain(pkeys[0] ?? '', 8)}` : '';
}

function hostOf({ component }: FaultEvent): string {
  return component?.host ?? component?.id ?? '';
}

function listOf(hosts: readonly string[]): string {
  const names = hosts.slice(0, NAMED).map((host) => plain(host, 64));
  const rest = hosts.length - names.length;
  if (rest > 0) return `${names.join(', ')} and ${rest} more host${rest === 1 ? '' : 's'}`;
  return names.length === 1 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
