// Read: goes through all files of the log, oldest first, and says which lines could not be used.

import { join } from 'node:path';
import { codeOrText } from '../../helpers/error-code.ts';
import { withParts } from '../../model/documents/incident-parts.ts';
import { CURRENT, listLogFiles, openForReading } from './files.ts';
import { LineSplitter, readOn } from './lines.ts';

export interface LogPlace {
  /** Path of the file. */
  readonly path: string;
  /** Line number, from 1. */
  readonly line: number;
  /** Of its first byte. */
  readonly offset: number;
}

const WARNINGS = 100;

/** Warnings in bounded memory: the first hundred, then how many more. */
export class Warnings {
  readonly #texts: string[] = [];
  #more = 0;
  /** Files that could not be read at all. */
  unreadable = 0;

  add(text: string): void {
    if (this.#texts.length < WARNINGS) this.#texts.push(text);
    else this.#more += 1;
  }

  garbage(place: LogPlace): void {
    this.add(`FL3107 ${place.path}:${place.line} cannot be read and is skipped; the lines around it are used`);
  }

  list(): string[] {
    return this.#more === 0 ? this.#texts : [...this.#texts, `and ${this.#more} more warnings like these`];
  }
}

/** Parses a line of the log, with the parts of a revision before it; undefined where it is not a JSON object. */
export function parseLine(line: string | Buffer): Readonly<Record<string, unknown>> | undefined {
  const text = line.toString();
  if (!text.includes('\n')) return parsed(text);
  const documents = text.split('\n').map(parsed);
  const last = documents.pop();
  return last && withParts(last, documents.filter((part) => part !== undefined)); // biome-ignore format: one line
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return value as Record<string, unknown>; // an object that is not an array has fields of unknown type
  } catch {
    return undefined;
  }
}

/**
 * Calls `onLine` for each line of each file, or of the current and the `newest` ones before it; null stands for a line
 * that is too long. Empty lines are left out.
 */
export async function readLog(
  directory: string,
  onLine: (line: Buffer | null, place: LogPlace) => void,
  warnings: Warnings,
  newest = Number.POSITIVE_INFINITY,
): Promise<void> {
  const read = async (name: string): Promise<void> => {
    const path = join(directory, name);
    try {
      await readFile(path, onLine);
    } catch (error) {
      const code = codeOrText(error);
      if (code === 'ENOENT') return;
      warnings.unreadable += 1;
      warnings.add(`FL3105 ${path} could not be read (${code}); its incidents are missing here`);
    }
  };
  const { rotated, numbered } = await listLogFiles(directory);
  const last = (names: readonly string[]): readonly string[] => names.slice(Math.max(names.length - newest, 0));
  for (const name of [...last(rotated), ...last(numbered), CURRENT]) await read(name);
  // A file that was rotated while the others were read is in neither.
  const later = (await listLogFiles(directory)).rotated.filter((name) => !rotated.includes(name));
  for (const name of later) await read(name);
}

/** From the line at this place to the end of its file. Rejects where the file is not there any more. */
export async function readFrom(place: LogPlace, onLine: (line: Buffer | null) => void): Promise<void> {
  await using handle = await openForReading(place.path);
  await readOn(handle, place.offset, new LineSplitter(), (line) => {
    if (line === null || line.length > 0) onLine(line);
  });
}

/** A last line without its end is left out: it is torn, or still being written. */
async function readFile(path: string, onLine: (line: Buffer | null, place: LogPlace) => void): Promise<void> {
  await using handle = await openForReading(path);
  await readOn(handle, 0, new LineSplitter(), (line, number, offset) => {
    if (line === null || line.length > 0) onLine(line, { path, line: number, offset });
  });
}
