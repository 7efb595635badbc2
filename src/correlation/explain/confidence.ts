// Confidence: how sure the root is, as parts that add up to the number.

import { parseComponent } from '../../model/component.ts';
import type { ConfidencePart } from '../../model/incident.ts';
import { kindInfo } from '../../model/kind.ts';
import type { Assigned, Cluster } from '../belief/cluster.ts';
import { type Edge, onlyTenant } from '../graph/edge.ts';
import { isSymptom, likelyRoots, prior } from '../graph/kind-roles.ts';
import type { TopologyIndex } from '../topology/topology-index.ts';
import type { Condition } from '../window/condition.ts';
import { nameOf } from './names.ts';
import type { Rival } from './rivals.ts';

/** Evidence that a job's user could have written never carries further (the house's first rule). */
const TENANT_CAP = 60;
const LEAST = 1;
const MOST = 99;
/** Share of effects that surely began after their cause, from which the order counts as seen. */
const IN_ORDER = 0.9;

export interface ConfidenceContext {
  readonly topology: TopologyIndex;
  readonly rivals: readonly Rival[];
  /** Conditions of our own sources that failed on this host. */
  readonly failedSources: readonly Condition[];
}

/** Whole hundredths, so that the parts add up without rounding. */
type Part = readonly [hundredths: number, why: string];

export function confidenceOf(
  cluster: Cluster,
  context: ConfidenceContext,
): { confidence: number; parts: ConfidencePart[] } {
  const parts = isSymptom(cluster.root.kind) ? symptomParts(cluster) : rootParts(cluster, context);
  for (const part of [tenantPart(cluster, sum(parts)), failedPart(context.failedSources)])
    if (part !== null) parts.push(part);
  const total = sum(parts);
  if (total > MOST) parts.push([MOST - total, 'no explanation is certain']);
  if (total < LEAST) parts.push([LEAST - total, 'no explanation is impossible']);
  return {
    confidence: sum(parts) / 100,
    parts: parts.filter(([delta]) => delta !== 0).map(([delta, why]) => ({ why, delta: delta / 100 })),
  };
}

function sum(parts: readonly Part[]): number {
  return parts.reduce((total, [delta]) => total + delta, 0);
}

function symptomParts({ root }: Cluster): Part[] {
  const likely = likelyRoots(root.kind)[0];
  const share = Math.round((likely?.share ?? 0.2) * 100);
  return [[share, `no cause was seen; by base rates most likely ${likely?.why ?? 'something outside this host'}`]];
}

function rootParts(cluster: Cluster, { topology, rivals }: ConfidenceContext): Part[] {
  const { root, members } = cluster;
  const name = nameOf(root.component, topology.host);
  const parts: Part[] = [
    [Math.round(prior(root.kind) * 100), `${kindInfo(root.kind).title} on ${name} was seen itself`],
  ];
  const edges = members.flatMap((member) => member.causedBy.map(({ edge }) => edge));
  const add = (part: Part | null): void => void (part !== null && parts.push(part));
  if (edges.length > 0) {
    add(pathPart(root, edges, topology));
    add(orderPart(root, members, edges, topology.host));
    add(commonPart(root, members));
  }
  add(sourcesPart(root, members));
  if (root.component === null) add([-6, 'the source does not say which device']);
  add(rivalPart(rivals, topology.host));
  return parts;
}

function pathPart(root: Condition, edges: readonly Edge[], topology: TopologyIndex): Part | null {
  const outside = edges.filter((edge) => edge.path !== 'local');
  if (outside.length === 0) return null;
  const name = nameOf(root.component, topology.host);
  if (outside.some((edge) => edge.path === 'unmapped')) return [-28, `which hosts ${name} feeds is not configured`];
  const first = outside.find((edge) => edge.cause === root) ?? outside[0];
  const { cause, effect } = first ?? {};
  const reach = cause?.component && effect?.component ? topology.reach(cause.component, effect.component) : null;
  const steps = reach?.path.map((text) => nameOf(parseComponent(text), topology.host)) ?? [];
  // Each step without what the one before it already said: "pdu-b phase 1 → outlet 7 → node-3 psu 1 → cpu 0".
  const path = steps.length === 0 ? name : steps.map((step, i) => withoutPrefix(step, steps.slice(0, i))).join(' → ');
  if (outside.every((edge) => edge.path === 'configured')) return [8, `the feed path ${path} is configured`];
  return [3, `the feed path ${path} is configured in part, the rest assumed`];
}

function orderPart(root: Condition, members: readonly Assigned[], edges: readonly Edge[], host: string): Part | null {
  const inOrder = edges.filter((edge) => edge.timing.causeFirst >= IN_ORDER).length / edges.length;
  const unsure = members.find((m) => m.causedBy.some(({ edge }) => edge.cause === root && edge.timing.orderUnknown));
  if (inOrder >= IN_ORDER && unsure === undefined) return [4, 'everything that follows began after its cause'];
  const late = edges.filter((edge) => edge.timing.causeFirst < 0.1).length / edges.length;
  if (late > 0.5)
    return [-6, 'most consequences were seen before their cause; only the known delays of the sources allow the order'];
  const effect = unsure?.condition ?? edges.find((edge) => edge.timing.orderUnknown)?.effect;
  if (effect === undefined) return [3, 'most of what follows began after its cause'];
  const other = `${nameOf(effect.component, host)}: ${kindInfo(effect.kind).title}`;
  return [-1, `the clocks leave open its order with ${other}`];
}

function withoutPrefix(step: string, before: readonly string[]): string {
  const owner = step.slice(0, step.indexOf(' ') + 1);
  return owner !== '' && before.some((other) => other.startsWith(owner)) ? step.slice(owner.length) : step;
}

function commonPart(root: Condition, members: readonly Assigned[]): Part | null {
  const places = new Set(members.filter(({ condition }) => condition !== root).map(({ condition }) => condition.text));
  const sibling = members.some(({ causedBy }) => causedBy.some(({ edge }) => edge.row.sibling));
  if (sibling) return [-4, `${places.size + 1} places reacted together: one cause behind them that no reading shows`];
  return places.size >= 3 ? [4, `one cause explains what began at ${places.size} places`] : null;
}

function sourcesPart(root: Condition, members: readonly Assigned[]): Part | null {
  const sources = new Set<string>();
  for (const { condition } of members) {
    for (const [source, trust] of condition.sources) if (trust !== 'tenant') sources.add(source);
  }
  if (onlyTenant(root)) return [-8, 'the root is known only from what a user of the host could have written'];
  const own = [...root.sources].filter(([, trust]) => trust !== 'tenant').length;
  if (own >= 2) return [5, `${[...root.sources.keys()].sort().join(' and ')} tell the same, independently`];
  if (sources.size >= 3) return [6, `${sources.size} independent sources fit together`];
  return sources.size === 2 ? [4, `${[...sources].sort().join(' and ')} fit together`] : null;
}

function rivalPart(rivals: readonly Rival[], host: string): Part {
  const strongest = rivals.find((rival) => rival.ofRoot) ?? rivals[0];
  if (strongest === undefined || strongest.ratio < 0.2) return [4, 'nothing else was seen that could explain it'];
  const { root, ofRoot, ratio } = strongest;
  const what = ofRoot ? 'could be the cause behind it' : 'could explain a part of it';
  return [-Math.round((ofRoot ? 20 : 6) * ratio), `${root.kind} on ${nameOf(root.component, host)} ${what}`];
}

function tenantPart({ members }: Cluster, total: number): Part | null {
  if (total <= TENANT_CAP || !members.every(({ condition }) => onlyTenant(condition))) return null;
  return [TENANT_CAP - total, 'a user of the host could have written all of it'];
}

function failedPart(failed: readonly Condition[]): Part | null {
  if (failed.length === 0) return null;
  const names = [...new Set(failed.map((c) => String(c.first.attributes.source ?? c.first.source)))].sort();
  return [-4, `blind in part: ${names.slice(0, 3).join(', ')} did not answer`];
}
