// Reports the GPU-hours that jobs had and lost, from the incident log, and holds them against Slurm's accounting.

import { readFile, stat } from 'node:fs/promises';
import { readTrouble } from '../../helpers/files/file-trouble.ts';
import { jsonLine } from '../../incidents/log/json-line.ts';
import { type Accounted, readAccounting, SACCT } from '../../incidents/lost/accounting.ts';
import { lostOf } from '../../incidents/lost/lost-report.ts';
import { isInNodeList } from '../../incidents/lost/node-list.ts';
import { renderLost } from '../../incidents/report/lost-report.ts';
import type { CommandIo } from '../common/command-io.ts';
import { CommandError, type LogOptions } from '../common/incident-context.ts';
import { reportWindow } from './report-window.ts';

export interface ReportOptions extends LogOptions {
  readonly lost?: boolean;
  readonly html?: string;
  readonly since: string;
  readonly sacct?: string;
  readonly node?: string;
  readonly json?: boolean;
}

const LARGEST_ACCOUNTING = 256 * 1024 * 1024;
const WIDTH = 100;

export async function reportLost(options: ReportOptions, io: CommandIo): Promise<void> {
  const { incidents, runs, node, window } = await reportWindow(options, io, false);
  const accounted = options.sacct === undefined ? null : await accountingOf(options.sacct, node, io);
  const document = lostOf(incidents, runs, accounted, window);
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
    throw new CommandError(
      1,
      `FL3130 ${path} could not be read: ${readTrouble(error, path, `Write it with: ${SACCT}`)}`,
    );
  }
}
