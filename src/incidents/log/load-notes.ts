// Load notes: what people said, as the log holds it, in its order and each once.

import { NOTE_SCHEMA, noteFromDocument } from '../../model/documents/note.ts';
import type { Note } from '../../model/note.ts';
import { parseLine, readLog, Warnings } from './read-log.ts';

/** Notes kept; of more the oldest are left out. */
const MOST_NOTES = 20_000;
const MARK = `"${NOTE_SCHEMA}"`;
const HEAD_BYTES = 64;

/**
 * Never throws for what the files hold; throws where the directory cannot be read. Lines that cannot be read are reported
 * by whoever reads the incidents of the same log. `newestFiles` as in `loadIncidents`.
 */
export async function loadNotes(directory: string, newestFiles?: number): Promise<readonly Note[]> {
  const said = new Said();
  await readLog(directory, (line) => said.take(line), new Warnings(), newestFiles);
  return said.list();
}

/** The same of lines that are read anyway. A line may come twice. */
export class Said {
  readonly #notes = new Map<string, Note>();

  take(line: Buffer | null): void {
    if (line === null || !line.toString('latin1', 0, Math.min(HEAD_BYTES, line.length)).includes(MARK)) return;
    const note = noteFromDocument(parseLine(line));
    // The first place counts: a file begins with what is still in force, said again.
    if (note === null || this.#notes.has(note.id)) return;
    this.#notes.set(note.id, note);
    for (const oldest of this.#notes.keys()) {
      if (this.#notes.size <= MOST_NOTES) break;
      this.#notes.delete(oldest);
    }
  }

  list(): readonly Note[] {
    return [...this.#notes.values()];
  }
}
