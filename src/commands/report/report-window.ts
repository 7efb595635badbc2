// What a report is about: the incidents and runs of the log, and the time that is asked for.

import { hostname } from 'node:os';
import { signOfLife } from '../../incidents/log/alive.ts';
import { loadIncidents } from '../../incidents/log/load.ts';
import { loadRuns } from '../../incidents/log/load-runs.ts';
import type { CommandIo } from '../common/command-io.ts';
import { CommandError, type LogOptions, logDirectoryOf } from '../common/incident-context.ts';
import { parseSince } from '../common/since.ts';
import { mustHaveLog } from '../incidents/must-have-log.ts';
import { asOfMs } from '../incidents/writer.ts';

/** Incidents; more than a year of a bad host. */
export const LISTED = 20_000;

interface WindowOptions extends LogOptions {
  readonly since: string;
  readonly node?: string;
}

/** Says on standard error what of the log could not be read. */
export async function reportWindow(options: WindowOptions, io: CommandIo, withEvents: boolean) {
  const sinceMs = parseSince(options.since, io.now());
  if (sinceMs === null)
    throw new CommandError(2, `FL3123 --since "${options.since}" is not a time: write 10m, 2h, 3d or 2026-11-27T14:30:00Z`); // biome-ignore format: one line
  const directory = await logDirectoryOf(options);
  const sign = await signOfLife(directory, io.now());
  await mustHaveLog(directory, sign, options);
  const load = { limit: LISTED, withEvents: () => withEvents, evidence: false };
  const { incidents, warnings } = await loadIncidents(directory, load);
  for (const warning of warnings.list()) io.stderr.write(`${warning}\n`);
  if (warnings.unreadable > 0) io.status(1);
  const runs = await loadRuns(directory);
  const node = options.node ?? incidents.at(-1)?.host ?? runs.at(-1)?.host ?? hostname();
  // A log that ends before the time that is asked for says nothing of it.
  const window = { sinceMs, untilMs: Math.max(asOfMs(sign, io.now()), sinceMs) };
  return { directory, incidents, runs, node, window, sign };
}
