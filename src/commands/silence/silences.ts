// Adds, ends and lists silences: through the daemon, or in its log where none runs.

import { ask } from '../../api/client.ts';
import { formatDuration } from '../../config/quantity.ts';
import { loadConfig } from '../../daemon/config.ts';
import { jsonLine } from '../../incidents/log/json-line.ts';
import { loadNotes } from '../../incidents/log/load-notes.ts';
import { SilenceBook } from '../../incidents/notes/silence-book.ts';
import { silenceText } from '../../incidents/report/said.ts';
import { noteFromDocument, noteToDocument } from '../../model/documents/note.ts';
import { matcherText } from '../../model/matcher.ts';
import type { Silence } from '../../model/note.ts';
import { plain } from '../../model/plain.ts';
import type { CommandIo } from '../common/command-io.ts';
import { CommandError, type LogOptions } from '../common/incident-context.ts';
import { type NoteOptions, noteAuthor, type Place, placeOf, sendNote, writeNote } from '../notes/send-note.ts';
import { checkMatchers } from './read-matchers.ts';

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
  checkMatchers(matchers, await loadConfig(options.config));
  const place = await placeOf(options);
  const by = noteAuthor(options);
  const from = options.from === undefined ? {} : { from: options.from };
  const body = { kind: 'silence', state: 'start', by, note: options.why, matchers, for_ms: options.for, ...from };
  const id = await give(place, body, io).catch((error: unknown) => {
    throw inOptions(error);
  });
  const what = `${plain(matchers.join(' '))} by ${plain(by, 64)} for ${formatDuration(options.for)}`;
  const begin = options.from === undefined ? '' : `, from ${plain(options.from, 64)} on`;
  io.stdout.write(`silence ${id} of ${what}${begin}; to end it: faultline silence end ${id.slice(0, 6)}\n`);
}

export async function endSilence(given: string, options: EndOptions, io: CommandIo): Promise<void> {
  const place = await placeOf(options);
  const found = (await inForce(place, options.config, io)).filter(({ id }) => id.startsWith(given.toLowerCase()));
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
  const silences = await inForce(await placeOf(options), options.config, io);
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

/** What is refused, in the words of the command line: the document has fields where it has options. */
function inOptions(error: unknown): unknown {
  if (!(error instanceof CommandError)) return error;
  const said = error.message.replace(/^FL3402 note /, 'FL3402 --why ').replace(/^FL3402 (by|from) /, 'FL3402 --$1 ');
  return new CommandError(error.status === 2 ? 2 : 1, said);
}

/** As the daemon has them, which knows also what a full disk has not taken; out of the log where none answers. */
async function inForce(place: Place, config: string | undefined, io: CommandIo): Promise<readonly Silence[]> {
  const known = place.sockets.length === 0 ? null : await ask('GET', '/v1/status', place.sockets).catch(() => null);
  if (typeof known === 'object' && known !== null && 'silences' in known && Array.isArray(known.silences)) {
    const notes = known.silences.map(noteFromDocument);
    return notes.flatMap((note) => (note?.kind === 'silence' ? [note] : []));
  }
  const { silences } = await loadConfig(config);
  return new SilenceBook(await loadNotes(place.log), silences).list(io.now());
}

/** The id of the note. */
async function give(place: Place, body: object, io: CommandIo): Promise<string> {
  const taken = await sendNote(place, body, io);
  if (taken !== null) return taken.id;
  const { id } = await writeNote(place, body, place.host, io);
  io.stderr.write(`no daemon runs: written into the log in ${place.log}\n`);
  return id;
}
