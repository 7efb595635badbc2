// Ruled out: what was looked for and not found, or found and rejected; only what could be looked at is listed.

import catalog from '#catalog/xid.json' with { type: 'json' };
import { componentText } from '../../model/component.ts';
import type { RuledOut } from '../../model/incident.ts';
import { isKind, KINDS, type Kind, type KindInfo, kindEntry, kindInfo } from '../../model/kind.ts';
import { seriesKey } from '../../model/reading.ts';
import type { Cluster, Condition } from '../belief/condition.ts';
import { expandKinds } from '../graph/kind-words.ts';
import { isInfrastructure } from '../topology/place.ts';
import type { TopologyIndex } from '../topology/topology-index.ts';
import { isNew, newCount } from '../window/place-marks.ts';
import { doubtedCauses } from './doubted.ts';
import { outlastedBy } from './outlasted.ts';
import { nameOf, numberText } from './plain-names.ts';

export interface RuledOutContext {
  readonly topology: TopologyIndex;
  readonly reading: (seriesKey: string) => number | null;
  readonly ofKind: (kind: Kind) => readonly Condition[];
  /** There is none of the kind with this index: nearly all that is looked for. */
  readonly isEmpty: (index: number) => boolean;
  /** Whether a source has shown in any way that it works; without that its silence says nothing. */
  readonly heard: (source: string) => boolean;
}

/** How far around the beginning of the root other conditions are listed, ms. */
export const AROUND_MS = 600_000;
const POWER = KINDS.filter(
  (kind) => kind.startsWith('power.') && kind !== 'power.feed_unreachable' && kind !== 'power.load_step',
).map(kindInfo);
const THERMAL = expandKinds(['cooling.*', 'gpu.thermal_throttle', 'host.overtemp', 'host.fan_failure']).map(kindInfo);
/** All that an XID can be, besides what the driver reports without one. */
const GPU_FAULT = [
  ...new Set([
    ...expandKinds(['group:gpu_hardware', 'group:gpu_app', 'nvlink.fatal']),
    ...Object.values(catalog.xids)
      .map(({ kind }) => kind)
      .filter(isKind),
  ]),
].map(kindInfo);
/** By index of the kind: this is asked of every member at every revision. */
const gpuFaults = new Uint8Array(KINDS.length);
for (const { index } of GPU_FAULT) gpuFaults[index] = 1;
/** A checkpoint that failed or was slow was under way all the same. */
const CHANGE = expandKinds([
  'job.checkpoint_saved',
  'job.checkpoint_slow',
  'job.checkpoint_failed',
  'job.started',
  'job.preempted',
  'job.requeued',
]).map(kindInfo);
/** What an incident says did not happen, by what it is called there; each is of anywhere within `AROUND_MS`. */
const NONE_OF: ReadonlyMap<Kind, string> = new Map([
  ...GPU_FAULT.map(({ kind }) => [kind, 'GPU fault'] as const),
  ...POWER.map(({ kind }) => [kind, 'power'] as const),
  ...CHANGE.map(({ kind }) => [kind, 'saved checkpoint or job change'] as const),
]);
const SAID_NONE: ReadonlySet<string> = new Set(NONE_OF.values());
const MAX_PDUS = 4;
const MAX_DECLARED = 4;
/** Of more GPUs than a host holds, which only a flood invents, so many are looked at. */
const MAX_READ = 32;
const NONE: Condition[] = [];

export function ruledOutOf(cluster: Cluster, context: RuledOutContext): RuledOut[] {
  const { root } = cluster;
  const isMember = (condition: Condition): boolean => condition.belief.cluster === cluster;
  const around = (kinds: readonly KindInfo[]): readonly Condition[] => conditionsAround(root.onsetMs, kinds, context);
  const none = (kinds: readonly KindInfo[]): boolean => !isAnyAround(root.onsetMs, kinds, context);
  const out: RuledOut[] = [];
  const add = (what: string, why: string | null): void => void (why !== null && out.push({ what, why }));
  // Slowdown that follows from the root is not a thermal cause.
  if (around(THERMAL).every((c) => isMember(c) && c !== root)) add('thermal', thermal(cluster, context));
  const faulted = cluster.members.some(({ condition }) => gpuFaults[condition.kindIndex] === 1);
  if (!faulted && context.heard('kernel-log') && none(GPU_FAULT)) add('GPU fault', 'no XID within 10 min');
  const power = around(POWER);
  for (const pdu of power.filter((c) => !isMember(c)).slice(0, MAX_PDUS)) add('power', rejected(pdu, context.topology));
  if (power.length === 0 && context.heard('pdu')) add('power', quiet(context.topology));
  if (context.heard('job-log') && none(CHANGE) && !saves(cluster))
    add('saved checkpoint or job change', 'none within 10 min');
  const declared = context.ofKind('host.maintenance').filter((c) => overlaps(c, root.onsetMs));
  if (declared.length === 0) add('maintenance', 'none declared');
  for (const one of declared.filter((c) => !isMember(c)).slice(0, MAX_DECLARED)) {
    const over = root.causes.get(one)?.outlasted === true;
    add('maintenance', over ? 'is over, and this is still there' : elsewhere(one, root.onsetMs, context.topology.host));
  }
  out.push(...doubtedCauses(cluster, context.topology.host));
  const plan = outlastedBy(root);
  const usual = plan === null ? undefined : kindEntry(plan.kind).explains_for;
  if (usual !== undefined && usual.ms > 0)
    add(usual.as, `explains what passes within ${numberText(usual.ms / 60_000)} min; this is still there`);
  return out;
}

/** A log that had begun to save one when it reported what is part of this: no line says that it was saved. */
function saves({ members }: Cluster): boolean {
  return members.some(({ condition: { events } }) => events.some(({ attributes }) => 'saving_since_ms' in attributes));
}

/** Whether any incident says that nothing of this kind happened. */
export function mayDisprove(kind: Kind): boolean {
  return NONE_OF.has(kind);
}

/** Whether this is what the incident of such a root said did not happen. */
export function disproves({ kind, onsetMs }: Condition, said: readonly RuledOut[], rootMs: number): boolean {
  if (Math.abs(onsetMs - rootMs) > AROUND_MS) return false;
  const what = NONE_OF.get(kind);
  return what !== undefined && said.some((one) => one.what === what);
}

/** Whether the incident says of anything that it did not happen, which something that comes later can disprove. */
export function saysNone(said: readonly RuledOut[]): boolean {
  return said.some(({ what }) => SAID_NONE.has(what));
}

function conditionsAround(
  atMs: number,
  kinds: readonly KindInfo[],
  { ofKind, isEmpty }: RuledOutContext,
): readonly Condition[] {
  let found = NONE;
  for (const { kind, index } of kinds) {
    if (isEmpty(index)) continue;
    for (const condition of ofKind(kind)) {
      if (Math.abs(condition.onsetMs - atMs) > AROUND_MS) continue;
      if (found === NONE) found = [];
      found.push(condition);
    }
  }
  return found;
}

function isAnyAround(atMs: number, kinds: readonly KindInfo[], { ofKind, isEmpty }: RuledOutContext): boolean {
  for (const { kind, index } of kinds) {
    if (isEmpty(index)) continue;
    for (const { onsetMs } of ofKind(kind)) if (Math.abs(onsetMs - atMs) <= AROUND_MS) return true;
  }
  return false;
}

function overlaps({ onsetMs, endMs }: Condition, atMs: number): boolean {
  return onsetMs <= atMs + AROUND_MS && (endMs === null || endMs >= atMs - AROUND_MS);
}

/** Why a declared maintenance does not explain it. */
function elsewhere(declared: Condition, atMs: number, host: string): string {
  const { by, until } = (declared.latestOnset ?? declared.first).attributes;
  const where = `declared by ${String(by ?? 'an operator')} for ${nameOf(declared.component, host)}`;
  if (declared.endMs !== null && declared.endMs <= atMs) return `${where}, over before it began`;
  const lasts = typeof until === 'string' ? ` until ${until}` : '';
  return declared.onsetMs > atMs ? `${where}${lasts}, after it began` : `${where}${lasts}, which does not reach here`;
}

/** The warmest GPU that the cluster touches, against its limit. */
function thermal(cluster: Cluster, { topology, reading }: RuledOutContext): string | null {
  const touched: string[] = [];
  const count = newCount();
  for (const { condition } of cluster.members) {
    if (condition.component?.type === 'gpu' && isNew(condition.placeMark, count)) touched.push(condition.text);
    if (touched.length >= MAX_READ) break;
  }
  const gpus = touched.length > 0 ? touched : topology.gpusOf(topology.host).map(componentText);
  let warmest: { temperature: number; margin: number } | null = null;
  for (const gpu of gpus) {
    const temperature = reading(seriesKey(gpu, 'temperature'));
    const limit = temperature === null ? null : reading(seriesKey(gpu, 'temperature_limit'));
    if (temperature === null || limit === null) continue;
    const margin = limit - temperature;
    if (warmest === null || margin < warmest.margin) warmest = { temperature, margin };
  }
  if (warmest === null || warmest.margin <= 0) return null;
  return `${numberText(warmest.temperature)} °C, ${numberText(warmest.margin)} °C of margin`;
}

/** Why a power event at the same time is not the cause. */
function rejected(condition: Condition, topology: TopologyIndex): string | null {
  const { component } = condition;
  if (component === null || !isInfrastructure(component)) return null;
  const name = nameOf(component, topology.host);
  const hosts = topology.hostsFedBy(component);
  if (hosts.length === 0)
    return `${name}: ${kindInfo(condition.kind).title}, but which hosts it feeds is not configured`;
  if (!hosts.includes(topology.host))
    return `${name}: ${kindInfo(condition.kind).title}, but it feeds ${hosts.slice(0, 3).join(', ')} only`;
  return `${name}: ${kindInfo(condition.kind).title}, but no reaction of a supply or of this host leads from it`;
}

function quiet(topology: TopologyIndex): string | null {
  const feeds = topology.feedsOf(topology.host).filter((text) => text.startsWith('pdu/') || text.startsWith('ups/'));
  if (feeds.length === 0) return null;
  return `nothing on ${feeds.map((text) => text.slice(4)).join(', ')}, which feeds ${topology.host}`;
}
