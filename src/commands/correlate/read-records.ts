// Reads the three files; a record that cannot be used is left out with a line that says which one and why.

import { readFileSync, statSync } from 'node:fs';
import { errorText } from '../../helpers/error-text.ts';
import { plain } from '../../model/plain.ts';
import { CommandError } from '../common/run-command.ts';
import { eventOf, mappingOf, spanOf, takePoint } from './fields.ts';
import type { Records, Span } from './records.ts';
import { SeriesMaker } from './series.ts';

/** A year of a large site is far below. */
const MOST_BYTES = 512 * 1024 * 1024;
/** More lines than a person reads; the rest is counted. */
const MOST_WARNINGS = 20;

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
  const traces = objectOf(files.traces, 'service_metrics');
  const spans: Span[] = [];
  if (withSpans && Array.isArray(traces.spans))
    takeGood(files.traces, 'spans', traces.spans, (span) => spans.push(spanOf(span)), warn);
  const isSpansAlone = spans.length > 0 && traces.service_metrics === undefined;
  const series = new SeriesMaker();
  if (!isSpansAlone) takeEach(traces, files.traces, 'service_metrics', (point) => takePoint(point, series), warn);
  const mappings = listOf(files.topology, 'mappings', mappingOf, warn);
  return { events, services: series.made(), mappings, spans };
}

/** The records of one list. Throws CommandError where the file cannot be used, or none of its records. */
export function listOf<T>(path: string, key: string, of: (value: unknown) => T, warn: Warn): T[] {
  return listIn(objectOf(path, key), path, key, of, warn);
}

/** The object at the top of a file. */
function objectOf(path: string, key: string): Raw {
  const root = parsed(path);
  if (typeof root !== 'object' || root === null || Array.isArray(root)) {
    throw new CommandError(1, `FL1501 ${path} has no JSON object at its top: {"${key}": [...]} is wanted`);
  }
  return root as Raw;
}

function listIn<T>(root: Raw, path: string, key: string, of: (value: unknown) => T, warn: Warn): T[] {
  const list: T[] = [];
  takeEach(root, path, key, (value) => list.push(of(value)), warn);
  return list;
}

/** Gives each record of a list to `take`. Throws CommandError where there is no list, or `take` threw for all of it. */
function takeEach(root: Raw, path: string, key: string, take: (value: unknown) => void, warn: Warn): void {
  const raw = root[key];
  if (!Array.isArray(raw)) {
    const what = raw === undefined ? 'has no' : 'has something else than a list as';
    throw new CommandError(1, `FL1503 ${path} ${what} "${key}": {"${key}": [...]} is wanted`);
  }
  if (takeGood(path, key, raw, take, warn) > 0) return;
  throw new CommandError(1, `FL1503 ${path} has no record that can be used under "${key}"`);
}

/** How many could be used; the others are named. */
function takeGood(
  path: string,
  key: string,
  list: readonly unknown[],
  take: (value: unknown) => void,
  warn: Warn,
): number {
  let bad = 0;
  for (let index = 0; index < list.length; index += 1) {
    try {
      take(list[index]);
    } catch (error) {
      bad += 1;
      if (bad <= MOST_WARNINGS) warn(`FL1502 ${path}: ${key}[${index}] is left out: ${plain(errorText(error), 300)}`);
    }
  }
  if (bad > MOST_WARNINGS) warn(`FL1502 ${path}: ${bad - MOST_WARNINGS} more records of ${key} are left out`);
  return list.length - bad;
}

function parsed(path: string): unknown {
  let text: string;
  try {
    const stat = statSync(path);
    // One of a shell's <(...) has a writer already; any other may wait for one for ever.
    if (stat.isFIFO() && !/^\/(?:dev|proc\/(?:self|\d+))\/(?:fd\/\d+|stdin)$/.test(path))
      throw new Error('it is a FIFO, which may never have a writer. Write it into a file, or use <(...)');
    const { size } = stat;
    if (size > MOST_BYTES) throw new Error(`it has ${size} bytes, ${MOST_BYTES} are the most`);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandError(1, `FL1504 ${path} cannot be read: ${errorText(error)}`);
  }
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
