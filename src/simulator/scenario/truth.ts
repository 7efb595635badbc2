// The right answer of a scenario, resolved for one run: what must be found, and what must not be blamed.

import { parseDuration } from '../../config/quantity.ts';
import { ACTIONS, type Action } from '../../model/action.ts';
import { isKind, type Kind } from '../../model/kind.ts';
import type { ScenarioDocument, TruthIncidentDocument } from './document.ts';
import type { Finding, Path } from './validate.ts';

export interface TrueIncident {
  readonly root: { readonly kinds: readonly Kind[]; readonly component: string };
  /** Stages in order; each has entries in any order; each entry is a list of kinds of which one must be there. */
  readonly chain: readonly (readonly (readonly Kind[])[])[];
  readonly impact: readonly string[];
  /** Accepted actions; empty: any. */
  readonly actions: readonly Action[];
  /** When the trouble begins, ms of the timeline. */
  readonly causeMs: number;
  readonly withinMs: number;
  /** Saying that no root cause is known is the right answer. */
  readonly undecided?: boolean;
}

export interface Truth {
  readonly incidents: readonly TrueIncident[];
  readonly may: readonly Kind[];
  readonly mustNot: readonly string[];
}

const DEFAULT_WITHIN_MS = 30_000;

export function planTruth(
  truth: ScenarioDocument['truth'],
  steps: readonly { readonly id: string | null; readonly atMs: number }[],
  findings: Finding[],
): Truth {
  return {
    incidents: truth.incidents.map((incident, i) => planIncident(incident, steps, ['truth', 'incidents', i], findings)),
    may: (truth.may ?? []).flatMap((text, i) => kinds(text, ['truth', 'may', i], findings)),
    mustNot: truth.must_not ?? [],
  };
}

function planIncident(
  incident: TruthIncidentDocument,
  steps: readonly { readonly id: string | null; readonly atMs: number }[],
  path: Path,
  findings: Finding[],
): TrueIncident {
  const cause = steps.find((step) => step.id === incident.cause);
  if (cause === undefined) {
    findings.push({ code: 'FL5109', path: [...path, 'cause'], text: `no step ${incident.cause} in timeline` });
  }
  const written = typeof incident.action === 'string' ? [incident.action] : (incident.action ?? []);
  return {
    root: { kinds: kinds(incident.root.kind, [...path, 'root', 'kind'], findings), component: incident.root.component },
    chain: (incident.chain ?? []).map((stage, i) =>
      (typeof stage === 'string' ? [stage] : stage).map((text) => kinds(text, [...path, 'chain', i], findings)),
    ),
    impact: incident.impact ?? [],
    actions: written.flatMap((text) => {
      const action = ACTIONS.find((known) => known === text);
      if (action !== undefined) return [action];
      findings.push({
        code: 'FL5109',
        path: [...path, 'action'],
        text: `${text} is not an action. Known: ${ACTIONS.join(', ')}`,
      });
      return [];
    }),
    causeMs: cause?.atMs ?? 0,
    withinMs: incident.within === undefined ? DEFAULT_WITHIN_MS : (parseDuration(incident.within) ?? 0),
    // A text is a reference that was replaced by what the seed drew.
    undecided: incident.undecided === true,
  };
}

function kinds(text: string, path: Path, findings: Finding[]): Kind[] {
  return text.split('|').flatMap((part) => {
    const kind = part.trim();
    if (isKind(kind)) return [kind];
    findings.push({ code: 'FL5109', path, text: `${kind} is not an event kind; docs/reference/kinds.md lists them` });
    return [];
  });
}
