// Shown event: the event that stands for a condition, with how often it happened and with what only a later line of it says: which array gave a
// disk up, that an OSD whose requests were slow is down.

import { CEPH_CHECKS, cephCheck, cephCheckByReason } from '../../model/ceph-checks.ts';
import type { Attributes, FaultEvent } from '../../model/event.ts';
import { gpfsRank } from '../../model/gpfs-parts.ts';
import type { Condition } from '../belief/condition.ts';
import { timesOf } from './times.ts';

/** As it was shown last, where that is still the same. */
export function eventOf(condition: Condition): FaultEvent {
  const { first, shown, version } = condition;
  if (shown?.version === version) return shown.event;
  const event = drawn(condition);
  condition.shown = { of: first, event, version };
  return event;
}

function drawn(condition: Condition): FaultEvent {
  const { first, severity, shown } = condition;
  const count = timesOf(condition);
  const attributes = attributesOf(condition);
  if (first.count === count && first.severity === severity && attributes === first.attributes) return first;
  const was = shown?.of === first ? shown.event : null;
  if (was?.count === count && was.severity === severity && isSame(was.attributes, attributes)) return was;
  return { ...first, count, severity, attributes };
}

/** Those of its first event, unless a later one says more. */
export function attributesOf(condition: Condition): Attributes {
  const { first } = condition;
  if (first.kind.startsWith('storage.') && first.attributes.file_system === 'ceph') return ofGravestCheck(condition);
  if (first.kind === 'host.degraded' && first.attributes.says === undefined) return withSaid(condition);
  if (first.attributes.tool === 'mmhealth') return ofFirstPart(condition);
  const name = NAMED_LATER[`${first.kind} ${String(first.attributes.file_system)}`];
  if (name !== undefined && first.attributes[name] === undefined) return withName(condition, name);
  const out = thrownOut(condition);
  return out === first ? first.attributes : { ...first.attributes, ...memberOf(out) };
}

/** Of several parts of GPFS that mmhealth finds at fault, the one that the others follow from. */
function ofFirstPart({ first, events }: Condition): Attributes {
  const rank = ({ attributes: { part } }: FaultEvent): number => gpfsRank(part);
  const own = events.filter(({ attributes }) => attributes.tool === 'mmhealth');
  return own.reduce((best, event) => (rank(event) < rank(best) ? event : best), first).attributes;
}

/** Of a node that its scheduler has no use of: what the script printed that failed there, which another log of it has. */
function withSaid({ first, events }: Condition): Attributes {
  const { script, says } = events.find(({ attributes }) => typeof attributes.says === 'string')?.attributes ?? {};
  return says === undefined || script === undefined ? first.attributes : { ...first.attributes, script, says };
}

function isSame(a: Attributes, b: Attributes): boolean {
  return (
    a === b ||
    (a.array === b.array &&
      a.says === b.says &&
      a.check === b.check &&
      a.reason === b.reason &&
      a.part === b.part &&
      a.client === b.client)
  );
}

/** Of a disk whose md array gave it up: the event that says so, which names the member, most often a partition. */
function thrownOut({ kind, first, events }: Condition): FaultEvent {
  if (kind !== 'storage.io_error' || first.attributes.array !== undefined) return first;
  return events.find(({ attributes: { array } }) => typeof array === 'string') ?? first;
}

function memberOf({ attributes: { array = null, device = null, raid = null } }: FaultEvent): Attributes {
  return { array, raid, ...(device === null ? {} : { device }) };
}

type Name = 'part' | 'osd_host' | 'client';

/** Of a server of Lustre that hangs, and gives up the only client that held a lock: that client. Of a WEKA cluster that lacks something: what its alerts name. */
const NAMED_LATER: Readonly<Record<string, Name>> = {
  'storage.stall lustre': 'client',
  'storage.degraded weka': 'part',
};

function withName({ first, events }: Condition, name: Name): Attributes {
  const value = only(events, name);
  return value === null ? first.attributes : { ...first.attributes, [name]: value };
}

/** Of several checks of a cluster the one that the others follow from, with the daemon and its host where all lines that name one mean the same. */
function ofGravestCheck({ kind, first, events }: Condition): Attributes {
  if (events.length === 1) return first.attributes;
  const place = (event: FaultEvent): number => placeOf(event, kind);
  const gravest = events.reduce((worst, event) => (place(event) < place(worst) ? event : worst), first);
  // A whole host, with its OSDs.
  const isHost = events.some(
    ({ attributes: { osd_host: at, part: of } }) => typeof at === 'string' && of === undefined,
  );
  const [part, atHost] = [isHost ? null : only(events, 'part'), only(events, 'osd_host')];
  return { ...first.attributes, check: null, reason: null, ...gravest.attributes, part, osd_host: atHost };
}

/** In the catalogue, whose first are causes of those behind them. */
function placeOf({ attributes: { check: code, reason } }: FaultEvent, kind: Condition['kind']): number {
  const check = cephCheck(code) ?? cephCheckByReason(reason);
  return check?.kind === kind ? CEPH_CHECKS.indexOf(check) : CEPH_CHECKS.length;
}

/** Null where none says, or they differ. */
function only(events: readonly FaultEvent[], name: Name): string | null {
  const [first, ...others] = new Set(events.flatMap(({ attributes: { [name]: value } }) => (typeof value === 'string' ? [value] : []))); // biome-ignore format: one list
  return others.length === 0 ? (first ?? null) : null;
}
