// The right answer of a scenario, resolved for one run: what must be found, and what must not be blamed.

import { parseDuration } from '../../config/quantity.ts';
import { ACTIONS, type Action } from '../../model/action.ts';
import { isKind, type Kind } from '../../model/kind.ts';
import type { Severity } from '../../model/severity.ts';
import type { ScenarioDocument, TruthIncidentDocument } from './document.ts';
import { planMoment, type TimedStep } from './moment.ts';
import type { Finding, Path } from './validate.ts';
import type { PlannedWorld } from './world.ts';

export interface TrueIncident {
  /** Without kinds: any, where nothing can tell the cause. */
  readonly root: { readonly kinds: readonly Kind[]; readonly component: string };
  /** Stages in order; each has entries in any order; each entry is a list of kinds of which one must be there. */
  readonly chain: readonly (readonly (readonly Kind[])[])[];
  readonly impact: readonly string[];
  /** Accepted actions; empty: any. */
  readonly actions: readonly Action[];
  /** When the trouble begins, ms of the timeline. */
  readonly causeMs: number;
  readonly withinMs: number;
  /** ms of the timeline before which it must not be a warning. */
  readonly notBeforeMs?: number;
  /** Saying that no root cause is known is the right answer. */
  readonly undecided?: boolean | 'allowed';
  /** The watched host that finds it; null: the only one. */
  readonly host?: string | null;
  readonly bounds?: Bounds;
}

/** What an answer must not exceed, or must reach; left out: anything goes. */
export interface Bounds {
  readonly wrongActions?: readonly Action[];
  readonly highestConfidence?: number;
  readonly lowestConfidence?: number;
  readonly highestSeverity?: Severity;
  readonly lowestSeverity?: Severity;
}

export interface Truth {
  readonly incidents: readonly TrueIncident[];
  readonly may: readonly Kind[];
  readonly mustNot: readonly string[];
  /** Not blamed for what is asked for, though each may have an incident of its own. */
  readonly apart?: readonly string[];
  /** ms of the timeline before which nothing is a warning. */
  readonly quietUntilMs?: number;
  /** Of every incident. */
  readonly bounds?: Bounds;
  /** None is critical at any time. */
  readonly noPage?: boolean;
}

type BoundsDocument = Pick<
  TruthIncidentDocument,
  'wrong_actions' | 'highest_confidence' | 'lowest_confidence' | 'highest_severity' | 'lowest_severity'
>;

const DEFAULT_WITHIN_MS = 30_000;

export function planTruth(
  truth: ScenarioDocument['truth'],
  steps: readonly TimedStep[],
  world: PlannedWorld,
  findings: Finding[],
): Truth {
  return {
    incidents: truth.incidents.map((incident, i) =>
      planIncident(incident, steps, world, ['truth', 'incidents', i], findings),
    ),
    may: (truth.may ?? []).flatMap((text, i) => kinds(text, ['truth', 'may', i], findings)),
    mustNot: truth.must_not ?? [],
    apart: truth.apart ?? [],
    ...(truth.quiet_until === undefined
      ? {}
      : { quietUntilMs: planMoment(truth.quiet_until, steps, ['truth', 'quiet_until'], findings) }),
    bounds: planBounds(truth, ['truth'], findings),
    noPage: truth.no_page === true,
  };
}

function planIncident(
  incident: TruthIncidentDocument,
  steps: readonly TimedStep[],
  { watched }: PlannedWorld,
  path: Path,
  findings: Finding[],
): TrueIncident {
  const cause = steps.find((step) => step.id === incident.cause);
  if (cause === undefined) {
    findings.push({ code: 'FL5109', path: [...path, 'cause'], text: `no step ${incident.cause} in timeline` });
  }
  if (incident.host !== undefined && !watched.some(({ name }) => name === incident.host)) {
    const known = watched.map(({ name }) => name).join(', ');
    findings.push({
      code: 'FL5108',
      path: [...path, 'host'],
      text: `no host ${incident.host} is watched. Known: ${known}`,
    });
  }
  const { root } = incident;
  if (root === undefined && incident.undecided !== true) {
    const text = 'needs root, unless undecided: true says that nothing can tell it';
    findings.push({ code: 'FL5109', path, text: `truth.incidents ${text}` });
  }
  return {
    root:
      root === undefined
        ? { kinds: [], component: '*' }
        : { kinds: kinds(root.kind, [...path, 'root', 'kind'], findings), component: root.component },
    chain: (incident.chain ?? []).map((stage, i) =>
      (typeof stage === 'string' ? [stage] : stage).map((text) => kinds(text, [...path, 'chain', i], findings)),
    ),
    impact: incident.impact ?? [],
    actions: actions(incident.action, [...path, 'action'], findings),
    causeMs: cause?.atMs ?? 0,
    withinMs: planWithin(incident, cause?.atMs ?? 0, steps, [...path, 'within'], findings),
    ...(incident.not_before === undefined
      ? {}
      : { notBeforeMs: planMoment(incident.not_before, steps, [...path, 'not_before'], findings) }),
    // Any other text is a reference that was replaced by what the seed drew.
    undecided: incident.undecided === 'allowed' ? 'allowed' : incident.undecided === true,
    host: incident.host ?? (watched.length > 1 ? (watched[0]?.name ?? null) : null),
    bounds: planBounds(incident, path, findings),
  };
}

/** From the cause, ms. */
function planWithin(
  { within }: TruthIncidentDocument,
  causeMs: number,
  steps: readonly TimedStep[],
  path: Path,
  findings: Finding[],
): number {
  if (within === undefined) return DEFAULT_WITHIN_MS;
  if (typeof within === 'string') return parseDuration(within) ?? 0;
  const untilMs = planMoment(within, steps, path, findings) - causeMs;
  if (untilMs <= 0) findings.push({ code: 'FL5109', path, text: 'within ends before its cause begins' });
  return untilMs;
}

function planBounds(written: BoundsDocument, path: Path, findings: Finding[]): Bounds {
  const { highest_confidence, lowest_confidence, highest_severity, lowest_severity } = written;
  return {
    wrongActions: actions(written.wrong_actions, [...path, 'wrong_actions'], findings),
    ...(highest_confidence === undefined ? {} : { highestConfidence: highest_confidence }),
    ...(lowest_confidence === undefined ? {} : { lowestConfidence: lowest_confidence }),
    ...(highest_severity === undefined ? {} : { highestSeverity: highest_severity }),
    ...(lowest_severity === undefined ? {} : { lowestSeverity: lowest_severity }),
  };
}

function actions(written: string | readonly string[] | undefined, path: Path, findings: Finding[]): Action[] {
  const all = typeof written === 'string' ? [written] : (written ?? []);
  return all.flatMap((text) => {
    const action = ACTIONS.find((known) => known === text);
    if (action !== undefined) return [action];
    findings.push({ code: 'FL5109', path, text: `${text} is not an action. Known: ${ACTIONS.join(', ')}` });
    return [];
  });
}

function kinds(text: string, path: Path, findings: Finding[]): Kind[] {
  return text.split('|').flatMap((part) => {
    const kind = part.trim();
    if (isKind(kind)) return [kind];
    findings.push({ code: 'FL5109', path, text: `${kind} is not an event kind; docs/reference/kinds.md lists them` });
    return [];
  });
}
