// Confidence: how sure the root is, as parts that add up to the number.

import { parseComponent } from '../../model/component.ts';
import type { ConfidenceCode, ConfidencePart } from '../../model/confidence.ts';
import { couldHaveWritten } from '../../model/could-have-written.ts';
import { testText } from '../../model/detail-text.ts';
import { eventTitle } from '../../model/event-title.ts';
import { kindInfo } from '../../model/kind.ts';
import { saidDevice } from '../../model/said-device.ts';
import type { Assigned, Believed, Condition, Edge } from '../belief/condition.ts';
import { placeOf } from '../belief/weighing.ts';
import { baseRate, shareText } from '../graph/base-rates.ts';
import { isOwnError } from '../graph/doubts/own-error.ts';
import { isExplaining, isSymptom, likelyRoots, prior } from '../graph/kind-roles.ts';
import type { TopologyIndex } from '../topology/topology-index.ts';
import { onlyTenant } from '../window/facts.ts';
import { isNew, newCount } from '../window/place-marks.ts';
import { isAsLogged } from './as-logged.ts';
import { calibrate, type Followed, followed } from './calibration.ts';
import { claimParts, type Part } from './claim-parts.ts';
import { isConfirmed } from './incident-verdict.ts';
import { nameOf } from './plain-names.ts';
import type { Rival } from './rivals.ts';
import { isSeenFirst } from './seen-first.ts';

/** Evidence that a job's user could have written never carries further (the house's first rule). */
const TENANT_CAP = 60;
/** Nor does what only the form of a saved log ascribes to a daemon go further than this. */
const LOGGED_CAP = 70;
/** Nor what the words of a line are about that no rule knows: of the guesses by which the words were chosen two of three named the kind. */
const WORDS_CAP = 50;
const LEAST = 1;
const MOST = 99;
/** Share of cases in which an exception of the program's own is the fault itself. */
const OWN_ERROR = 0.91;
/** Share of effects that surely began after their cause, from which the order counts as seen. */
const IN_ORDER = 0.9;
/** A consequence whose cause began first with less than this was seen before it. */
const SEEN_BEFORE = 0.1;
/** Most that base rates add or take, hundredths: each factor of ten between two causes counts for two. */
const MOST_BY_RATE = 4;
const PER_DECADE = 2;
/** Two ends of one link that report it within this time report one fault, ms. */
const BOTH_ENDS_MS = 1000;
/** Parts that change what the evidence came to, and are not evidence themselves. */
const NO_EVIDENCE: ReadonlySet<ConfidenceCode | null> = new Set([
  'calibration',
  'tenant_only',
  'as_logged',
  'by_words',
  'sources_failed',
] as const);

export interface ConfidenceContext {
  readonly topology: TopologyIndex;
  /** Conditions of our own sources that failed on this host. */
  readonly failedSources: readonly Condition[];
}

export function confidenceOf(
  cluster: Believed,
  rivals: readonly Rival[],
  context: ConfidenceContext,
): { confidence: number; parts: ConfidencePart[] } {
  const named = !isSymptom(cluster.root.kind);
  const parts = named ? rootParts(cluster, rivals, context) : symptomParts(cluster);
  if (named) parts.push(...claimParts(cluster, sum(parts), context.topology.host));
  // No scenarios were counted for planned or declared causes.
  if (named && !isExplaining(cluster.root.kind)) parts.push(calibrationPart(cluster, sum(parts)));
  // One after the other: each holds what those before it left.
  for (const cap of [tenantPart, loggedPart, wordsPart]) {
    const part = cap(cluster, sum(parts));
    if (part !== null) parts.push(part);
  }
  const failed = failedPart(context.failedSources);
  if (failed !== null) parts.push(failed);
  const total = sum(parts);
  if (total > MOST) parts.push([MOST - total, 'never_certain', 'no explanation is certain']);
  if (total < LEAST) parts.push([LEAST - total, 'never_impossible', 'no explanation is impossible']);
  const shown: ConfidencePart[] = [];
  for (const part of parts) if (part[0] !== 0) shown.push({ code: part[1], why: part[2], delta: part[0] / 100 });
  return { confidence: sum(parts) / 100, parts: shown };
}

/** What the evidence alone came to, before the map, the cap and blind sources: 0 to 1. */
export function evidenceOnly(parts: readonly ConfidencePart[]): number {
  const own = parts.filter(({ code }) => !NO_EVIDENCE.has(code));
  return Math.round(100 * own.reduce((total, { delta }) => total + delta, 0)) / 100;
}

/** Held at what a user's word is worth, whatever the evidence came to. */
export function isCapped(parts: readonly ConfidencePart[]): boolean {
  return parts.some(({ code }) => code === 'tenant_only');
}

function sum(parts: readonly Part[]): number {
  let total = 0;
  for (const part of parts) total += part[0];
  return total;
}

function symptomParts({ root }: Believed): Part[] {
  const likely = likelyRoots(root.kind)[0];
  const share = Math.round((likely?.share ?? 0.2) * 100);
  const rate = likely === undefined ? null : baseRate(likely.kind);
  const counted = rate === null ? '' : ` (${rate.what}: ${shareText(rate)} of ${rate.of})`;
  const most = `${likely?.why ?? 'something outside this host'}${counted}`;
  return [[share, 'no_cause_seen', `no cause was seen; by base rates most likely ${most}`]];
}

function rootParts(cluster: Believed, rivals: readonly Rival[], { topology }: ConfidenceContext): Part[] {
  const { root, members } = cluster;
  const name = nameOf(root.component, topology.host, root);
  const test = root.component === null ? testText(root.first.attributes) : null;
  const parts: Part[] = [
    [
      Math.round(prior(root.kind) * 100),
      'root_seen',
      `${test ?? `${eventTitle(root.kind, root.first.attributes)} on ${name}`} was seen itself`,
    ],
  ];
  const own = isOwnError(root) ? Math.round(100 * (OWN_ERROR - prior(root.kind))) : 0;
  if (own > 0) parts.push([own, 'own_error', `${root.first.attributes.exception} is an error of the program itself`]);
  const edges: Edge[] = [];
  for (const { causedBy } of members) for (const { edge } of causedBy) edges.push(edge);
  const add = (part: Part | null): void => void (part !== null && parts.push(part));
  if (edges.length > 0) {
    add(pathPart(root, edges, topology));
    add(orderPart(root, edges, topology.host));
    add(commonPart(root, members, edges));
  }
  add(sourcesPart(root, members));
  if (root.component === null) add([-6, 'device_unknown', namelessText(root)]);
  add(otherEndPart(root, members, topology.host));
  const rival = strongestOf(rivals);
  parts.push(rivalPart(rival, topology.host));
  add(ratePart(root, rival));
  return parts;
}

function namelessText({ kind, first }: Condition): string {
  const said = saidDevice(kind, first.attributes);
  return said === null ? 'the source does not name the device' : `the source gives no address of ${said}`;
}

function pathPart(root: Condition, edges: readonly Edge[], topology: TopologyIndex): Part | null {
  let first: Edge | null = null;
  let unmapped = false;
  let configured = true;
  for (const edge of edges) {
    const { path, cause } = edge;
    if (path === 'local') continue;
    if (path === 'unmapped') unmapped = true;
    if (path !== 'configured') configured = false;
    if (first === null || (first.cause !== root && cause === root)) first = edge;
  }
  if (first === null) return null;
  const name = nameOf(root.component, topology.host);
  if (unmapped) return [-28, 'path_unmapped', `which hosts ${name} feeds is not configured`];
  const [from, to] = [first.cause.component, first.effect.component];
  const way = from === null || to === null ? '' : topology.wayText(from, to, (path) => wayOf(path, topology.host));
  const shown = way === '' ? name : way;
  if (configured) return [8, 'path_configured', `the feed path ${shown} is configured`];
  return [3, 'path_assumed', `the feed path ${shown} is configured in part, the rest assumed`];
}

/** Each step without what the one before it already named: "pdu-b phase 1 → outlet 7 → node-3 psu 1 → cpu 0". */
function wayOf(path: readonly string[], host: string): string {
  const steps = path.map((text) => nameOf(parseComponent(text), host));
  return steps.map((step, i) => withoutPrefix(step, steps.slice(0, i))).join(' → ');
}

function orderPart(root: Condition, edges: readonly Edge[], host: string): Part | null {
  let inOrder = 0;
  let late = 0;
  let unsure: Edge | null = null;
  for (const edge of edges) {
    const { causeFirst, orderUnknown } = edge.timing;
    if (causeFirst >= IN_ORDER) inOrder += 1;
    if (causeFirst < SEEN_BEFORE) late += 1;
    // One that comes from the root itself counts first.
    if (orderUnknown && !isSeenFirst(edge) && (unsure === null || (unsure.cause !== root && edge.cause === root)))
      unsure = edge;
  }
  if (inOrder / edges.length >= IN_ORDER && unsure?.cause !== root)
    return [4, 'order_seen', 'everything that follows began after its cause'];
  if (late / edges.length > 0.5)
    return [
      -6,
      'order_reversed',
      'most consequences were seen before their cause; only the known delays of the sources allow the order',
    ];
  if (unsure === null) return [3, 'order_mostly_seen', 'most of what follows began after its cause'];
  const { effect } = unsure;
  const other = `${nameOf(effect.component, host)}: ${kindInfo(effect.kind).title}`;
  return [-1, 'order_unknown', `the clocks leave open its order with ${other}`];
}

function withoutPrefix(step: string, before: readonly string[]): string {
  const owner = step.slice(0, step.indexOf(' ') + 1);
  return owner !== '' && before.some((other) => other.startsWith(owner)) ? step.slice(owner.length) : step;
}

function commonPart(root: Condition, members: readonly Assigned[], edges: readonly Edge[]): Part | null {
  let places = 0;
  const count = newCount();
  for (const { condition } of members) if (condition !== root && isNew(placeOf(condition), count)) places += 1;
  const together = siblingPlaces(edges);
  if (together > 1)
    return [-4, 'hidden_cause', `${together} places reacted together: one cause behind them that no reading shows`];
  return places >= 3 ? [4, 'common_cause', `one cause explains what began at ${places} places`] : null;
}

/** How many places reacted in one way at one time, not one after the other. */
function siblingPlaces(edges: readonly Edge[]): number {
  const places = new Set<Condition['placeMark']>();
  for (const { row, cause, effect } of edges) {
    if (!row.sibling) continue;
    places.add(cause.placeMark).add(effect.placeMark);
  }
  return places.size;
}

function sourcesPart(root: Condition, members: readonly Assigned[]): Part | null {
  const sources: string[] = [];
  for (const { condition } of members)
    for (const source of condition.trusted) if (!sources.includes(source)) sources.push(source);
  // What a tenant's word is worth the rule at the end says; to count the doubt here as well would be twice.
  if (onlyTenant(root)) return null;
  if (root.trusted.length >= 2)
    return [5, 'sources_agree', `${[...root.trusted].sort().join(' and ')} report the same, independently`];
  if (sources.length >= 3) return [6, 'sources_agree', `${sources.length} independent sources fit together`];
  return sources.length === 2 ? [4, 'sources_agree', `${sources.sort().join(' and ')} fit together`] : null;
}

/** Both ends of a link report one fault, and nothing shows which of them is broken. */
function otherEndPart(root: Condition, members: readonly Assigned[], host: string): Part | null {
  if (root.component?.type !== 'nvlink') return null;
  const other = members.find(({ condition }) => {
    if (condition === root || condition.kind !== root.kind) return false;
    return Math.abs(condition.onsetMs - root.onsetMs) <= BOTH_ENDS_MS;
  });
  if (other === undefined) return null;
  return [
    -18,
    'other_end',
    `${nameOf(other.condition.component, host)} reports the same at once; which end is broken cannot be seen`,
  ];
}

function strongestOf(rivals: readonly Rival[]): Rival | null {
  const strongest = rivals.find((rival) => rival.ofRoot) ?? rivals[0];
  return strongest === undefined || strongest.ratio < 0.2 ? null : strongest;
}

/** Of two causes that compete, the one that is more frequent elsewhere; nothing where either was not counted. */
function ratePart(root: Condition, rival: Rival | null): Part | null {
  const [own, other] = [baseRate(root.kind), rival === null ? null : baseRate(rival.root.kind)];
  if (own === null || other === null || own === other) return null;
  const decades = Math.log10(own.share / other.share);
  const delta = Math.round(Math.min(MOST_BY_RATE, Math.max(-MOST_BY_RATE, PER_DECADE * decades)));
  const [first, second] = [own, other].map((rate) => `${rate.what} ${shareText(rate)}`);
  return [delta, 'base_rate', `base rates: ${first} against ${second} of ${own.of}`];
}

function rivalPart(strongest: Rival | null, host: string): Part {
  if (strongest === null) return [4, 'no_rival', 'nothing else was seen that could explain it'];
  const { root, ofRoot, ratio } = strongest;
  const what = ofRoot ? 'could be the cause behind it' : 'could explain a part of it';
  return [
    -Math.round((ofRoot ? 20 : 6) * ratio),
    ofRoot ? 'rival_cause' : 'rival_in_part',
    `${eventTitle(root.kind, root.first.attributes)} on ${nameOf(root.component, host, root)} ${what}`,
  ];
}

/** How often claims of this kind were right in scenarios that were written by others and played once, before anything was fixed. */
const RIGHT: Readonly<Record<Followed, string>> = {
  work: 'held to how often such claims were right when they were tested',
  hardware: 'no job was seen to suffer: held to how often such claims were right when they were tested',
  nothing: 'nothing else was seen with it: held to how often such claims were right when they were tested',
  harmless:
    'nothing followed, and such an event alone is often no fault: held to how often such claims were right when they were tested',
};

function calibrationPart({ root, members }: Believed, total: number): Part {
  const what = followed(root.kind, members.map(({ condition }) => condition.kind)); // biome-ignore format: one line
  return [calibrate(total, what) - total, 'calibration', RIGHT[what]];
}

function tenantPart(cluster: Believed, total: number): Part | null {
  if (total <= TENANT_CAP || isConfirmed(cluster)) return null;
  const { kind, first } = cluster.root;
  return [TENANT_CAP - total, 'tenant_only', couldHaveWritten(kind, first.attributes)];
}

function loggedPart(cluster: Believed, total: number): Part | null {
  if (total <= LOGGED_CAP || !isAsLogged(cluster)) return null;
  return [
    LOGGED_CAP - total,
    'as_logged',
    new Set(cluster.root.events.map(({ source }) => source)).size > 1
      ? 'as the logs say: any program could have printed them'
      : 'as the log says: any program could have printed it, and no other log says so',
  ];
}

function wordsPart({ root }: Believed, total: number): Part | null {
  if (root.first.attributes.by_words !== true) return null;
  // Said, though other doubts took more.
  return [Math.min(-1, WORDS_CAP - total), 'by_words', 'no rule knows this line: its words alone say what it is about'];
}

function failedPart(failed: readonly Condition[]): Part | null {
  if (failed.length === 0) return null;
  const names = [...new Set(failed.map((c) => String(c.first.attributes.source ?? c.first.source)))].sort();
  return [-4, 'sources_failed', `blind in part: ${names.slice(0, 3).join(', ')} did not answer`];
}
