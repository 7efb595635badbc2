// Reads saved logs through the pipelines of their hosts and prints what came of it.

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { renderIncidentText } from '../../incidents/report/text.ts';
import { compareSeverity, type Severity } from '../../model/severity.ts';
import { shownJson } from '../../model/shown-json.ts';
import { SavedText } from '../../sources/saved-text/saved-text.ts';
import type { CommandIo } from '../common/command-io.ts';
import { type ScannedInput, scanDocument } from './document.ts';
import { ScannedHosts } from './hosts.ts';
import { Steps } from './steps.ts';

export interface ScanOptions {
  readonly json?: boolean;
  readonly failOn?: Severity;
}

export async function runScan(paths: readonly string[], options: ScanOptions, io: CommandIo): Promise<number> {
  const steps = new Steps();
  const hosts = new ScannedHosts((seen) => steps.take(seen));
  const inputs: ScannedInput[] = [];
  for (const path of paths) inputs.push(await readInput(path, hosts, io));
  hosts.finish();
  const incidents = [...hosts.incidents.values()].filter(({ mergedInto }) => mergedInto === null);
  if (options.json) {
    const events = [...hosts.events.values()];
    io.stdout.write(`${shownJson(scanDocument({ inputs, events, incidents, steps: steps.all }))}\n`);
  } else {
    for (const incident of incidents) {
      const text = renderIncidentText(incident, {
        width: 100,
        colour: io.colour,
        nowMs: incident.updatedMs,
        timeZone: 'UTC',
        hint: false,
      });
      io.stdout.write(`${text}\n\n`);
    }
  }
  const { failOn } = options;
  return failOn !== undefined && incidents.some(({ severity }) => compareSeverity(severity, failOn) >= 0) ? 1 : 0;
}

async function readInput(path: string, hosts: ScannedHosts, io: CommandIo): Promise<ScannedInput> {
  const name = path === '-' ? 'stdin' : path;
  const label = path === '-' ? 'stdin' : basename(path).replace(/\.[a-z0-9]{1,5}$/i, '');
  const savedMs = path === '-' ? io.now() : (await stat(path)).mtimeMs;
  const text = new SavedText({
    name,
    job: label,
    savedMs,
    onRecord: (record, host) => hosts.text(record, host ?? label),
    onTime: () => {},
  });
  for await (const chunk of path === '-' ? process.stdin : createReadStream(path)) text.push(chunk as Buffer);
  text.end();
  const { format, lines, undated } = text;
  return { name, format, lines, undated_lines: undated, assumed: [...text.dating.assumed] };
}
