// Coincidences: any harmless event, any failure, any time between them; what one is blamed for the other is counted by how surely.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ConfigError } from '../../config/config-error.ts';
import { parseDuration } from '../../config/quantity.ts';
import type { ScenarioDocument, StepDocument } from '../scenario/document.ts';
import { planScenario, type ScenarioPlan } from '../scenario/scenario-plan.ts';
import { scenarioFolder } from '../scenario/validate.ts';
import { drawnFirst, type Part } from './drawn-first.ts';
import { type Claim, claimIn } from './measure.ts';
import { play } from './play.ts';

export interface Failure extends Part {
  /** Kinds that the report itself is of: with one of these as its root nothing is blamed. */
  readonly own: readonly string[];
}

export interface Coincidence {
  readonly first: Part;
  readonly failure: Failure;
  readonly lagMs: number;
}

/** What was answered of the failure of one coincidence. */
export interface CoincidenceAnswer {
  readonly name: string;
  readonly found: boolean;
  /** Roots that were named for it: wrong wherever something else is blamed. */
  readonly claims: readonly Claim[];
}

export const LAGS_MS: readonly number[] = [10_000, 60_000, 300_000, 1_200_000];
/** What the host does before the first thing happens, and after the last one. */
const BEFORE_MS = 60_000;
const AFTER_MS = 90_000;

/** All pairs at all lags: what was written from experience, or with `drawn` what the rows of causes suggest. */
export function coincidences(set: 'written' | 'drawn', lagsMs = LAGS_MS): Coincidence[] {
  const failures = read<Failure>(set === 'written' ? 'failures.yaml' : 'further-failures.yaml');
  const firsts = set === 'written' ? read<Part>('first.yaml') : drawnFirst();
  return firsts.flatMap((first) =>
    failures.flatMap((failure) => lagsMs.map((lagMs): Coincidence => ({ first, failure, lagMs }))),
  );
}

/** Of the drawn ones this many, evenly over all kinds, failures and lags. */
const SAMPLED = 168;

/** The written ones, or a sample of the drawn ones as large; deterministic. */
export async function answersTo(set: 'written' | 'drawn'): Promise<CoincidenceAnswer[]> {
  const all = coincidences(set);
  const count = Math.min(SAMPLED, all.length);
  const answers: CoincidenceAnswer[] = [];
  for (let i = 0; i < count; i += 1) {
    const one = all[Math.floor((i * all.length) / count)];
    if (one !== undefined) answers.push(await answerOf(one));
  }
  return answers;
}

export function nameOf({ first, failure, lagMs }: Coincidence): string {
  return `${first.name}, ${failure.name} ${lagMs / 1000} s later`;
}

/** Plays it; deterministic. */
export async function answerOf(one: Coincidence): Promise<CoincidenceAnswer> {
  const { incidents } = await play(planOf(one));
  const { own } = one.failure;
  const about = incidents.filter(
    ({ mergedInto, chain }) => mergedInto === null && chain.some(({ kind }) => own.includes(kind)),
  );
  const name = nameOf(one);
  const claims = about.filter(({ rootKnown }) => rootKnown).map((incident) => claimIn(incident, own.includes(incident.root.kind), name)); // biome-ignore format: one line
  return { name, found: about.length > 0, claims };
}

/** The surest of what something else is blamed with, 0 to 1; null for no blame. */
export function blame({ claims }: CoincidenceAnswer): number | null {
  const wrong = claims.filter(({ right }) => !right).map(({ confidence }) => confidence);
  return wrong.length === 0 ? null : Math.max(...wrong);
}

export function planOf(one: Coincidence): ScenarioPlan {
  const { first, failure, lagMs } = one;
  const early = Math.max(0, ...failure.steps.map(({ at }) => -offset(at)));
  const failsMs = BEFORE_MS + Math.max(early, lagMs);
  const steps = [...moved(first, failsMs - lagMs), ...moved(failure, failsMs)];
  const document: ScenarioDocument = {
    name: 'coincidence',
    title: `${first.title}; ${failure.title}`,
    duration: `${failsMs + AFTER_MS}ms`,
    world: read<ScenarioDocument['world']>('world.yaml')[0] ?? { hosts: [] },
    noise: { jitter: 0.002 },
    timeline: steps.sort((a, b) => offset(a.at) - offset(b.at)),
    truth: { incidents: [] },
  };
  const { plan, findings } = planScenario(document, 0);
  if (plan === null) throw failed(nameOf(one), findings.map(({ text }) => text).join('; '));
  return plan;
}

function moved({ steps }: Part, byMs: number): (Omit<StepDocument, 'at'> & { readonly at: string })[] {
  return steps.map((step) => ({ ...step, at: `${byMs + offset(step.at)}ms` }));
}

/** A duration that may have a minus before it, ms. */
function offset(text: string): number {
  const minus = text.startsWith('-');
  return (minus ? -1 : 1) * (parseDuration(minus ? text.slice(1) : text) ?? 0);
}

const known = new Map<string, unknown>();

function read<T>(name: string): readonly T[] {
  const file = join(scenarioFolder(), 'coincidences', name);
  const found = known.get(file) ?? parse(readFileSync(file, 'utf8'));
  known.set(file, found);
  if (!Array.isArray(found)) throw failed(file, 'is not a list');
  return found as T[]; // the schema of scenarios looks at what is built from it
}

function failed(where: string, text: string): ConfigError {
  return new ConfigError(where, [{ code: 'FL5106', line: null, column: null, text }]);
}
