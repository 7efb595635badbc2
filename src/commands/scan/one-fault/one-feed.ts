// One feed: supplies of several hosts that lose their input in the same seconds hang on one feed; the UPS, PDU or breaker whose log says why
// leads, with what its outage brought down.

import type { Incident } from '../../../model/incident.ts';
import { type Kind, kindEntry } from '../../../model/kind.ts';
import { isOfSwitch } from '../../../model/switch-side.ts';
import { type Group, isRooted, placeOf, rootOf } from './groups.ts';

/** What clocks of hosts, polls of BMCs and the stamps of logs leave open. */
const TOGETHER_MS = 10_000;
/** A UPS changes over, and a breaker opens, before supplies miss their input; its log may be stamped later. */
const BEFORE_MS = 60_000;
/** A scheduler or Kubernetes calls a dead node down within this time (SlurmdTimeout is 300 s, and is asked for twice). */
const MISSED_MS = 900_000;

/** On several hosts at once they have the power in common. */
const WITHOUT_POWER: ReadonlySet<Kind> = new Set<Kind>(['psu.input_lost', 'psu.failure', 'psu.failover', 'psu.redundancy_lost', 'host.power_cap', 'cpu.power_cap', 'gpu.power_brake']); // biome-ignore format: one list
/** Where power is lost they may be why a host is missed. */
const MISSED: ReadonlySet<Kind> = new Set<Kind>(['host.down', 'host.not_ready', 'job.node_failed']);

/** Groups of incidents that one feed is behind. */
export function ofOneFeed(incidents: readonly Incident[]): Group[] {
  const rooted = incidents.filter(isRooted);
  const sources = rooted.filter((one) => isSource(one.root.kind));
  const lost = rooted.filter(({ root }) => WITHOUT_POWER.has(root.kind));
  const groups: Group[] = [];
  const taken = new Set<Incident>();
  const inOrder = [...sources, ...lost].sort((a, b) => a.openedMs - b.openedMs);
  for (const run of parted(inOrder)) {
    const own = run.filter((one) => isSource(one.root.kind));
    const lead = leadOf(run, own);
    if (lead === null) continue;
    const endMs = Math.max(...run.map(({ openedMs }) => openedMs));
    const hosts = new Set(run.map(placeOf));
    const missed = rooted.filter((one) => {
      if (!MISSED.has(one.root.kind) || taken.has(one)) return false;
      if (one.openedMs < lead.openedMs || one.openedMs - endMs > MISSED_MS) return false;
      return (
        hosts.has(placeOf(one)) ||
        own.some(({ root }) => isDead(root.kind) || (root.kind === 'power.overload' && isOfSeveral(one)))
      );
    });
    for (const one of missed) taken.add(one);
    groups.push({ lead, others: [...run.filter((one) => one !== lead), ...missed] });
  }
  return groups;
}

/** Of what began within a minute what began together: supplies in the same seconds, with the sources up to a minute before them. */
function parted(run: readonly Incident[]): Incident[][] {
  const parts: Incident[][] = [];
  for (const one of run) {
    const part = parts.at(-1);
    const isNear = part?.some(
      (other) =>
        one.openedMs - other.openedMs <= TOGETHER_MS ||
        (isSource(other.root.kind) && one.openedMs - endOf(other) <= BEFORE_MS),
    );
    if (part !== undefined && isNear === true) part.push(one);
    else parts.push([one]);
  }
  return parts;
}

/** A UPS runs on its battery until that is empty, or the mains are back. */
function endOf({ openedMs, events }: Incident): number {
  return Math.max(openedMs, ...events.map(({ timeMs }) => timeMs));
}

/** The first source; of hosts alone the first of several whose supplies lost the same. */
function leadOf(run: readonly Incident[], sources: readonly Incident[]): Incident | null {
  const [source] = sources;
  if (source !== undefined) return source;
  const hosts = new Set(run.map(placeOf));
  if (hosts.size < 2) return null;
  const alike = Map.groupBy(run, ({ root }) => root.kind);
  const [several] = [...alike.values()].filter((all) => new Set(all.map(placeOf)).size > 1);
  if (several === undefined) return null;
  return several.find((one) => !isSwitches(one)) ?? several[0] ?? null;
}

/** A bank that is overloaded may be off soon after, with all that hangs on it. */
function isOfSeveral({ events }: Incident): boolean {
  return new Set(events.flatMap(({ kind, component }) => (MISSED.has(kind) && component !== null ? [component.id] : []))).size > 1; // biome-ignore format: one rule
}

function isSwitches(incident: Incident): boolean {
  const root = rootOf(incident);
  return root !== undefined && isOfSwitch(root);
}

function isSource(kind: Kind): boolean {
  return isDead(kind) || kindEntry(kind).groups?.includes('feed_fault') === true || kind === 'power.overload';
}

function isDead(kind: Kind): boolean {
  return kindEntry(kind).groups?.includes('feed_dead') === true || kind === 'power.battery_low';
}
