// Reports the GPU-hours that jobs had and lost, from the incident log, and holds them against Slurm's accounting.

import { readFile, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { errorText } from '../../helpers/error-text.ts';
import { signOfLife } from '../../incidents/log/alive.ts';
import { jsonLine } from '../../incidents/log/json-line.ts';
import { loadIncidents } from '../../incidents/log/load.ts';
import { loadRuns } from '../../incidents/log/load-runs.ts';
import { type Accounted, readAccounting, SACCT } from '../../incidents/lost/accounting.ts';
import { lostByJob } from '../../incidents/lost/lost-book.ts';
import { lostDocument } from '../../incidents/lost/lost-report.ts';
import { isInNodeList } from '../../incidents/lost/node-list.ts';
import { renderLost } from '../../incidents/report/lost-report.ts';
import type { CommandIo } from '../common/command-io.ts';
import { CommandError, type LogOptions, logDirectoryOf, mustExist } from '../common/incident-context.ts';
import { parseSince } from '../common/since.ts';
import { asOfMs } from '../incidents/writer.ts';

export interface ReportOptions extends LogOptions {
  readonly lost?: boolean;
  readonly html?: string;
  readonly since: string;
  readonly sacct?: string;
  readonly node?: string;
  readonly json?: boolean;
}

const LISTED = 20_000;
const LARGEST_ACCOUNTING = 256 * 1024 * 1024;
const WIDTH = 100;

export async function reportLost(options: ReportOptions, io: CommandIo): Promise<void> {
  const sinceMs = parseSince(options.since, io.now());
  if (sinceMs === null)
    throw new CommandError(2, `FL3123 --since "${options.since}" is not a time: write 10m, 2h, 3d or 2026-11-27T14:30:00Z`); // biome-ignore format: one line
  const directory = await logDirectoryOf(options);
  await mustExist(directory);
  const { incidents, warnings } = await loadIncidents(directory, {
    limit: LISTED,
    withEvents: () => false,
    evidence: false,
  });
  const runs = await loadRuns(directory);
  for (const warning of warnings.list()) io.stderr.write(`${warning}\n`);
  if (warnings.unreadable > 0) io.status(1);
  const node = options.node ?? incidents.at(-1)?.host ?? runs.at(-1)?.host ?? hostname();
  const accounted = options.sacct === undefined ? null : await accountingOf(options.sacct, node, io);
  const window = { sinceMs, untilMs: asOfMs(await signOfLife(directory, io.now()), io.now()) };
  const document = lostDocument(lostByJob(incidents, runs, window), accounted, window);
  if (options.json === true) {
    io.stdout.write(`${jsonLine(document)}\n`);
    return;
  }
  for (const line of renderLost(document, io.stdout.columns ?? WIDTH, io.timeZone)) io.stdout.write(`${line}\n`);
}

/** What the file says of this node. */
async function accountingOf(path: string, node: string, io: CommandIo): Promise<readonly Accounted[]> {
  const all = readAccounting(await textOf(path));
  if (all === null)
    throw new CommandError(1, `FL3130 ${path} is neither what sacct --json writes nor --parsable2 with its head. Write it with: ${SACCT}`); // biome-ignore format: one line
  const here = all.filter(({ nodeList }) => nodeList === '' || isInNodeList(nodeList, node));
  if (here.length === 0 && all.length > 0)
    io.stderr.write(`none of the ${all.length} jobs in ${path} ran on ${node}: name this node with --node\n`);
  return here;
}

async function textOf(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > LARGEST_ACCOUNTING)
      throw new Error(`it has more than ${LARGEST_ACCOUNTING} bytes: ask for a shorter time`);
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new CommandError(1, `FL3130 ${path} could not be read: ${errorText(error)}`);
  }
}
