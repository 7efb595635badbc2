// Plays scenarios and holds the answers against their truth: what accuracy is counted from.

import { compareSeverity } from '../../model/severity.ts';
import { score } from '../score.ts';
import type { CorpusScenario } from './family.ts';
import { harder } from './hardship.ts';
import { play } from './play.ts';

/** One incident that the truth asks for, and what was answered. */
export interface Answer {
  /** First kind of the true root. */
  readonly kind: string;
  readonly found: boolean;
  readonly rootRight: boolean;
  /** All of the chain there, nothing certainly the wrong way round. */
  readonly chainRight: boolean;
  readonly actionRight: boolean;
  /** Told "no root cause yet" though the host could know better. */
  readonly undecided: boolean;
  /** "No root cause yet" was the right answer. */
  readonly undecidable: boolean;
  readonly detectionMs: number | null;
}

/** How sure a named root was, and whether it was the right one. */
export interface Claim {
  readonly kind: string;
  readonly confidence: number;
  readonly right: boolean;
}

export interface Run {
  readonly family: string;
  readonly name: string;
  readonly seed: number;
  readonly right: boolean;
  readonly problems: readonly string[];
  readonly answers: readonly Answer[];
  /** Kinds of the roots of incidents that nothing asked for. */
  readonly falseIncidents: readonly string[];
  readonly claims: readonly Claim[];
  readonly simulatedMs: number;
}

/** What is told there was told by a user and is not so: the answer is right, what it claims is not. */
const FORGED = 'forged-kernel-lines';

/** Every other seed plays with hardship: late sources, unrelated events. */
export function isHard(seed: number): boolean {
  return seed % 2 === 1;
}

/** Deterministic. */
export function measure(scenario: CorpusScenario, seed: number): Run {
  const drawn = scenario.plan(seed);
  const plan = isHard(seed) ? harder(drawn) : drawn;
  const { incidents, seenMs, simulatedMs } = play(plan);
  const { right, problems, expected, falseIncidents } = score(
    plan.truth,
    incidents,
    0,
    ({ id }) => seenMs.get(id) ?? Number.POSITIVE_INFINITY,
  );
  const answers = expected.map(
    ({ expected: wanted, incident, rootRight, missing, misordered, actionRight, detectionMs }) => {
      const undecidable = wanted.undecided === true;
      return {
        kind: wanted.root.kinds[0] ?? '',
        found: incident !== null,
        rootRight,
        chainRight: incident !== null && missing.length === 0 && misordered.length === 0,
        actionRight,
        undecided: incident !== null && !undecidable && !incident.rootKnown,
        undecidable,
        detectionMs,
      };
    },
  );
  const rightOnes = new Set(expected.filter(({ rootRight }) => rootRight).map(({ incident }) => incident?.id));
  const tolerated = incidents.filter(
    (incident) => !falseIncidents.includes(incident) && !expected.some((one) => one.incident === incident),
  );
  const claims = incidents
    .filter((incident) => incident.mergedInto === null && incident.rootKnown && !tolerated.includes(incident))
    .filter(({ severity }) => compareSeverity(severity, 'warning') >= 0)
    .map(({ id, root, confidence }) => {
      return { kind: root.kind, confidence, right: rightOnes.has(id) && scenario.name !== FORGED };
    });
  const { family, name } = scenario;
  const roots = falseIncidents.map(({ root }) => root.kind);
  return { family, name, seed, right, problems, answers, falseIncidents: roots, claims, simulatedMs };
}
