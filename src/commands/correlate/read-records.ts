// Reads the three files; a record that cannot be used is left out with a line that says which one and why.

import { readFileSync, statSync } from 'node:fs';
import { errorText } from '../../helpers/error-text.ts';
import { readTrouble } from '../../helpers/files/file-trouble.ts';
import { plain } from '../../model/plain.ts';
import { CommandError } from '../common/run-command.ts';
import { eventOf, mappingOf, spanOf, takePoint } from './fields.ts';
import { readInPieces } from './read-in-pieces.ts';
import type { Records, Span } from './records.ts';
import { SeriesMaker } from './series.ts';

/** A year of a large site is far below. */
const MOST_BYTES = 512 * 1024 * 1024;
/** More lines than a person reads; the rest is counted. */
const MOST_WARNINGS = 20;

const WAY_OUT = 'Write it into a file, or use <(...)';
const FORM = 'Name a file of the form that faultline correlate --help shows';

type Raw = Readonly<Record<string, unknown>>;
type Warn = (line: string) => void;

export interface Files {
  readonly events: string;
  readonly traces: string;
  readonly topology: string;
}

/**
 * Reads the three files; without `withSpans` spans are left alone, and readings must be there.
 * @param warn gets one line a record that was left out, without its end. @throws CommandError where a file cannot be used.
 */
export function readRecords(files: Files, warn: Warn, withSpans = false): Records {
  const events = listOf(files.events, 'events', eventOf, warn);
  const { root: traces, series, taker } = readingsOf(files.traces);
  const spans: Span[] = [];
  if (withSpans && Array.isArray(traces.spans)) {
    const ofSpans = new Taker(files.traces, 'spans', (span) => spans.push(spanOf(span)));
    ofSpans.take(traces.spans);
    ofSpans.end(warn);
  }
  const isSpansAlone = spans.length > 0 && traces[METRICS] === undefined;
  if (!isSpansAlone) {
    taker.take(listIn(traces, files.traces, METRICS));
    taker.end(warn, true);
  }
  const mappings = listOf(files.topology, 'mappings', mappingOf, warn);
  return { events, services: series.made(), mappings, spans };
}

const METRICS = 'service_metrics';

/** What is in memory at once of a small file does not count. */
const LARGE_BYTES = 1024 * 1024;

/** The traces, and a taker that has had all readings but those that are under their key. */
function readingsOf(path: string): { root: Raw; series: SeriesMaker; taker: Taker } {
  const empty = () => {
    const series = new SeriesMaker();
    return { series, taker: new Taker(path, METRICS, (point) => takePoint(point, series)) };
  };
  const made = empty();
  const root = access(path, () => {
    const stat = statSync(path);
    const isLarge = stat.isFile() && stat.size > LARGE_BYTES && stat.size <= MOST_BYTES;
    return isLarge ? readInPieces(path, METRICS, (records) => made.taker.take(records)) : null;
  });
  if (root !== null) return { root, ...made };
  return { root: objectOf(path, METRICS), ...empty() };
}

/** The records of one list. Throws CommandError where the file cannot be used, or none of its records. */
export function listOf<T>(path: string, key: string, of: (value: unknown) => T, warn: Warn): T[] {
  const list: T[] = [];
  const taker = new Taker(path, key, (value) => list.push(of(value)));
  taker.take(listIn(objectOf(path, key), path, key));
  taker.end(warn, true);
  return list;
}

/** The object at the top of a file. */
function objectOf(path: string, key: string): Raw {
  const root = parsed(path);
  if (typeof root !== 'object' || root === null || Array.isArray(root)) {
    throw new CommandError(1, `FL1501 ${path} has no JSON object at its top: {"${key}": [...]} is wanted`);
  }
  return root as Raw;
}

function listIn(root: Raw, path: string, key: string): readonly unknown[] {
  const list = root[key];
  if (Array.isArray(list)) return list;
  const what = list === undefined ? 'has no' : 'has something else than a list as';
  throw new CommandError(1, `FL1503 ${path} ${what} "${key}": {"${key}": [...]} is wanted`);
}

/** Takes the records of one list that can be used, and says in the end which cannot. */
class Taker {
  readonly #path: string;
  readonly #key: string;
  readonly #of: (value: unknown) => void;
  readonly #warnings: string[] = [];
  #count = 0;
  #bad = 0;

  /** @param of throws an Error for a record that cannot be used. */
  constructor(path: string, key: string, of: (value: unknown) => void) {
    this.#path = path;
    this.#key = key;
    this.#of = of;
  }

  /** The next ones of the list. */
  take(records: readonly unknown[]): void {
    for (let index = 0; index < records.length; index += 1) {
      try {
        this.#of(records[index]);
      } catch (error) {
        this.#bad += 1;
        const record = `${this.#path}: ${this.#key}[${this.#count + index}]`;
        if (this.#bad <= MOST_WARNINGS)
          this.#warnings.push(`FL1502 ${record} is left out: ${plain(errorText(error), 300)}`);
      }
    }
    this.#count += records.length;
  }

  /** Throws CommandError where some are needed and there are none. */
  end(warn: Warn, isNeeded = false): void {
    for (const warning of this.#warnings) warn(warning);
    const more = this.#bad - MOST_WARNINGS;
    if (more > 0) warn(`FL1502 ${this.#path}: ${more} more records of ${this.#key} are left out`);
    if (isNeeded && this.#bad === this.#count)
      throw new CommandError(1, `FL1503 ${this.#path} has no record that can be used under "${this.#key}"`);
  }
}

function parsed(path: string): unknown {
  const text = access(path, () => {
    const stat = statSync(path);
    // One of a shell's <(...) has a writer already; any other may wait for one for ever.
    if (stat.isFIFO() && !/^\/(?:dev|proc\/(?:self|\d+))\/(?:fd\/\d+|stdin)$/.test(path))
      throw Object.assign(new Error('it is a FIFO, which may never have a writer'), { remedy: WAY_OUT });
    if (stat.size > MOST_BYTES) throw new Error(`it has ${stat.size} bytes, ${MOST_BYTES} are the most`);
    return readFileSync(path, 'utf8');
  });
  try {
    return JSON.parse(text);
  } catch (error) {
    // Python writes NaN and Infinity, which JSON has no words for.
    const named = text.replace(/"(?:[^"\\]|\\.)*"|-?(?:NaN|Infinity)/g, (part) =>
      part.startsWith('"') ? part : `"${part}"`,
    );
    try {
      if (named !== text) return JSON.parse(named);
    } catch {
      // The first message is about what is in the file.
    }
    throw new CommandError(1, `FL1505 ${path} is not JSON: ${plain(errorText(error), 300)}`);
  }
}

/** What `read` gives. Throws CommandError where the file cannot be read. */
function access<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new CommandError(1, `FL1504 ${path} cannot be read: ${readTrouble(error, path, FORM)}`);
  }
}
