// Plays scenarios and holds the answers against their truth: what accuracy is counted from.

import { type Followed, followed } from '../../correlation/explain/calibration.ts';
import { evidenceOnly, isCapped } from '../../correlation/explain/confidence.ts';
import type { Incident } from '../../model/incident.ts';
import { compareSeverity, type Severity } from '../../model/severity.ts';
import type { ScenarioPlan } from '../scenario/scenario-plan.ts';
import type { TrueIncident } from '../scenario/truth.ts';
import { score } from '../score.ts';
import { harder } from './hardship.ts';
import { play } from './play.ts';
import type { CorpusScenario } from './scenario-family.ts';
import { isRead } from './served/sel-line.ts';

/** One incident that the truth asks for, and what was answered. */
export interface Answer {
  /** First kind of the true root. */
  readonly kind: string;
  readonly found: boolean;
  readonly rootRight: boolean;
  /** All of the chain there, nothing certainly the wrong way round. */
  readonly chainRight: boolean;
  readonly actionRight: boolean;
  /** Reported "no root cause yet" though the host could know better. */
  readonly undecided: boolean;
  /** "No root cause yet" was the right answer. */
  readonly undecidable: boolean;
  readonly detectionMs: number | null;
  /** The true root came in as a finished event, past detectors and decoders. */
  readonly finished: boolean;
}

/** How sure a named root was, and whether it was the right one. */
export interface Claim {
  /** What it is counted with: the seeds of one scenario are no scenarios of their own. */
  readonly scenario: string;
  readonly kind: string;
  readonly confidence: number;
  /** What the evidence alone came to, before the calibration map and the cap. */
  readonly evidence: number;
  /** What it says of what followed. */
  readonly followed: Followed;
  /** Held at 60 % because a user of the host could have written all of it; `tenant`: all of it, held or not. */
  readonly capped: boolean;
  readonly tenant: boolean;
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
  /** Incidents that were reported as a warning or worse and taken back: explained by something planned or expected. */
  readonly withdrawn: number;
  /** Pairs of kinds, "cause>effect", in the chains of right answers. */
  readonly links: readonly string[];
  /** Incidents whose parts do not add up to their confidence: always none. */
  readonly unsummed: readonly string[];
  readonly simulatedMs: number;
}

/** What is reported there was reported by a user and is not so: the answer is right, what it claims is not. */
const FORGED = 'forged-kernel-lines';

/** Every other seed plays with hardship: late sources, unrelated events. */
export function isHard(seed: number): boolean {
  return seed % 2 === 1;
}

/** Deterministic. */
export async function measure(scenario: CorpusScenario, seed: number): Promise<Run> {
  return (await examine(scenario, seed)).run;
}

/** As `measure`, with the last revision of each incident. */
export async function examine(
  scenario: CorpusScenario,
  seed: number,
): Promise<{ readonly run: Run; readonly incidents: readonly Incident[] }> {
  const drawn = scenario.plan(seed);
  const plan = isHard(seed) ? harder(drawn) : drawn;
  const { incidents, seenMs, warnedMs, worst, simulatedMs } = await play(plan);
  const { right, problems, expected, falseIncidents } = score(plan.truth, incidents, {
    startedMs: 0,
    foundMs: ({ id }) => seenMs.get(id) ?? Number.POSITIVE_INFINITY,
    warnedMs: ({ id }) => warnedMs.get(id) ?? Number.POSITIVE_INFINITY,
    worst: ({ id, severity }) => worst.get(id) ?? severity,
  });
  const answers = expected.map(
    ({ expected: wanted, incident, rootRight, missing, misordered, actionRight, detectionMs }) => {
      const undecidable = wanted.undecided === true;
      return {
        kind: wanted.root.kinds[0] ?? 'undecided',
        found: incident !== null,
        rootRight,
        chainRight: incident !== null && missing.length === 0 && misordered.length === 0,
        actionRight,
        undecided:
          incident !== null && wanted.undecided !== true && wanted.undecided !== 'allowed' && !incident.rootKnown,
        undecidable,
        detectionMs,
        finished: isFinished(plan, wanted),
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
    .map((incident) => claimIn(incident, rightOnes.has(incident.id) && scenario.name !== FORGED, scenario.name));
  const alone = incidents.filter(({ mergedInto }) => mergedInto === null);
  const calm = (severity: Severity | undefined): boolean => compareSeverity(severity ?? 'info', 'warning') < 0;
  const withdrawn = alone.filter(({ id, severity }) => calm(severity) && !calm(worst.get(id))).length;
  const unsummed = incidents.filter((incident) => !addsUp(incident)).map(({ title }) => title);
  const { family, name } = scenario;
  const roots = falseIncidents.map(({ root }) => root.kind);
  const run = {
    family,
    name,
    seed,
    right,
    problems,
    answers,
    falseIncidents: roots,
    claims,
    withdrawn,
    links: [
      ...new Set(expected.flatMap((one) => (one.rootRight && one.incident !== null ? linksOf(one.incident) : []))),
    ],
    unsummed,
    simulatedMs,
  };
  return { run, incidents };
}

function linksOf({ chain }: Incident): string[] {
  const kinds = new Map(chain.map(({ eventId, kind }) => [eventId, kind]));
  return chain.flatMap(({ kind, causedBy }) => causedBy.map((cause) => `${kinds.get(cause) ?? ''}>${kind}`));
}

/** Whether a step injects the event that the truth has as root. */
function isFinished({ steps, world }: ScenarioPlan, { root }: TrueIncident): boolean {
  return steps.some(({ change }) => {
    const isGiven = change.type === 'event' || (change.type === 'sel' && !isRead(change, world.host.name));
    return isGiven && root.kinds.some((kind) => kind === change.kind);
  });
}

/** The claim of an incident that names a root. */
export function claimIn(incident: Incident, right: boolean, scenario: string): Claim {
  const { root, chain, confidence, confidenceParts, events } = incident;
  const tenant = events.every(({ trust }) => trust === 'tenant');
  const [evidence, capped] = [evidenceOnly(confidenceParts), isCapped(confidenceParts)];
  const what = followed(root.kind, chain.map(({ kind }) => kind)); // biome-ignore format: one line
  return { scenario, kind: root.kind, confidence, evidence, followed: what, capped, tenant, right };
}

/** In hundredths, so that binary fractions do not matter. */
function addsUp({ confidence, confidenceParts }: Incident): boolean {
  return confidenceParts.reduce((sum, { delta }) => sum + Math.round(100 * delta), 0) === Math.round(100 * confidence);
}
