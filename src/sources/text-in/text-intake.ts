// TextIntake: lines that came in from elsewhere, as records of this host: whose they are, how many, and what is left out.

import { SPEAKS_OF_DEVICES } from '../../detection/text/kernel/programs.ts';
import { remember } from '../../helpers/remember.ts';
import type { Attributes } from '../../model/event.ts';
import type { Emit } from '../../model/record.ts';
import type { LineIn } from './line-in.ts';

const MOST_TEXT = 65_536;
const MOST_HOSTS = 16;
/** Lines that are looked at for each that may be taken: most of a host's log is of other programs. */
const LOOKS = 4;
/** A clock that is further ahead than this is wrong: when the line arrived counts. */
const AHEAD_MS = 60_000;

export interface IntakeOptions {
  /** Name of the source. */
  readonly source: string;
  /** Name of this host. */
  readonly host: string;
  /** Further names whose lines are this host's. */
  readonly hosts: readonly string[];
  /** Epoch ms on the steady clock. */
  readonly now: () => number;
  readonly steady: (wallMs: number) => number;
  /** Lines of this boot's kernel are wanted; false where they are read from the kernel itself. */
  readonly kernel: () => boolean;
  /** Of all lines together. */
  readonly linesPerSecond: number;
}

export class TextIntake {
  readonly #options: IntakeOptions;
  readonly #own: ReadonlySet<string>;
  readonly #others = new Map<string, number>();
  /** How many may be taken, and how many looked at, just now. */
  #left: number;
  #looks: number;
  #filledMs: number;
  /** Lines that were handed over. */
  taken = 0;
  /** Lines of other hosts. */
  ofOthers = 0;
  /** Lines of the kernel that are read from the kernel itself. */
  ofKernel = 0;
  /** Lines of programs that report nothing of devices. */
  ofPrograms = 0;
  /** Lines beyond the rate. */
  tooFast = 0;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#own = new Set([options.host, ...options.hosts].flatMap((name) => [name, shortOf(name)]).map(lower));
    this.#left = options.linesPerSecond;
    this.#looks = options.linesPerSecond * LOOKS;
    this.#filledMs = options.now();
  }

  /** Other hosts whose lines came, the newest last. */
  get others(): readonly string[] {
    return [...this.#others.keys()];
  }

  /** No further line may be taken just now: those that come are not worth being read. */
  get isFull(): boolean {
    this.#fill();
    return this.#left < 1 || this.#looks < 1;
  }

  /** Lines that came while it was full. */
  passOver(lines: number): void {
    this.tooFast += lines;
  }

  /** Gives one after the other to `take` until it is full: the rest is only counted. */
  each<T>(items: readonly T[], take: (item: T) => void): void {
    for (const [i, item] of items.entries()) {
      if (this.isFull) {
        this.passOver(items.length - i);
        return;
      }
      take(item);
    }
  }

  /** False where it was left out: `counts` says why. */
  take(line: LineIn, emit: Emit): boolean {
    this.#looks = Math.max(0, this.#looks - 1);
    if (line.text.trim() === '') return false;
    if (line.host !== null && !this.#isOwn(line.host)) {
      this.ofOthers += 1;
      remember(this.#others, line.host.slice(0, 64), 0, MOST_HOSTS);
      return false;
    }
    if (line.kernel && !line.history && !this.#options.kernel()) {
      this.ofKernel += 1;
      return false;
    }
    const ofWork = line.job !== null || (line.service ?? null) !== null;
    if (!line.kernel && !ofWork && !SPEAKS_OF_DEVICES.test(line.program ?? '')) {
      this.ofPrograms += 1;
      return false;
    }
    if (!this.#mayTake()) {
      this.tooFast += 1;
      return false;
    }
    this.taken += 1;
    this.#hand(line, emit, ofWork);
    return true;
  }

  /** ", left out: 12 of other hosts (node-4), 3 beyond 5000 a second"; empty where nothing was. */
  leftOut(): string {
    const parts = [
      [this.ofOthers, `of other hosts (${this.others.join(', ')})`],
      [this.ofKernel, 'of the kernel, which are read from /dev/kmsg'],
      [this.ofPrograms, 'of programs that report nothing of devices'],
      [this.tooFast, `beyond ${this.#options.linesPerSecond} a second`],
    ] as const;
    const shown = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
    return shown.length === 0 ? '' : `; lines left out: ${shown.join(', ')}`;
  }

  #hand(line: LineIn, emit: Emit, ofWork: boolean): void {
    const { source, now, steady } = this.#options;
    const observedMs = now();
    const timeMs = line.wallMs === null ? null : steady(line.wallMs);
    const known = timeMs !== null && timeMs <= observedMs + AHEAD_MS;
    const text = line.text.slice(0, MOST_TEXT);
    emit.text({
      source,
      trust: line.trust,
      stream: line.stream,
      position: line.position,
      timeMs: known ? timeMs : null,
      timeDigits: known ? line.digits : 0,
      observedMs,
      text: ofWork || line.kernel || line.program === null ? text : `${line.program}: ${text}`,
      attributes: attributesOf(line),
    });
  }

  #isOwn(host: string): boolean {
    const name = lower(host);
    return this.#own.has(name) || this.#own.has(shortOf(name));
  }

  #fill(): void {
    const { linesPerSecond, now } = this.#options;
    const nowMs = now();
    const more = (Math.max(0, nowMs - this.#filledMs) / 1000) * linesPerSecond;
    this.#left = Math.min(linesPerSecond, this.#left + more);
    this.#looks = Math.min(linesPerSecond * LOOKS, this.#looks + more * LOOKS);
    this.#filledMs = nowMs;
  }

  #mayTake(): boolean {
    this.#fill();
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}

function attributesOf(line: LineIn): Attributes {
  const { job, service = null, rank = null, kernel, facility, priority, history, traceId = null, spanId = null } = line;
  const more = {
    ...(line.row === undefined ? {} : { row: line.row }),
    ...(line.claimed === true ? { claimed: true } : {}),
    ...(history ? { history: true } : {}),
    ...(traceId === null ? {} : { trace_id: traceId }),
    ...(traceId === null || spanId === null ? {} : { span_id: spanId }),
  };
  if (job !== null) return { job, framework: 'auto', ...(rank === null ? {} : { writer_rank: rank }), ...more };
  if (service !== null) return { service, ...more };
  return { priority, facility: kernel ? 0 : facility || 1, ...more };
}

function lower(text: string): string {
  return text.toLowerCase();
}

/** "node-3.example.org": "node-3"; an address stays whole. */
function shortOf(name: string): string {
  return /^[\d.:]+$/.test(name) ? name : (name.split('.', 1)[0] ?? name);
}
