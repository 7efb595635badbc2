// Server lines: what inference servers print of their throughput every few seconds, and that they start, by catalog/job.

import { FRAMEWORKS, type LoadField, type LoadWords } from '../job/framework.ts';
import { readFinite } from '../job/number.ts';

const MAX_TAIL = 512;

/** Absent is null; ratios 0 to 1. */
export interface ServerLine {
  /** Which engine of several (data parallel) reports it; 0 where there is one. */
  readonly engine: number;
  /** Tokens per second of all requests together. */
  readonly generation: number;
  readonly prompt: number | null;
  readonly running: number;
  readonly waiting: number | null;
  readonly cacheUsage: number | null;
}

const LOADS = FRAMEWORKS.flatMap(([, { server }]) => (server === undefined ? [] : [loadReader(server.load)]));
const STARTS = FRAMEWORKS.flatMap(([, { server }]) => server?.starts ?? []);

/** Null for other lines. */
export function parseServerLine(line: string): ServerLine | null {
  for (const read of LOADS) {
    const found = read(line);
    if (found !== null) return found;
  }
  return null;
}

function loadReader({ marker, begins, engine, fields: names }: LoadWords): (line: string) => ServerLine | null {
  const engineNumber = new RegExp(`\\b${engine}(\\d{1,4})\\b`);
  return (line) => {
    const start = line.indexOf(marker ?? begins);
    const at = start < 0 ? -1 : line.indexOf(begins, start);
    if (at < 0) return null;
    const fields = fieldsOf(line.slice(at, at + MAX_TAIL));
    const number = (field: LoadField): number | null => {
      const name = names[field]?.find((word) => fields.has(word));
      return name === undefined ? null : readFinite(fields.get(name));
    };
    const percent = number('cache_usage_percent');
    return serverLine({
      engine: engineNumber.exec(line.slice(0, start))?.[1],
      generation: number('generation'),
      prompt: number('prompt'),
      running: number('running'),
      waiting: number('waiting'),
      cacheUsage: percent === null ? number('cache_usage') : percent / 100,
    });
  };
}

/** The server starts, perhaps with another model or other settings. */
export function isServerStart(line: string): boolean {
  return STARTS.some((words) => line.includes(words));
}

function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const part of text.split(',')) {
    const colon = part.lastIndexOf(':');
    if (colon > 0) fields.set(part.slice(0, colon).trim(), part.slice(colon + 1));
  }
  return fields;
}

interface Read extends Omit<ServerLine, 'engine' | 'generation' | 'running'> {
  readonly engine: string | undefined;
  readonly generation: number | null;
  readonly running: number | null;
}

function serverLine({ engine, generation, running, ...rest }: Read): ServerLine | null {
  if (generation === null || running === null || generation < 0 || running < 0) return null;
  return { engine: Number(engine ?? 0), generation, running, ...rest };
}
