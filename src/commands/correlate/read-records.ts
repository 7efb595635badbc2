// Reads the three files; a record that cannot be used is left out with a line that says which one and why.

import { readFileSync, statSync } from 'node:fs';
import { errorText } from '../../helpers/error-text.ts';
import { plain } from '../../model/plain.ts';
import { CommandError } from '../common/run-command.ts';
import { eventOf, mappingOf, pointOf, spanOf } from './fields.ts';
import type { Records } from './records.ts';
import { seriesOf } from './series.ts';

/** A year of a large site is far below. */
const MOST_BYTES = 512 * 1024 * 1024;
/** More lines than a person reads; the rest is counted. */
const MOST_WARNINGS = 20;

export interface Files {
  readonly events: string;
  readonly traces: string;
  readonly topology: string;
}

/**
 * Reads the three files; without `withSpans` spans are left alone, and readings must be there.
 * @param warn gets one line a record that was left out, without its end. @throws CommandError where a file cannot be used.
 */
export function readRecords(files: Files, warn: (line: string) => void, withSpans = false): Records {
  const events = listOf(files.events, 'events', eventOf, warn);
  const traces = objectOf(files.traces, 'service_metrics');
  const spans = withSpans && Array.isArray(traces.spans) ? good(files.traces, 'spans', traces.spans, spanOf, warn) : [];
  const isSpansAlone = spans.length > 0 && traces.service_metrics === undefined;
  const points = isSpansAlone ? [] : listIn(traces, files.traces, 'service_metrics', pointOf, warn);
  const mappings = listOf(files.topology, 'mappings', mappingOf, warn);
  return { events, services: seriesOf(points), mappings, spans };
}

/** The records of one list. Throws CommandError where the file cannot be used, or none of its records. */
export function listOf<T>(path: string, key: string, of: (value: unknown) => T, warn: (line: string) => void): T[] {
  return listIn(objectOf(path, key), path, key, of, warn);
}

/** The object at the top of a file. */
function objectOf(path: string, key: string): Readonly<Record<string, unknown>> {
  const root = parsed(path);
  if (typeof root !== 'object' || root === null || Array.isArray(root)) {
    throw new CommandError(1, `FL1501 ${path} has no JSON object at its top: {"${key}": [...]} is wanted`);
  }
  return root as Record<string, unknown>;
}

function listIn<T>(
  root: Readonly<Record<string, unknown>>,
  path: string,
  key: string,
  of: (value: unknown) => T,
  warn: (line: string) => void,
): T[] {
  const raw = root[key];
  if (!Array.isArray(raw)) {
    const what = raw === undefined ? 'has no' : 'has something else than a list as';
    throw new CommandError(1, `FL1503 ${path} ${what} "${key}": {"${key}": [...]} is wanted`);
  }
  const list = good(path, key, raw, of, warn);
  if (list.length === 0) throw new CommandError(1, `FL1503 ${path} has no record that can be used under "${key}"`);
  return list;
}

/** The records that can be used. */
function good<T>(
  path: string,
  key: string,
  list: readonly unknown[],
  of: (value: unknown) => T,
  warn: (line: string) => void,
): T[] {
  const found: T[] = [];
  let bad = 0;
  list.forEach((value, index) => {
    try {
      found.push(of(value));
    } catch (error) {
      bad += 1;
      if (bad <= MOST_WARNINGS) warn(`FL1502 ${path}: ${key}[${index}] is left out: ${plain(errorText(error), 300)}`);
    }
  });
  if (bad > MOST_WARNINGS) warn(`FL1502 ${path}: ${bad - MOST_WARNINGS} more records of ${key} are left out`);
  return found;
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
