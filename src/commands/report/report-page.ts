// Reports a period as one HTML file, from the incident log and what people said.

import { hostname } from 'node:os';
import { codeOrText } from '../../helpers/error-code.ts';
import { signOfLife } from '../../incidents/log/alive.ts';
import { loadIncidents } from '../../incidents/log/load.ts';
import { loadNotes } from '../../incidents/log/load-notes.ts';
import { loadRuns } from '../../incidents/log/load-runs.ts';
import { lostByJob } from '../../incidents/lost/lost-book.ts';
import { lostDocument } from '../../incidents/lost/lost-report.ts';
import { NoteBook } from '../../incidents/notes/note-book.ts';
import { reliabilityOf } from '../../incidents/reliability.ts';
import { renderPeriodPage } from '../../incidents/report/html/period/period-page.ts';
import { redactUrls } from '../../model/redact.ts';
import { RefusedPath } from '../../sources/files/checked-file.ts';
import type { CommandIo } from '../common/command-io.ts';
import { CommandError, logDirectoryOf, mustExist } from '../common/incident-context.ts';
import { parseSince } from '../common/since.ts';
import { writeOut } from '../common/write-out.ts';
import { asOfMs } from '../incidents/writer.ts';
import type { ReportOptions } from './report-lost.ts';

const LISTED = 20_000;

/** `file`: where to; "-" for standard output. */
export async function reportPage(file: string, options: ReportOptions, io: CommandIo): Promise<void> {
  const sinceMs = parseSince(options.since, io.now());
  if (sinceMs === null)
    throw new CommandError(2, `FL3123 --since "${options.since}" is not a time: write 10m, 2h, 3d or 2026-11-27T14:30:00Z`); // biome-ignore format: one line
  const directory = await logDirectoryOf(options);
  await mustExist(directory);
  const { incidents, warnings } = await loadIncidents(directory, {
    limit: LISTED,
    withEvents: () => true,
    evidence: false,
  });
  for (const warning of warnings.list()) io.stderr.write(`${warning}\n`);
  if (warnings.unreadable > 0) io.status(1);
  const runs = await loadRuns(directory);
  const book = new NoteBook(await loadNotes(directory), LISTED);
  const said = (id: string) => book.of(id);
  const untilMs = asOfMs(await signOfLife(directory, io.now()), io.now());
  const within = incidents.filter(
    ({ state, updatedMs, openedMs, mergedInto }) =>
      mergedInto === null && openedMs <= untilMs && (state === 'open' || updatedMs >= sinceMs),
  );
  const window = { sinceMs, untilMs };
  const page = renderPeriodPage({
    host: options.node ?? incidents.at(-1)?.host ?? runs.at(-1)?.host ?? hostname(),
    ...window,
    timeZone: io.timeZone,
    incidents: within,
    said,
    lost: lostDocument(lostByJob(incidents, runs, window), null, window),
    reliability: reliabilityOf(within, said),
  });
  const text = redactUrls(page);
  if (file === '-') {
    io.stdout.write(text);
    return;
  }
  await writeOut(file, text).catch((error: unknown) => {
    const why = error instanceof RefusedPath ? error.message : codeOrText(error);
    throw new CommandError(1, `FL3126 ${file} could not be written (${why}): name another file with --html`);
  });
}
