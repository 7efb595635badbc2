// Reads a scenario file into a document, or says file, line and column of everything that is wrong with it.

import { closeSync, constants, existsSync, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, isMap, isNode, LineCounter, parseDocument } from 'yaml';
import { ConfigError, type Problem } from '../../config/config-error.ts';
import { didYouMean } from '../../helpers/did-you-mean.ts';
import { codeOrText } from '../../helpers/error-code.ts';
import { errorText } from '../../helpers/error-text.ts';
import { BINARY, textOf, whyNotFile } from '../../helpers/files/plain-text.ts';
import type { ScenarioDocument } from './document.ts';
import { planScenario, type ScenarioPlan } from './scenario-plan.ts';
import { type Finding, type Path, scenarioFolder, schemaFindings } from './validate.ts';

const MAX_BYTES = 256 * 1024;
const SHIPPED = 'faultline demo --list names the shipped scenarios';
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be read by this user',
};

/** Names of the shipped scenarios. */
export function shippedScenarios(): string[] {
  return readdirSync(scenarioFolder())
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => name.slice(0, -'.yaml'.length))
    .sort();
}

/** Path of a shipped scenario, or the path itself where it names a file. Throws ConfigError when it is neither. */
export function scenarioPath(nameOrFile: string): string {
  if (nameOrFile.includes('/') || /\.ya?ml$/.test(nameOrFile)) return nameOrFile;
  const known = shippedScenarios();
  if (known.includes(nameOrFile)) return join(scenarioFolder(), `${nameOrFile}.yaml`);
  if (existsSync(nameOrFile)) return nameOrFile;
  const near = didYouMean(nameOrFile, known);
  const hint = near === null ? '' : `Did you mean ${near}? `;
  const text = `no scenario of this name. ${hint}Shipped: ${known.join(', ')}; or give a path to a YAML file`;
  throw failure(nameOrFile, 'FL5103', text);
}

/** Loads, checks and draws: the same file and seed give the same plan. Throws ConfigError. */
export function loadScenario(nameOrFile: string, seed: number): ScenarioPlan {
  const path = scenarioPath(nameOrFile);
  return parseScenario(readScenario(path), path, seed);
}

/** The text of a file. Throws ConfigError where it cannot be one. */
export function readScenario(path: string): string {
  let file: number | null = null;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(file);
    // A device may never end, a FIFO may never begin.
    const odd = whyNotFile(stat);
    if (odd !== null) throw failure(path, 'FL5104', `${odd}. ${SHIPPED}`);
    if (stat.size > MAX_BYTES)
      throw failure(path, 'FL5104', `is ${stat.size} bytes long; a scenario may have ${MAX_BYTES}`);
    const text = textOf(readFileSync(file));
    if (text === null) throw failure(path, 'FL5104', `${BINARY}: it cannot be a scenario. ${SHIPPED}`);
    return text;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const code = codeOrText(error);
    throw failure(path, 'FL5104', `${REASONS[code] ?? `cannot be read (${code})`}. ${SHIPPED}`);
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** As `loadScenario`, for text that is there; `file` only names it in messages. */
export function parseScenario(text: string, file: string, seed: number): ScenarioPlan {
  const lines = new LineCounter();
  const yaml = parsed(text, file, lines, 50);
  const stop = (findings: readonly Finding[]): void => {
    if (findings.length > 0)
      throw new ConfigError(
        file,
        findings.map((finding) => placed(finding, yaml, lines)),
      );
  };
  let value: unknown;
  try {
    value = yaml.toJS({ maxAliasCount: 50 });
  } catch (error) {
    throw failure(file, 'FL5105', errorText(error));
  }
  stop(schemaFindings(value));
  // The schema has just said that it is one.
  const { plan, findings } = planScenario(value as ScenarioDocument, seed);
  stop(findings);
  if (plan === null) throw failure(file, 'FL5106', 'could not be planned');
  return plan;
}

/** The finding at the line and column of its path. */
export function placed(finding: Finding, yaml: Document, lines: LineCounter): Problem {
  const offset = offsetOf(yaml, finding.path, finding.atKey === true);
  const { line, col } = lines.linePos(offset);
  return { code: finding.code, line, column: col, text: finding.text };
}

/** Offset of the node at the path, or of the nearest one above it. */
function offsetOf(yaml: Document, path: Path, atKey: boolean): number {
  if (atKey) {
    const parent = path.length > 1 ? yaml.getIn(path.slice(0, -1), true) : yaml.contents;
    const key = path.at(-1);
    const pair = isMap(parent) ? parent.items.find((item) => isNode(item.key) && String(item.key) === key) : undefined;
    if (isNode(pair?.key) && pair.key.range) return pair.key.range[0];
  }
  for (let length = path.length; length > 0; length -= 1) {
    const node = yaml.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

/** Throws ConfigError where the text is not YAML. */
export function parsed(text: string, file: string, lines: LineCounter, maxAliasCount: number): Document {
  const yaml = parseDocument(text, { lineCounter: lines, maxAliasCount } as Parameters<typeof parseDocument>[1]);
  if (yaml.errors.length === 0) return yaml;
  throw new ConfigError(
    file,
    yaml.errors.map((error) => {
      const { line, col } = lines.linePos(error.pos[0]);
      const what = error.message.split('\n', 1)[0]?.replace(/ at line.*$/, '') ?? '';
      return { code: 'FL5105', line, column: col, text: what };
    }),
  );
}

function failure(file: string, code: string, text: string): ConfigError {
  return new ConfigError(file, [{ code, line: null, column: null, text }]);
}
