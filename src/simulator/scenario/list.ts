// List: the shipped scenarios, each with what happens in it.

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { scenarioPath, shippedScenarios } from './load.ts';

/** One line a scenario, as `demo --list` prints them. */
export function scenarioList(): string {
  const names = shippedScenarios();
  const width = Math.max(...names.map((name) => name.length));
  return names.map((name) => `  ${name.padEnd(width)}  ${titleOf(name)}\n`).join('');
}

function titleOf(name: string): string {
  const document: unknown = parse(readFileSync(scenarioPath(name), 'utf8'));
  const title = typeof document === 'object' && document !== null && 'title' in document ? document.title : '';
  return typeof title === 'string' ? title : '';
}
