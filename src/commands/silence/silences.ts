// Adds, ends and lists silences: through the daemon, or in its log where none runs.

import { formatDuration } from '../../config/quantity.ts';
import { loadConfig } from '../../daemon/config.ts';
import { jsonLine } from '../../incidents/log/json-line.ts';
import { loadNotes } from '../../incidents/log/load-notes.ts';
import { SilenceBook } from '../../incidents/notes/silence-book.ts';
import { silenceText } from '../../incidents/report/said.ts';
import { noteToDocument } from '../../model/documents/note.ts';
import { matcherText, parseMatcher } from '../../model/matcher.ts';
import type { Silence } from '../../model/note.ts';
import { plain } from '../../model/plain.ts';
import type { CommandIo } from '../common/command-io.ts';
import { CommandError, type LogOptions, logDirectoryOf } from '../common/incident-context.ts';
import { type NoteOptions, noteAuthor, type Place, placeOf, sendNote, writeNote } from '../notes/send-note.ts';

export interface AddOptions extends NoteOptions {
  readonly for: number;
  readonly why: string;
  readonly from?: string;
}

export type EndOptions = NoteOptions;

export interface ListOptions extends LogOptions {
  readonly json?: boolean;
}

export async function addSilence(matchers: readonly string[], options: AddOptions, io: CommandIo): Promise<void> {
  for (const text of matchers) {
    const matcher = parseMatcher(text);
    if ('error' in matcher)
      throw new CommandError(2, `FL3402 the condition ${JSON.stringify(text.slice(0, 80))} ${matcher.error}`);
  }
  const place = await placeOf(options);
  const by = noteAuthor(options);
  const from = options.from === undefined ? {} : { from: options.from };
  const body = { kind: 'silence', state: 'start', by, note: options.why, matchers, for_ms: options.for, ...from };
  await give(place, body, io);
  const what = matchers.join(' ');
  io.stdout.write(
    `silence of ${plain(what)} by ${plain(by, 64)} for ${formatDuration(options.for)}: faultline silence list\n`,
  );
}

export async function endSilence(given: string, options: EndOptions, io: CommandIo): Promise<void> {
  const place = await placeOf(options);
  const found = (await inForce(place.log, options.config, io)).filter(({ id }) => id.startsWith(given.toLowerCase()));
  const [silence] = found;
  if (silence === undefined || found.length > 1) {
    const what = found.length > 1 ? `${found.length} silences begin with` : 'no silence in force begins with';
    throw new CommandError(
      found.length > 1 ? 2 : 1,
      `FL3405 ${what} ${plain(given, 64)}. faultline silence list has them`,
    );
  }
  await give(place, { kind: 'silence', state: 'end', by: noteAuthor(options), silence_id: silence.id }, io);
  io.stdout.write(`silence ${silence.id} is over\n`);
}

export async function listSilences(options: ListOptions, io: CommandIo): Promise<void> {
  const silences = await inForce(await logDirectoryOf(options), options.config, io);
  if (options.json === true) {
    io.stdout.write(`${jsonLine({ schema: 'faultline/silences/1', in_force: silences.map(noteToDocument) })}\n`);
    return;
  }
  for (const silence of silences)
    io.stdout.write(
      `${silence.id}  ${plain(silence.matchers.map(matcherText).join(' '))}  ${silenceText(silence, io.timeZone)}\n`,
    );
  if (silences.length === 0) io.stderr.write('nothing is silenced\n');
}

async function inForce(directory: string, config: string | undefined, io: CommandIo): Promise<readonly Silence[]> {
  const { silences } = await loadConfig(config);
  return new SilenceBook(await loadNotes(directory), silences).list(io.now());
}

async function give(place: Place, body: object, io: CommandIo): Promise<void> {
  if (await sendNote(place, body, io)) return;
  await writeNote(place, body, place.host, io);
  io.stderr.write(`no daemon runs: written into the log in ${place.log}\n`);
}
