// Scores incidents against a scenario's truth: root, chain and its order, action, what was blamed wrongly, time to detection.

import { type Component, componentText } from '../model/component.ts';
import type { ChainLink, Impact, Incident } from '../model/incident.ts';
import type { Kind } from '../model/kind.ts';
import { compareSeverity, type Severity } from '../model/severity.ts';
import { precedes } from '../model/time.ts';
import type { Bounds, TrueIncident, Truth } from './scenario/truth.ts';

export interface IncidentScore {
  readonly expected: TrueIncident;
  /** The incident that answers for it: its root is right, or its chain holds that root or what follows. Null: none was found. */
  readonly incident: Incident | null;
  readonly rootRight: boolean;
  /** Chain entries that are not there, as "a | b". */
  readonly missing: readonly string[];
  /** Pairs that certainly stand the wrong way round, as "later before earlier". */
  readonly misordered: readonly string[];
  readonly impactRight: boolean;
  readonly actionRight: boolean;
  /** What it was claimed with that the truth does not allow. */
  readonly outOfBounds: readonly string[];
  /** From the cause to the opening of the incident; null where the start of the timeline is not known. */
  readonly detectionMs: number | null;
  readonly inTime: boolean;
  /** It was a warning before the truth allows it. */
  readonly tooSoon: boolean;
}

export interface Score {
  readonly right: boolean;
  readonly expected: readonly IncidentScore[];
  /** Of severity warning or above, asked for by nothing. */
  readonly falseIncidents: readonly Incident[];
  /** What was blamed though it must not be, each once. */
  readonly blamed: readonly string[];
  /** One line for each thing that is wrong; empty when right. */
  readonly problems: readonly string[];
}

/** What was seen of an incident besides its last revision. */
export interface Seen {
  /** Epoch ms at which the timeline began, for the time to detection; null: not known. */
  readonly startedMs: number | null;
  /** When it was there for a reader to see, ms. */
  readonly foundMs: (incident: Incident) => number;
  /** When it was a warning or worse for the first time, ms. */
  readonly warnedMs: (incident: Incident) => number;
  /** The gravest severity that it ever had. */
  readonly worst: (incident: Incident) => Severity;
}

const USUAL_SEEN: Seen = {
  startedMs: null,
  foundMs: (incident) => incident.openedMs,
  warnedMs: (incident) => incident.openedMs,
  worst: (incident) => incident.severity,
};

/** Merged incidents do not count. */
export function score(truth: Truth, incidents: readonly Incident[], given: Partial<Seen> = {}): Score {
  const seen = { ...USUAL_SEEN, ...given };
  const { startedMs, foundMs, worst } = seen;
  const left = new Set(incidents.filter((incident) => incident.mergedInto === null));
  const expected = truth.incidents.map((wanted) => {
    // What was there before the cause is the answer only where nothing else is.
    const causedMs = startedMs === null ? Number.NEGATIVE_INFINITY : startedMs + wanted.causeMs;
    const after = new Set([...left].filter((one) => foundMs(one) >= causedMs));
    const incident = answering(wanted, after) ?? answering(wanted, left);
    if (incident !== null) left.delete(incident);
    const detectionMs =
      incident === null || startedMs === null ? null : Math.max(0, foundMs(incident) - startedMs - wanted.causeMs);
    return scoreIncident(wanted, incident, detectionMs, isTooSoon(incident, wanted.notBeforeMs, seen));
  });
  const falseIncidents = [...left].filter(
    (incident) => compareSeverity(incident.severity, 'warning') >= 0 && !truth.may.includes(incident.root.kind),
  );
  const matched = expected.flatMap(({ incident }) => (incident === null ? [] : [incident]));
  const blamed = new Set([...matched, ...falseIncidents].flatMap((incident) => blame(truth.mustNot, incident)));
  for (const incident of matched) for (const what of blame(truth.apart ?? [], incident)) blamed.add(what);
  const alone = incidents.filter((incident) => incident.mergedInto === null);
  const early = alone.filter((incident) => isTooSoon(incident, truth.quietUntilMs, seen));
  const beyond = alone.flatMap((incident) => [
    ...outOfBounds(truth.bounds ?? {}, incident),
    ...(truth.noPage === true && worst(incident) === 'critical' ? ['critical, which would page'] : []),
  ].map((what) => `${rootText(incident)}: ${what}`)); // biome-ignore format: one list
  const problems = [
    ...expected.flatMap(problemsOf),
    ...beyond,
    ...falseIncidents.map((incident) => `not asked for: ${rootText(incident)}`),
    ...early.map((incident) => `reported too soon: ${rootText(incident)}`),
    ...[...blamed].map((what) => `must not be blamed: ${what}`),
  ];
  return { right: problems.length === 0, expected, falseIncidents, blamed: [...blamed], problems };
}

function isTooSoon(
  incident: Incident | null,
  fromMs: number | undefined,
  { startedMs, warnedMs, worst }: Seen,
): boolean {
  if (incident === null || fromMs === undefined || startedMs === null) return false;
  return compareSeverity(worst(incident), 'warning') >= 0 && warnedMs(incident) - startedMs < fromMs;
}

function answering(wanted: TrueIncident, among: ReadonlySet<Incident>): Incident | null {
  const all = [...among].filter(({ host }) => (wanted.host ?? host) === host).sort((a, b) => a.openedMs - b.openedMs);
  const follows = new Set(wanted.chain.flat(2));
  const isRoot = (kind: Kind, component: Component | null) =>
    wanted.root.kinds.includes(kind) && isPlace(wanted, component);
  return (
    all.find(({ root }) => isRoot(root.kind, root.component)) ??
    all.find(({ chain }) => chain.some((link) => isRoot(link.kind, link.component))) ??
    all.find(({ root }) => wanted.root.kinds.includes(root.kind)) ??
    // What follows was found, with another root: wrong about the cause, not about there being something.
    all.find(({ chain }) => chain.some(({ kind }) => follows.has(kind))) ??
    (wanted.undecided !== undefined && wanted.undecided !== false
      ? all.find(({ rootKnown }) => !rootKnown)
      : undefined) ??
    null
  );
}

function scoreIncident(
  wanted: TrueIncident,
  incident: Incident | null,
  detectionMs: number | null,
  tooSoon: boolean,
): IncidentScore {
  const root = incident?.root;
  const stages = wanted.chain.map((stage) =>
    stage.map((kinds) => ({ kinds, link: incident?.chain.find((link) => kinds.includes(link.kind)) })),
  );
  const misordered = stages.flatMap((stage, i) =>
    (stages[i + 1] ?? []).flatMap((later) =>
      stage.flatMap((earlier) =>
        swapped(earlier.link, later.link) ? [`${later.link?.kind} before ${earlier.link?.kind}`] : [],
      ),
    ),
  );
  return {
    expected: wanted,
    incident,
    rootRight: root !== undefined && incident !== null && isRootRight(wanted, incident),
    missing: stages.flat().flatMap(({ kinds, link }) => (link === undefined ? [kinds.join(' | ')] : [])),
    misordered,
    impactRight: wanted.impact.every((quantity) => incident?.impact.some((impact) => isReported(quantity, impact))),
    actionRight: wanted.actions.length === 0 || (incident !== null && wanted.actions.includes(incident.action.kind)),
    outOfBounds: incident === null ? [] : outOfBounds(wanted.bounds ?? {}, incident),
    detectionMs,
    inTime: detectionMs === null || detectionMs <= wanted.withinMs,
    tooSoon,
  };
}

/** Where saying that no cause is known is right as well, the event that opened the incident may be any. */
function isRootRight(wanted: TrueIncident, { root, rootKnown }: Incident): boolean {
  if (!rootKnown && (wanted.undecided === 'allowed' || (wanted.undecided === true && wanted.root.kinds.length === 0)))
    return true;
  return (
    rootKnown === (wanted.undecided !== true) &&
    wanted.root.kinds.includes(root.kind) &&
    isPlace(wanted, root.component)
  );
}

/** Confidence counts only where a root is named. */
function outOfBounds(bounds: Bounds, { action, severity, rootKnown, confidence }: Incident): string[] {
  const { wrongActions = [], highestConfidence, lowestConfidence, highestSeverity, lowestSeverity } = bounds;
  const found: string[] = [];
  const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
  if (wrongActions.includes(action.kind)) found.push(`asks for ${action.kind}, which is wrong here`);
  if (rootKnown && highestConfidence !== undefined && confidence > highestConfidence + 1e-9)
    found.push(`claimed with ${percent(confidence)}, should be at most ${percent(highestConfidence)}`);
  if (rootKnown && lowestConfidence !== undefined && confidence < lowestConfidence - 1e-9)
    found.push(`claimed with ${percent(confidence)}, should be at least ${percent(lowestConfidence)}`);
  if (highestSeverity !== undefined && compareSeverity(severity, highestSeverity) > 0)
    found.push(`severity ${severity}, should be at most ${highestSeverity}`);
  if (lowestSeverity !== undefined && compareSeverity(severity, lowestSeverity) < 0)
    found.push(`severity ${severity}, should be at least ${lowestSeverity}`);
  return found;
}

/** Whether the component is one of those that the truth names; one that no source names is `unknown`. */
function isPlace({ root }: TrueIncident, component: Component | null): boolean {
  const texts = component === null ? ['unknown'] : [componentText(component)];
  // A scenario has no disks of its own, so that its truth can only name the host that one is in.
  if (component?.type === 'disk' && component.host !== undefined) texts.push(`host/${component.host}`);
  // What the bus reports of an address is of the device there.
  if (component !== null && /^(?:gpu|nic|nvswitch)$/.test(component.type)) texts.push(`pcie/${component.id}`);
  const patterns = root.component.split('|').map((pattern) => glob(pattern.trim()));
  return patterns.some((pattern) => texts.some((text) => pattern.test(text)));
}

/** The clocks say for certain that the later one came first, or the later one is reported as the cause. */
function swapped(earlier: ChainLink | undefined, later: ChainLink | undefined): boolean {
  if (earlier === undefined || later === undefined) return false;
  return precedes(later.interval, earlier.interval) || earlier.causedBy.includes(later.eventId);
}

function problemsOf(score: IncidentScore): string[] {
  const { expected, incident } = score;
  const { kinds, component } = expected.root;
  const what = kinds.length === 0 ? 'of whatever' : `${kinds.join(' | ')} on ${component}`;
  const wanted =
    expected.undecided === true
      ? `no root cause yet (${what})`
      : expected.undecided === 'allowed'
        ? `${what}, or no root cause yet`
        : what;
  if (incident === null) return [`not found: ${wanted}`];
  const problems: string[] = [];
  if (!score.rootRight) problems.push(`root is ${rootText(incident)}, should be ${wanted}`);
  if (score.missing.length > 0) problems.push(`not in the chain: ${score.missing.join(', ')}`);
  if (score.misordered.length > 0) problems.push(`order: ${score.misordered.join(', ')}`);
  if (!score.impactRight) problems.push(`impact does not tell ${expected.impact.join(', ')}`);
  if (!score.actionRight)
    problems.push(`action is ${incident.action.kind}, should be ${expected.actions.join(' or ')}`);
  problems.push(...score.outOfBounds);
  if (score.tooSoon) problems.push(`reported before ${expected.notBeforeMs} ms of the timeline`);
  if (!score.inTime) problems.push(`found after ${score.detectionMs} ms, should be within ${expected.withinMs} ms`);
  return problems;
}

/** Kinds are held against the root only: a consequence may be of any kind. Components are held against every link. */
function blame(patterns: readonly string[], incident: Incident): string[] {
  const found: string[] = [];
  for (const pattern of patterns) {
    const matches = glob(pattern);
    const things = pattern.includes('/')
      ? [incident.root, ...incident.chain].flatMap(({ component }) =>
          component === null ? [] : [componentText(component)],
        )
      : [incident.root.kind];
    found.push(...things.filter((thing) => matches.test(thing)));
  }
  return found;
}

function glob(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

function rootText(incident: Incident): string {
  const { kind, component } = incident.root;
  const where = component === null ? '' : ` on ${componentText(component)}`;
  return incident.rootKnown ? `${kind}${where}` : `unknown (${kind}${where})`;
}

/** How fast a job is: which of these is reported depends on what its framework prints. */
const SPEED: ReadonlySet<string> = new Set(['step_time', 'throughput']);

function isReported(wanted: string, { quantity }: Impact): boolean {
  return quantity === wanted || (SPEED.has(quantity) && SPEED.has(wanted));
}
