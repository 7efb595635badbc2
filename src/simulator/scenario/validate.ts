// Checks a scenario against its JSON Schema and says what would be right, at the path where it is wrong.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { didYouMean } from '../../helpers/did-you-mean.ts';
import { installationRoot } from '../../native.ts';
import { CHANGE_NAMES } from './changes.ts';
import type { ScenarioDocument } from './document.ts';

export type Path = readonly (string | number)[];

/** Something wrong at a path of the document, before its line is known. */
export interface Finding {
  readonly code: string;
  readonly path: Path;
  readonly text: string;
  /** The key itself is wrong, not its value. */
  readonly atKey?: boolean;
}

/** Folder of the shipped scenarios and of their schema. */
export function scenarioFolder(): string {
  return join(installationRoot(), 'catalog', 'scenarios');
}

let compiled: ValidateFunction<ScenarioDocument> | undefined;

function validator(): ValidateFunction<ScenarioDocument> {
  if (compiled === undefined) {
    const schema = JSON.parse(readFileSync(join(scenarioFolder(), 'scenario.schema.json'), 'utf8'));
    compiled = new Ajv({ allErrors: true, verbose: true, strict: false }).compile<ScenarioDocument>(schema);
  }
  return compiled;
}

/** Empty when `value` is a scenario. */
export function schemaFindings(value: unknown): Finding[] {
  const check = validator();
  if (check(value)) return changeFindings(value);
  return mostTelling(check.errors ?? []).map(finding);
}

/**
 * Where alternatives were tried, what each of them missed only distracts: the description of all is kept, which the
 * outermost choice has; it comes last.
 */
function mostTelling(errors: readonly ErrorObject[]): ErrorObject[] {
  return errors.filter(
    (error, i) =>
      !errors.some(
        (choice, j) =>
          choice.keyword === 'anyOf' &&
          (error.instancePath.startsWith(`${choice.instancePath}/`) ||
            (error.instancePath === choice.instancePath && j > i)),
      ),
  );
}

function finding(error: ErrorObject): Finding {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const where = pathText(path);
  if (error.keyword === 'additionalProperties') {
    const key = String(error.params.additionalProperty);
    const known = Object.keys(error.parentSchema?.properties ?? {});
    const near = didYouMean(key, known);
    const hint = near === null ? `Known here: ${known.join(', ')}` : `Did you mean ${near}`;
    return { code: 'FL5101', path: [...path, key], atKey: true, text: `${where} has no ${key}. ${hint}` };
  }
  if (error.keyword === 'required') {
    return { code: 'FL5101', path, text: `${where} needs ${error.params.missingProperty}` };
  }
  if (error.keyword === 'minItems' || error.keyword === 'maxItems' || error.keyword === 'maxLength') {
    return { code: 'FL5101', path, text: `${where} ${error.message}` };
  }
  const wanted = error.parentSchema?.description;
  const text = wanted === undefined ? String(error.message) : `must be ${wanted}`;
  return { code: 'FL5101', path, text: `${where} ${text}${shown(error.data)}` };
}

function changeFindings(scenario: ScenarioDocument): Finding[] {
  const found: Finding[] = [];
  scenario.timeline.forEach((step, i) => {
    const changes = CHANGE_NAMES.filter((name) => step[name] !== undefined);
    if (changes.length === 1) return;
    const text =
      changes.length === 0
        ? `needs a change: one of ${CHANGE_NAMES.join(', ')}`
        : `makes ${changes.length} changes (${changes.join(', ')}); write one step for each`;
    found.push({ code: 'FL5102', path: ['timeline', i], text: `timeline[${i}] ${text}` });
  });
  return found;
}

/** `timeline[2].pdu_voltage.to`, "the scenario" for its root. */
export function pathText(path: Path): string {
  if (path.length === 0) return 'the scenario';
  return path.map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? part : `.${part}`)).join('');
}

function shown(value: unknown): string {
  if (typeof value === 'object') return '';
  const text = String(value);
  return `, not ${text.length > 40 ? `${text.slice(0, 40)}…` : text}`;
}
