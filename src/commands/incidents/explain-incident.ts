// Explains one incident: its chain, how sure it is, what was ruled out and what to do.

import { join } from 'node:path';
import { wholeVerdict } from '../../correlation/patterns/verdict.ts';
import { signOfLife } from '../../incidents/log/alive.ts';
import { CURRENT } from '../../incidents/log/files.ts';
import { loadNotes } from '../../incidents/log/load-notes.ts';
import { NoteBook } from '../../incidents/notes/note-book.ts';
import { readSamples } from '../../incidents/read-samples.ts';
import { adviceDocument, placedAction } from '../../incidents/report/advice-document.ts';
import { renderIncidentText, type Samples } from '../../incidents/report/text.ts';
import { samplesWindow } from '../../incidents/samples-csv.ts';
import { type SavedSamples, savedSamples } from '../../incidents/saved-samples.ts';
import { wholeIncidentToDocument } from '../../model/documents/incident.ts';
import { saidToDocument } from '../../model/documents/note.ts';
import type { Incident } from '../../model/incident.ts';
import { shownJson } from '../../model/shown-json.ts';
import { formatTime, parseTime } from '../../model/time.ts';
import { installationRoot } from '../../native.ts';
import type { CommandIo } from '../common/command-io.ts';
import { findIncident } from '../common/find-incident.ts';
import { give, mustBeFormat, pageOf } from '../common/give-report.ts';
import { type LogOptions, logDirectoryOf } from '../common/incident-context.ts';
import { placeWords } from '../common/same-place.ts';
import { asOfMs, silenced, silentText } from './writer.ts';

export interface ExplainOptions extends LogOptions {
  readonly format: string;
  readonly out?: string;
}

const WIDTH = 100;

export async function explainIncident(given: string, options: ExplainOptions, io: CommandIo): Promise<void> {
  const { format } = options;
  mustBeFormat(format);
  const directory = await logDirectoryOf(options);
  const incident = await findIncident(given, directory, io, true);
  const said = new NoteBook(await loadNotes(directory)).of(incident.id);
  const sign = await signOfLife(directory, io.now());
  const nowMs = asOfMs(sign, io.now());
  const silent = incident.state === 'open' && !sign.writing;
  if (format === 'json') {
    const box = windowOf(await savedSamples(incident, directory));
    const samples = box && { path: box.path, from: formatTime(box.fromMs), to: formatTime(box.toMs) };
    const document = {
      ...wholeIncidentToDocument({ ...incident, action: placedAction(incident) }, { nowMs }),
      advice: adviceDocument({ incident, nowMs, timeZone: io.timeZone, place: placeWords(options) }),
      ...(silent ? { as_of: formatTime(nowMs, 3) } : {}),
      ...saidToDocument(said),
      ...verdictOf(incident),
      ...(samples === undefined ? {} : { samples }),
    };
    return await give(`${shownJson(document)}\n`, options, io);
  }
  const silentBy = silent
    ? silentText(sign, io.timeZone, await silenced(directory, sign, options), [incident.made])
    : null;
  const box = await savedSamples(incident, directory);
  const common = {
    nowMs,
    silent: silentBy,
    timeZone: io.timeZone,
    logPath: join(directory, CURRENT),
    root: installationRoot(),
    said,
    place: placeWords(options),
  };
  if (format === 'html' || format === 'markdown') {
    const samples = box === null ? null : { path: box.path, series: readSamples(box.text) };
    const input = { ...common, incident, samples };
    return await give(await pageOf(format, input), options, io);
  }
  const text = renderIncidentText(incident, {
    ...common,
    width: options.out === undefined ? Math.min(io.stdout.columns ?? WIDTH, WIDTH) : WIDTH,
    colour: io.colour && options.out === undefined,
    samples: windowOf(box),
  });
  await give(`${text}\n`, options, io);
}

/** `pattern_verdict`, where it has a pattern; of schema catalog/pattern-verdict.schema.json. */
function verdictOf(incident: Incident): object {
  const verdict = wholeVerdict(incident);
  return verdict === null ? {} : { pattern_verdict: verdict };
}

/** Which window a black box covers; undefined where it is none. */
function windowOf(box: SavedSamples | null): Samples | undefined {
  if (box === null) return undefined;
  const window = samplesWindow(box.text);
  const [from, to] = [window?.from, window?.to].map((time) => (time === undefined ? null : parseTime(time)));
  return from && to ? { path: box.path, fromMs: from.epochMs, toMs: to.epochMs } : undefined;
}
