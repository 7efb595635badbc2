// Reports a period as one HTML file, from the incident log and what people said.

import { resolve } from 'node:path';
import { writeTrouble } from '../../helpers/files/file-trouble.ts';
import { loadNotes } from '../../incidents/log/load-notes.ts';
import { lostOf } from '../../incidents/lost/lost-report.ts';
import { NoteBook } from '../../incidents/notes/note-book.ts';
import { reliabilityOf } from '../../incidents/reliability.ts';
import { renderPeriodPage } from '../../incidents/report/html/period/period-page.ts';
import { plain } from '../../model/plain.ts';
import { redactUrls } from '../../model/redact.ts';
import type { CommandIo } from '../common/command-io.ts';
import { CommandError } from '../common/incident-context.ts';
import { placeWords } from '../common/same-place.ts';
import { writeOut } from '../common/write-out.ts';
import { silenced, silentText } from '../incidents/writer.ts';
import { heldNotifications } from './held-notifications.ts';
import type { ReportOptions } from './report-lost.ts';
import { LISTED, reportWindow } from './report-window.ts';

/** `file`: where to; "-" for standard output. */
export async function reportPage(file: string, options: ReportOptions, io: CommandIo): Promise<void> {
  const { directory, incidents, runs, node, window, sign } = await reportWindow(options, io, true);
  const { sinceMs, untilMs } = window;
  const book = new NoteBook(await loadNotes(directory), LISTED);
  const said = (id: string) => book.of(id);
  const within = incidents.filter(
    ({ state, updatedMs, openedMs, mergedInto }) =>
      mergedInto === null && openedMs <= untilMs && (state === 'open' || updatedMs >= sinceMs),
  );
  const page = renderPeriodPage({
    host: node,
    ...window,
    timeZone: io.timeZone,
    silent: silentText(sign, io.timeZone, await silenced(directory, sign, options), incidents.map(({ made }) => made)), // biome-ignore format: one line
    place: placeWords(options),
    incidents: within,
    said,
    lost: lostOf(incidents, runs, null, window),
    reliability: reliabilityOf(within, said),
    held: await heldNotifications(options, sinceMs),
  });
  const text = redactUrls(page);
  if (file === '-') {
    io.stdout.write(text);
    return;
  }
  await writeOut(file, text).catch((error: unknown) => {
    const why = writeTrouble(error, file, 'Name another file with --html');
    throw new CommandError(1, `FL3126 ${file} could not be written: ${why}`);
  });
  const kilobytes = Math.max(Math.round(Buffer.byteLength(text) / 1000), 1);
  io.stderr.write(`written: ${plain(resolve(file), 4096)}, ${kilobytes} kB. Open it in a browser, or attach it to a mail: one file, nothing is loaded and nothing runs\n`); // biome-ignore format: one line
}
