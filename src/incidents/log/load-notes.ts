// Load notes: what people said, as the log holds it, in its order and each once.

import type { Note } from '../../model/note.ts';
import { NOTE_SCHEMA, noteFromDocument } from '../../model/note-document.ts';
import { parseLine, readLog, Warnings } from './read.ts';

/** Notes kept; of more the oldest are left out. */
const MOST_NOTES = 20_000;
const MARK = Buffer.from(`"${NOTE_SCHEMA}"`);
const HEAD_BYTES = 64;

/**
 * Never throws for what the files hold; throws where the directory cannot be read. Lines that cannot be read are told
 * by whoever reads the incidents of the same log. `newestFiles` as in `loadIncidents`.
 */
export async function loadNotes(directory: string, newestFiles?: number): Promise<readonly Note[]> {
  const notes = new Map<string, Note>();
  const take = (line: Buffer | null): void => {
    if (line === null || !line.subarray(0, HEAD_BYTES).includes(MARK)) return;
    const note = noteFromDocument(parseLine(line));
    // The first place counts: a file begins with what is still in force, said again.
    if (note === null || notes.has(note.id)) return;
    notes.set(note.id, note);
    for (const oldest of notes.keys()) {
      if (notes.size <= MOST_NOTES) break;
      notes.delete(oldest);
    }
  };
  await readLog(directory, take, new Warnings(), newestFiles);
  return [...notes.values()];
}
