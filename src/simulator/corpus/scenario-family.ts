// A family of scenarios: one file with what they share — world, variables, noise — and what each of them is about.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Document, LineCounter } from 'yaml';
import { ConfigError, type Problem } from '../../config/config-error.ts';
import { KINDS, type Kind } from '../../model/kind.ts';
import type { ScenarioDocument } from '../scenario/document.ts';
import { parsed, parseScenario, placed, readScenario } from '../scenario/load.ts';
import { planScenario, type ScenarioPlan } from '../scenario/scenario-plan.ts';
import { type Finding, type Path, scenarioFolder, schemaFindings } from '../scenario/validate.ts';

/** Families share much by aliases. */
const MAX_ALIASES = 1000;

/** One scenario of the corpus, checked; `plan` draws it. */
export interface CorpusScenario {
  readonly family: string;
  readonly name: string;
  readonly title: string;
  plan(seed: number): ScenarioPlan;
}

/** What a text in YAML says; `file` names it in a ConfigError. */
export type ReadYaml = (text: string, file: string) => unknown;

export const readYaml: ReadYaml = (text, file) =>
  parsed(text, file, new LineCounter(), MAX_ALIASES).toJS({ maxAliasCount: MAX_ALIASES });

/** All scenarios of catalog/scenarios/corpus, families and scenarios in order of name. Throws ConfigError. */
export function corpus(folder = join(scenarioFolder(), 'corpus'), read = readYaml): CorpusScenario[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  return files.sort().flatMap((name) => family(join(folder, name), read));
}

/** The scenarios of one family. Throws ConfigError. */
export function family(file: string, readText = readYaml): CorpusScenario[] {
  const text = readFileSync(file, 'utf8');
  const read = readText(text, file);
  if (typeof read !== 'object' || read === null || !('scenarios' in read) || !Array.isArray(read.scenarios))
    throw failure(file, 'has no list `scenarios`');
  const { family: name, scenarios, ...shared } = read as Record<string, unknown>; // an object, as was just seen
  if (typeof name !== 'string' || !Array.isArray(scenarios)) throw failure(file, 'has no `family`');
  return scenarios.map((own: Partial<ScenarioDocument>, i) => {
    const document = merged(shared, own);
    // What a scenario does not have itself is at the head of the file; of variables either may have each.
    const placedIn = (findings: readonly Finding[]): Problem[] => {
      const lines = new LineCounter();
      const yaml = parsed(text, file, lines, MAX_ALIASES);
      return findings.map((finding) => place(finding, yaml, lines));
    };
    const place = ({ path, ...rest }: Finding, yaml: Document, lines: LineCounter): Problem => {
      const [first, second] = path;
      const whose: object = first === 'vary' && typeof second === 'string' ? (own.vary ?? {}) : own;
      const mine = String(first === 'vary' ? second : first) in whose || path.length === 0;
      const at: Path = mine ? ['scenarios', i, ...path] : path;
      const { text: what, ...where } = placed({ ...rest, path: at }, yaml, lines);
      return { ...where, text: `${String(own.name)}: ${what}` };
    };
    const findings = schemaFindings(document);
    if (findings.length > 0) throw new ConfigError(file, placedIn(findings));
    const plan = (seed: number): ScenarioPlan => {
      const planned = planScenario(document, seed);
      if (planned.plan === null) throw new ConfigError(file, placedIn(planned.findings));
      return planned.plan;
    };
    return { family: name, name: document.name, title: document.title, plan };
  });
}

/** The scenarios of any file: those of a family, or the one that it is. Everything in it is checked. Throws ConfigError. */
export function scenariosOf(file: string): CorpusScenario[] {
  const text = readScenario(file);
  if (/^scenarios:/m.test(text)) {
    const found = family(file);
    for (const { plan } of found) plan(0);
    return found;
  }
  const { name, title } = parseScenario(text, file, 0);
  const own = basename(dirname(resolve(file)));
  return [{ family: own, name, title, plan: (seed) => parseScenario(text, file, seed) }];
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

function failure(file: string, text: string): ConfigError {
  return new ConfigError(file, [{ code: 'FL5106', line: null, column: null, text }]);
}
