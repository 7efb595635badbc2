// Server loads: inference servers whose log shows more requests than they serve, which no part is at fault for and makes no incident.

import { basename } from 'node:path';
import { type OverloadLine, parseOverloadLine, roomFor } from '../../detection/text/service/overload-line.ts';
import { parsePromptLine, parseServerLine, type ServerLine } from '../../detection/text/service/server-line.ts';
import { clockText } from '../../incidents/report/when.ts';
import { plain } from '../../model/plain.ts';
import { SCAN_ZONE } from './zone.ts';

/** A queue that is as long as ever after so long does not drain by itself; what came at once and is served within it does. */
const LASTS_MS = 60_000;
/** Where the cache is full, no further request can begin before another ends. */
const LASTS_FULL_MS = 30_000;
const FULL = 0.97;
const FREE = 0.9;
/** A shorter queue, or one of less than a quarter of what runs, costs a request little. */
const LEAST_WAITING = 4;
const SHARE_OF_RUNNING = 0.25;
/** Within a minute. One a minute is as usual (SGLang's guide to its settings). */
const LEAST_PREEMPTED = 10;
const LEAST_REFUSED = 5;
const MOST_LINES = 1024;
const MOST_SERVERS = 64;
const MOST_SENTENCES = 3;

interface Queue {
  readonly timeMs: number;
  readonly waiting: number;
  readonly running: number;
  readonly generation: number | null;
  readonly cache: number | null;
}

/** Requests of one meaning: how many in the last minute, and in all. */
class Counted {
  all = 0;
  fromMs = 0;
  toMs = 0;
  mostInAMinute = 0;
  #last: { readonly timeMs: number; readonly count: number }[] = [];
  #total: number | null = null;

  take(timeMs: number, { count, total }: Pick<OverloadLine, 'count' | 'total'>): void {
    // Of a server that counts on, the line is of all since its last one.
    const own = total !== null && this.#total !== null && total > this.#total ? total - this.#total : count;
    this.#total = total;
    if (this.all === 0) this.fromMs = timeMs;
    this.all += own;
    this.toMs = timeMs;
    this.#last = [...this.#last, { timeMs, count: own }].filter((one) => timeMs - one.timeMs < LASTS_MS).slice(-MOST_LINES); // biome-ignore format: one rule
    this.mostInAMinute = Math.max(
      this.mostInAMinute,
      this.#last.reduce((sum, one) => sum + one.count, 0),
    );
  }
}

class Server {
  readonly preempted = new Counted();
  readonly refused = new Counted();
  /** Where the queue was longest of the times that it did not drain. */
  longest: (Queue & { readonly before: Queue | null; readonly engine: number }) | null = null;
  drainedMs: number | null = null;
  readonly #engines = new Map<number, { since: Queue | null; before: Queue | null; last: Queue[] }>();

  take(engineNumber: number, line: Queue): void {
    const engine = this.#engines.get(engineNumber) ?? { since: null, before: null, last: [] };
    if (this.#engines.size < MOST_SERVERS) this.#engines.set(engineNumber, engine);
    const waits = line.waiting >= Math.max(LEAST_WAITING, SHARE_OF_RUNNING * line.running);
    if (!waits) {
      if (engine.since !== null && this.longest?.engine === engineNumber && this.drainedMs === null)
        this.drainedMs = line.timeMs;
      Object.assign(engine, { since: null, before: line, last: [] });
      return;
    }
    engine.since ??= line;
    const lasts = line.cache !== null && line.cache >= FULL ? LASTS_FULL_MS : LASTS_MS;
    engine.last = [...engine.last, line].filter(({ timeMs }) => line.timeMs - timeMs <= LASTS_MS).slice(-MOST_LINES);
    const isNoShorter = engine.last.every(
      ({ timeMs, waiting }) => line.timeMs - timeMs > lasts || waiting <= line.waiting,
    );
    if (line.timeMs - engine.since.timeMs < lasts || !isNoShorter) return;
    if (this.longest !== null && this.longest.waiting >= line.waiting) return;
    this.longest = { ...line, before: engine.before, engine: engineNumber };
    this.drainedMs = null;
  }

  get hasSeveral(): boolean {
    return this.#engines.size > 1;
  }
}

export class ServerLoads {
  readonly #servers = new Map<string, { readonly input: string; readonly name: string; readonly server: Server }>();

  take(input: string, timeMs: number, text: string): void {
    const line = parseServerLine(text) ?? ofPrompts(text);
    if (line !== null && line.waiting !== null) {
      const { running, waiting, cacheUsage: cache, generation } = line;
      this.#of(input, line.server)?.take(line.engine, { timeMs, running, waiting, cache, generation });
      return;
    }
    const overload = line === null ? parseOverloadLine(text) : null;
    if (overload !== null) this.#of(input, overload.server)?.[overload.means].take(timeMs, overload);
  }

  #of(input: string, name: string): Server | null {
    const key = `${input}\0${name}`;
    const known = this.#servers.get(key);
    if (known !== undefined) return known.server;
    if (this.#servers.size >= MOST_SERVERS) return null;
    const server = new Server();
    this.#servers.set(key, { input, name, server });
    return server;
  }

  /** A sentence for each that had more than it serves. */
  get sentences(): string[] {
    return [...this.#servers.values()]
      .flatMap(({ input, name, server }) => sentence(input, name, server) ?? [])
      .slice(0, MOST_SENTENCES);
  }
}

/** SGLang's lines of what it reads in have its queue as well. */
function ofPrompts(text: string): (Omit<ServerLine, 'generation'> & { readonly generation: null }) | null {
  const prompts = parsePromptLine(text);
  return prompts === null ? null : { ...prompts, generation: null, running: 0, cacheUsage: null, prefixHits: null };
}

function sentence(
  input: string,
  name: string,
  { longest, drainedMs, preempted, refused, hasSeveral }: Server,
): string | null {
  const room = roomFor(name);
  const isPreempted = preempted.mostInAMinute >= LEAST_PREEMPTED;
  const isRefused = refused.mostInAMinute >= LEAST_REFUSED;
  if (room === null || (longest === null && !isPreempted && !isRefused)) return null;
  const said = [
    ...(longest === null ? [] : queueWords(longest, hasSeveral)),
    ...(preempted.all === 0 || (longest === null && !isPreempted) ? [] : [`${counted(preempted.all, 'request')} had to make room for others${spanOf(preempted)}`]),
    ...(refused.all === 0 ? [] : [`${counted(refused.all, 'request')} ${refused.all === 1 ? 'was' : 'were'} refused${spanOf(refused)}`]),
  ]; // biome-ignore format: one part a line
  const over = drainedMs === null ? '' : `, until ${clockText(drainedMs, SCAN_ZONE)} ${SCAN_ZONE}`;
  return `${plain(basename(input), 120)}: ${room.name} had more requests than it serves${over}: ${said.join('; ')}. Do: send it less, or add a replica; else ${hasFreeCache(longest) ? (room.slots ?? room.more) : room.more}. Call: who runs this ${room.name}`;
}

function queueWords({ waiting, running, timeMs, cache, generation, before, engine }: NonNullable<Server['longest']>, hasSeveral: boolean): string[] {
  const was = before === null ? '' : `; ${before.waiting} waited at ${clockText(before.timeMs, SCAN_ZONE)}`;
  const speed = generation === null ? [] : [`${Math.round(generation)} tokens/s${before === null || before.generation === null || before.generation <= generation ? '' : ` (${Math.round(before.generation)} before)`}`];
  return [
    `${counted(waiting, 'request')} waited${hasSeveral ? ` for engine ${engine}` : ''} at ${clockText(timeMs, SCAN_ZONE)} ${SCAN_ZONE} (${running} ran${was})`,
    ...(cache === null ? [] : [`its KV cache was ${(cache * 100).toFixed(cache < FULL ? 0 : 1)} % full`]),
    ...speed,
  ];
} // biome-ignore format: texts

/** What keeps requests waiting is then how many may run, not room for them. */
function hasFreeCache(longest: Server['longest']): boolean {
  return longest !== null && longest.cache !== null && longest.cache < FREE;
}

function spanOf({ fromMs, toMs }: Counted): string {
  const from = clockText(fromMs, SCAN_ZONE);
  const to = clockText(toMs, SCAN_ZONE);
  return from === to ? ` at ${from}` : ` from ${from} to ${to}`;
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}
