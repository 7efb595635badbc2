// A family of scenarios: one file with what they share — world, variables, noise — and what each of them is about.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ConfigError } from '../../config/config-error.ts';
import { KINDS, type Kind } from '../../model/kind.ts';
import type { ScenarioDocument } from '../scenario/document.ts';
import { planScenario, type ScenarioPlan } from '../scenario/scenario-plan.ts';
import { pathText, scenarioFolder, schemaFindings } from '../scenario/validate.ts';

/** One scenario of the corpus, checked; `plan` draws it. */
export interface CorpusScenario {
  readonly family: string;
  readonly name: string;
  readonly title: string;
  plan(seed: number): ScenarioPlan;
}

/** All scenarios of catalog/scenarios/corpus, families and scenarios in order of name. Throws ConfigError. */
export function corpus(folder = join(scenarioFolder(), 'corpus')): CorpusScenario[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  return files.sort().flatMap((name) => family(join(folder, name)));
}

/** The scenarios of one family. Throws ConfigError. */
export function family(file: string): CorpusScenario[] {
  const read: unknown = parse(readFileSync(file, 'utf8'), { maxAliasCount: 1000 });
  if (typeof read !== 'object' || read === null || !('scenarios' in read) || !Array.isArray(read.scenarios))
    throw failure(file, 'has no list `scenarios`');
  const { family: name, scenarios, ...shared } = read as Record<string, unknown>; // an object, as was just seen
  if (typeof name !== 'string' || !Array.isArray(scenarios)) throw failure(file, 'has no `family`');
  return scenarios.map((own: Partial<ScenarioDocument>) => {
    const document = merged(shared, own);
    const findings = schemaFindings(document);
    const [first] = findings;
    if (first !== undefined)
      throw failure(
        file,
        `${String(own.name)}: ${pathText(first.path)}: ${findings.map(({ text }) => text).join('; ')}`,
      );
    return {
      family: name,
      name: document.name,
      title: document.title,
      plan: (seed: number) => planOf(file, document, seed),
    };
  });
}

/** Variables of the family and of the scenario together; of everything else the scenario's own counts. */
function merged(shared: Partial<ScenarioDocument>, own: Partial<ScenarioDocument>): ScenarioDocument {
  const vary = { ...shared.vary, ...own.vary };
  return { ...shared, ...own, vary } as ScenarioDocument; // the schema looks at it next
}

/** Kinds of the catalogue that no truth has as root or consequence: nothing here says how they are answered. */
export function kindsWithoutTruth(scenarios: readonly CorpusScenario[]): Kind[] {
  const truths = scenarios.flatMap((scenario) => scenario.plan(0).truth.incidents);
  const named = new Set(truths.flatMap(({ root, chain }) => [...root.kinds, ...chain.flat(2)]));
  return KINDS.filter((kind) => !named.has(kind));
}

function planOf(file: string, document: ScenarioDocument, seed: number): ScenarioPlan {
  const { plan, findings } = planScenario(document, seed);
  if (plan === null)
    throw failure(file, `${document.name}, seed ${seed}: ${findings.map(({ text }) => text).join('; ')}`);
  return plan;
}

function failure(file: string, text: string): ConfigError {
  return new ConfigError(file, [{ code: 'FL5106', line: null, column: null, text }]);
}
