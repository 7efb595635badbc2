// Ruled out: what was looked for and not found, or found and rejected; only what could be looked at is told.

import { componentText } from '../../model/component.ts';
import type { RuledOut } from '../../model/incident.ts';
import { KINDS, type Kind } from '../../model/kind.ts';
import { seriesKey } from '../../model/reading.ts';
import type { Cluster } from '../belief/cluster.ts';
import { expandKinds } from '../graph/cause-graph.ts';
import { isInfrastructure } from '../topology/place.ts';
import type { TopologyIndex } from '../topology/topology-index.ts';
import type { Condition } from '../window/condition.ts';
import { nameOf, numberText } from './names.ts';

export interface RuledOutContext {
  readonly topology: TopologyIndex;
  readonly reading: (seriesKey: string) => number | null;
  readonly ofKind: (kind: Kind) => readonly Condition[];
  /** Whether a source has shown in any way that it works; without that its silence says nothing. */
  readonly heard: (source: string) => boolean;
}

/** How far around the beginning of the root other conditions are told, ms. */
export const AROUND_MS = 600_000;
const POWER = KINDS.filter(
  (kind) => kind.startsWith('power.') && kind !== 'power.feed_unreachable' && kind !== 'power.load_step',
);
const THERMAL: readonly Kind[] = expandKinds([
  'cooling.*',
  'gpu.thermal_throttle',
  'host.overtemp',
  'host.fan_failure',
]);
const GPU_FAULT: readonly Kind[] = expandKinds(['group:gpu_hardware', 'group:gpu_app', 'nvlink.fatal']);
const CHANGE: readonly Kind[] = expandKinds(['job.checkpoint_saved', 'job.started', 'job.preempted', 'job.requeued']);
const MAX_PDUS = 4;
const MAX_DECLARED = 4;

export function ruledOutOf(cluster: Cluster, context: RuledOutContext): RuledOut[] {
  const members = new Set(cluster.members.map(({ condition }) => condition));
  const around = (kinds: readonly Kind[]): Condition[] => {
    const { onsetMs } = cluster.root;
    return kinds.flatMap((kind) => [...context.ofKind(kind)]).filter((c) => Math.abs(c.onsetMs - onsetMs) <= AROUND_MS);
  };
  const none = (kinds: readonly Kind[]): boolean => around(kinds).length === 0;
  const out: RuledOut[] = [];
  const add = (what: string, why: string | null): void => void (why !== null && out.push({ what, why }));
  // Slowdown that follows from the root is no thermal cause.
  if (around(THERMAL).every((c) => members.has(c) && c !== cluster.root)) add('thermal', thermal(cluster, context));
  if (none(GPU_FAULT) && context.heard('kernel-log')) add('GPU fault', 'no XID within 10 min');
  for (const pdu of around(POWER)
    .filter((c) => !members.has(c))
    .slice(0, MAX_PDUS))
    add('power', rejected(pdu, context.topology));
  if (none(POWER) && context.heard('pdu')) add('power', quiet(context.topology));
  if (none(CHANGE) && context.heard('job-log')) add('checkpoint or job change', 'none within 10 min');
  const declared = [...context.ofKind('host.maintenance')].filter((c) => overlaps(c, cluster.root.onsetMs));
  if (declared.length === 0) add('maintenance', 'none declared');
  for (const one of declared.filter((c) => !members.has(c)).slice(0, MAX_DECLARED))
    add('maintenance', elsewhere(one, cluster.root.onsetMs, context.topology.host));
  return out;
}

function overlaps({ onsetMs, endMs }: Condition, atMs: number): boolean {
  return onsetMs <= atMs + AROUND_MS && (endMs === null || endMs >= atMs - AROUND_MS);
}

/** Why a declared maintenance does not explain it. */
function elsewhere(declared: Condition, atMs: number, host: string): string {
  const { by, until } = (declared.latestOnset ?? declared.first).attributes;
  const where = `declared by ${String(by ?? 'somebody')} for ${nameOf(declared.component, host)}`;
  if (declared.endMs !== null && declared.endMs <= atMs) return `${where}, over before it began`;
  const lasts = typeof until === 'string' ? ` until ${until}` : '';
  return declared.onsetMs > atMs ? `${where}${lasts}, after it began` : `${where}${lasts}, which does not reach here`;
}

/** The warmest GPU that the cluster touches, against its limit. */
function thermal(cluster: Cluster, { topology, reading }: RuledOutContext): string | null {
  const touched = cluster.members.flatMap(({ condition: { component } }) =>
    component?.type === 'gpu' ? [component] : [],
  );
  const gpus = touched.length > 0 ? touched : topology.gpusOf(topology.host);
  let warmest: { temperature: number; margin: number } | null = null;
  for (const gpu of gpus) {
    const temperature = reading(seriesKey(componentText(gpu), 'temperature'));
    const limit = reading(seriesKey(componentText(gpu), 'temperature_limit'));
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
  if (hosts.length === 0) return `${name}: ${condition.kind}, but which hosts it feeds is not configured`;
  if (!hosts.includes(topology.host))
    return `${name}: ${condition.kind}, but it feeds ${hosts.slice(0, 3).join(', ')} only`;
  return `${name}: ${condition.kind}, but no reaction of a supply or of this host leads from it`;
}

function quiet(topology: TopologyIndex): string | null {
  const feeds = topology.feedsOf(topology.host).filter((text) => text.startsWith('pdu/') || text.startsWith('ups/'));
  if (feeds.length === 0) return null;
  return `nothing on ${feeds.map((text) => text.slice(4)).join(', ')}, which feeds ${topology.host}`;
}
