// Server lines: what inference servers print of their throughput every few seconds, and that they start, by catalog/job.

import { FRAMEWORKS, type Framework, type LoadField, type LoadWords } from '../job/framework.ts';
import { readFinite } from '../job/number.ts';

const MAX_TAIL = 512;

/** Absent is null; ratios 0 to 1. */
export interface ServerLine {
  readonly server: Framework;
  /** Which engine of several (data parallel) reports it; 0 where there is one. */
  readonly engine: number;
  /** Tokens per second of all requests together. */
  readonly generation: number;
  readonly prompt: number | null;
  readonly running: number;
  readonly waiting: number | null;
  readonly cacheUsage: number | null;
  readonly prefixHits: number | null;
}

/** What an engine reads in, of servers that print it in lines of their own. */
export interface PromptLine {
  readonly server: Framework;
  readonly engine: number;
  /** Tokens per second. */
  readonly prompt: number;
  readonly waiting: number | null;
}

const SERVERS = FRAMEWORKS.flatMap(([name, { server }]) => (server === undefined ? [] : [{ name, ...server }]));
const LOADS = SERVERS.map(({ name, load }) => ({ server: name, read: fieldReader(load) }));
const PROMPTS = SERVERS.flatMap(({ name, prompts }) =>
  prompts === undefined ? [] : [{ server: name, read: fieldReader(prompts) }],
);
const STARTS = SERVERS.flatMap(({ starts }) => starts);

/** Null for other lines. */
export function parseServerLine(line: string): ServerLine | null {
  for (const { server, read } of LOADS) {
    const found = read(line);
    if (found === null) continue;
    const { engine, number } = found;
    const [generation, running] = [number('generation'), number('running')];
    if (generation === null || running === null || generation < 0 || running < 0) continue;
    const percent = number('cache_usage_percent');
    const hits = number('prefix_cache_percent');
    return {
      server,
      engine,
      generation,
      running,
      prompt: number('prompt'),
      waiting: number('waiting'),
      cacheUsage: percent === null ? number('cache_usage') : percent / 100,
      prefixHits: hits === null ? null : hits / 100,
    };
  }
  return null;
}

/** Null for other lines. */
export function parsePromptLine(line: string): PromptLine | null {
  for (const { server, read } of PROMPTS) {
    const found = read(line);
    const prompt = found?.number('prompt') ?? null;
    if (found === null || prompt === null || prompt < 0) continue;
    return { server, engine: found.engine, prompt, waiting: found.number('waiting') };
  }
  return null;
}

interface Found {
  readonly engine: number;
  readonly number: (field: LoadField) => number | null;
}

function fieldReader({ marker, begins, engine, fields: names }: LoadWords): (line: string) => Found | null {
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
    return { engine: Number(engineNumber.exec(line.slice(0, start))?.[1] ?? 0), number };
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
