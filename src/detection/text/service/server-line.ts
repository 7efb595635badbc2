// Server lines: what vLLM and SGLang print of their throughput every few seconds, and that they start.

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

/** Null for other lines. */
export function parseServerLine(line: string): ServerLine | null {
  return parseVllm(line) ?? parseSglang(line);
}

/** "Engine 000: Avg prompt throughput: 310.2 tokens/s, Avg generation throughput: 812.5 tokens/s, Running: 21 reqs, …", every 10 s. */
function parseVllm(line: string): ServerLine | null {
  const at = line.indexOf('Avg prompt throughput:');
  if (at < 0) return null;
  const fields = fieldsOf(line.slice(at, at + MAX_TAIL));
  const usage = readFinite(fields.get('GPU KV cache usage'));
  return serverLine({
    engine: /\bEngine (\d{1,4}):/.exec(line.slice(0, at))?.[1],
    generation: readFinite(fields.get('Avg generation throughput')),
    prompt: readFinite(fields.get('Avg prompt throughput')),
    running: readFinite(fields.get('Running')),
    waiting: readFinite(fields.get('Waiting') ?? fields.get('Pending')),
    cacheUsage: usage === null ? null : usage / 100,
  });
}

/** "Decode batch. #running-req: 21, #token: 9310, token usage: 0.12, gen throughput (token/s): 812.50, #queue-req: 0". */
function parseSglang(line: string): ServerLine | null {
  const start = line.indexOf('Decode batch');
  const at = start < 0 ? -1 : line.indexOf('#running-req:', start);
  if (at < 0) return null;
  const fields = fieldsOf(line.slice(at, at + MAX_TAIL));
  return serverLine({
    engine: /\bDP(\d{1,4})\b/.exec(line.slice(0, start))?.[1],
    generation: readFinite(fields.get('gen throughput (token/s)')),
    prompt: null,
    running: readFinite(fields.get('#running-req')),
    waiting: readFinite(fields.get('#queue-req')),
    cacheUsage: readFinite(fields.get('token usage')),
  });
}

/** The server starts, perhaps with another model or other settings. */
export function isServerStart(line: string): boolean {
  return /\bvLLM API server version\b|\bInitializing an? (?:V1 )?LLM engine\b|\bserver_args=ServerArgs\(/.test(line);
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
