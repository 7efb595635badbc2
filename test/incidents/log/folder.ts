// Folder: a log directory for one test, and ways to look at what is in it.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { IncidentLog, type IncidentLogOptions } from '../../../src/incidents/log/incident-log.ts';
import { loadIncidents } from '../../../src/incidents/log/load.ts';
import type { Incident } from '../../../src/model/incident.ts';

export function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'faultline-log-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** `[schema word, id, revision or count]` of each line of a file. */
export function lines(path: string): [string, string, number][] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const document = JSON.parse(line);
      return [document.schema.split('/')[1], document.id, document.revision ?? document.count];
    });
}

export function names(directory: string): string[] {
  return readdirSync(directory).sort();
}

/** Every incident of the log, whole. */
export async function everything(directory: string): Promise<readonly Incident[]> {
  return (await loadIncidents(directory, { limit: 1_000_000, withEvents: () => true })).incidents;
}

export interface TestLog {
  readonly log: IncidentLog;
  readonly troubles: string[];
}

export function openLog(directory: string, more: Partial<IncidentLogOptions> = {}): TestLog {
  const troubles: string[] = [];
  const log = new IncidentLog({
    directory,
    maxBytes: 1 << 30,
    maxFiles: 10,
    maxAgeMs: 90 * 86_400_000,
    retryMs: 5,
    // A busy disk is not trouble: a test of one that hangs gives its own.
    deadlineMs: 60_000,
    onTrouble: (code, detail) => troubles.push(`${code} ${detail}`),
    ...more,
  });
  return { log, troubles };
}

export function codes(troubles: readonly string[]): string[] {
  return troubles.map((trouble) => trouble.slice(0, 6));
}

export { until } from '../../until.ts';
