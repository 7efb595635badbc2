// Calendar source: looks for changed calendars, and reports their entries as planned work from begin to end.

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { errorCode } from '../../helpers/error-code.ts';
import { errorText } from '../../helpers/error-text.ts';
import { readStart } from '../../helpers/read-start.ts';
import type { Emit } from '../../model/record.ts';
import { type DeclaredPlan, DeclaredPlans } from '../declared-plans.ts';
import { trusted } from '../files/trusted.ts';
import type { Source, SourceHealth } from '../source.ts';
import { readCalendar } from './read-calendar.ts';
import type { CalendarFile, CalendarSettings } from './settings.ts';

const SOURCE = 'calendar';
const MOST_BYTES = 1024 * 1024;
/** Also one that did not change: what begins later comes nearer. */
const AGAIN_MS = 6 * 3_600_000;

interface State {
  readonly stamp: string;
  readonly readMs: number;
  readonly plans: readonly DeclaredPlan[];
  readonly trouble: {
    readonly status: SourceHealth['status'];
    readonly detail: string;
    readonly remedy: string;
  } | null;
  readonly notes: readonly string[];
}

export interface CalendarOptions {
  readonly host: string;
  readonly now: () => number;
  readonly steady: (wallMs: number) => number;
}

export class CalendarSource implements Source {
  readonly name = SOURCE;
  readonly #settings: CalendarSettings;
  readonly #options: CalendarOptions;
  readonly #states = new Map<string, State>();
  readonly #plans: DeclaredPlans;
  #emit: Emit | null = null;
  #timer: NodeJS.Timeout | null = null;
  #looking = false;

  constructor(settings: CalendarSettings, options: CalendarOptions) {
    this.#settings = settings;
    this.#options = options;
    this.#plans = new DeclaredPlans(SOURCE, options.now, () => this.#emit);
  }

  start(emit: Emit, signal: AbortSignal): void {
    this.#emit = emit;
    signal.addEventListener('abort', () => void this.stop(), { once: true });
    this.#timer = setInterval(() => void this.#look(), this.#settings.intervalMs).unref();
    void this.#look();
  }

  health(): readonly SourceHealth[] {
    return this.#settings.files.map(({ path }): SourceHealth => {
      const state = this.#states.get(path);
      const source = `${SOURCE}/${path}`;
      if (state === undefined) return { source, status: 'works', detail: 'starting', remedy: null };
      if (state.trouble !== null) return { source, ...state.trouble };
      const detail = `${state.plans.length} entries for this host in the next 14 days`;
      return { source, status: 'works', detail, remedy: null, notes: state.notes };
    });
  }

  async stop(): Promise<void> {
    this.#emit = null;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#plans.stop();
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      for (const file of this.#settings.files) await this.#read(file);
      if (this.#emit !== null)
        this.#plans.set([...this.#states.values()].flatMap(({ plans }) => plans).sort((a, b) => a.fromMs - b.fromMs));
    } catch (error) {
      this.#emit?.failed?.(error);
    } finally {
      this.#looking = false;
    }
  }

  /** What cannot be read any more keeps the plans that it had: a file that is being replaced ends no maintenance. */
  async #read(file: CalendarFile): Promise<void> {
    const { path } = file;
    const nowMs = this.#options.now();
    const before = this.#states.get(path);
    const kept = before?.plans ?? [];
    const keep = (status: SourceHealth['status'], detail: string, remedy: string): void => {
      this.#states.set(path, { stamp: '', readMs: nowMs, plans: kept, trouble: { status, detail, remedy }, notes: [] });
    };
    const trust = await trusted(path);
    if (trust === null) return keep('absent', `${path} is not there`, `put it there, or take it out of sources.calendar.files`); // biome-ignore format: one line
    if (trust.doubt !== null) {
      this.#states.set(path, { stamp: '', readMs: nowMs, plans: [], trouble: { status: 'failed', detail: `not read: ${trust.doubt}`, remedy: `sudo chown root: ${path} && sudo chmod 644 ${path}` }, notes: [] }); // biome-ignore format: one record
      return;
    }
    try {
      await using handle = await open(trust.path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
      const info = await handle.stat();
      if (!info.isFile()) return keep('failed', `${path} is not a regular file`, 'name the file itself');
      if (info.size > MOST_BYTES)
        return keep('failed', `${path} has more than 1 MiB`, 'leave entries out that are over');
      const stamp = `${info.ino} ${info.size} ${info.mtimeMs}`;
      if (before?.stamp === stamp && nowMs - before.readMs < AGAIN_MS) return;
      const text = (await readStart(handle, MOST_BYTES)).toString('utf8');
      const { host, steady } = this.#options;
      const { plans, elsewhere, doubts } = readCalendar(text, file, { host, nowMs, steady });
      const notes = [...(elsewhere === 0 ? [] : [`${elsewhere} entries do not name this host`]), ...doubts];
      this.#states.set(path, { stamp, readMs: nowMs, plans, trouble: null, notes });
    } catch (error) {
      const denied = errorCode(error) === 'EACCES';
      const remedy = denied ? `sudo setfacl -m u:faultline:r ${path}` : 'it must be a calendar as RFC 5545 has it';
      keep(denied ? 'no_permission' : 'failed', errorText(error).slice(0, 200), remedy);
    }
  }
}
