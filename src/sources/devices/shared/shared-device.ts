// A device that several hosts watch and one of them polls: who holds its lease looks for all, the others take what he saw. To its poller it
// is a device like any other, whoever looks.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { errorText } from '../../../helpers/error-text.ts';
import { replaceOwn } from '../../../helpers/files/own-file.ts';
import type { Discovery, Emit, EventInput, SampleBatch } from '../../../model/record.ts';
import { trusted } from '../../files/trusted.ts';
import type { SourceHealth } from '../../source.ts';
import { DeviceError } from '../poll-answer.ts';
import type { Device, Look, Pace } from '../poller.ts';
import type { ReachChange } from '../reachability.ts';
import { Lease } from './lease.ts';
import { readShared } from './read-shared.ts';
import {
  isOf,
  KEPT_LOOKS,
  MOST_PARTS,
  readLooks,
  SHARED_SCHEMA,
  type SharedLook,
  type SharedLooks,
  type SharedScope,
  samplesOf,
} from './shared-looks.ts';

const MOST_BYTES = 4 * 1024 * 1024;
const LEAST_TTL_MS = 10_000;
const TTL_INTERVALS = 5;
/** A clock that is further off than this is taken off. ms */
const FAR_MS = 2000;
const MOST_DELAYS = 20;

export interface SharedDeviceOptions {
  readonly folder: string;
  readonly name: string;
  readonly host: string;
  /** What of it the others take. */
  readonly scope: SharedScope;
  /** Steady epoch ms. */
  readonly now: () => number;
}

/** The device does not answer the one who asks it, or the folder cannot be used. */
export class SharedTrouble extends DeviceError {
  readonly code: string;
  readonly fault: string;
  readonly remedy: string | null;
  readonly afterwards = 'retry';

  constructor(code: string, text: string, remedy: string | null = null) {
    super(text);
    this.code = code;
    this.fault = code;
    this.remedy = remedy;
  }
}

export class SharedDevice implements Device {
  readonly name: string;
  readonly what: string;
  readonly logFields: object;
  readonly pace: Pace;
  readonly #device: Device;
  readonly #options: SharedDeviceOptions;
  readonly #lease: Lease;
  readonly #path: string;
  readonly #run = randomBytes(8).toString('hex');
  #number = 0;
  #looks: SharedLook[] = [];
  readonly #parts = new Map<string, Discovery>();
  /** Of the holder whose looks are taken. */
  #taken = { run: '', number: -1 };
  #delays: number[] = [];
  #looked = false;

  constructor(device: Device, options: SharedDeviceOptions) {
    const { name, what, logFields, pace } = device;
    this.name = name;
    this.what = what;
    this.logFields = logFields;
    this.pace = pace;
    this.#device = device;
    this.#options = options;
    this.#path = join(options.folder, `${options.name}.looks`);
    const ttlMs = Math.max(LEAST_TTL_MS, TTL_INTERVALS * pace.intervalMs);
    this.#lease = new Lease({ ...options, ttlMs });
  }

  async look(look: Look): Promise<void> {
    await this.#refuseOpenFolder();
    const held = await this.#lease.hold().catch((error: unknown) => {
      throw this.#unusable(error);
    });
    this.#looked = true;
    await (held ? this.#own(look) : this.#others(look));
  }

  reachEvent(change: ReachChange, nowMs: number): EventInput {
    return this.#device.reachEvent(change, nowMs);
  }

  health(): Omit<SourceHealth, 'source'> | null {
    if (!this.#looked) return null;
    const note = `it is polled by ${this.#lease.holder ?? 'none of them yet'} for all hosts that share ${this.#options.folder}`;
    if (this.#lease.isHeld) {
      const health = this.#device.health();
      return health === null ? null : { ...health, notes: [...(health.notes ?? []), note] };
    }
    return { status: 'works', detail: `${this.#parts.size} parts, ${note}`, remedy: null };
  }

  async close(): Promise<void> {
    await this.#lease.release();
    await this.#device.close();
  }

  async #own(look: Look): Promise<void> {
    const seen = { batches: [] as SampleBatch[], events: [] as EventInput[] };
    const emit: Emit = {
      ...(look.emit.failed === undefined ? {} : { failed: (error: unknown) => look.emit.failed?.(error) }),
      text: (record) => look.emit.text(record),
      samples(batch) {
        seen.batches.push(batch);
        look.emit.samples(batch);
      },
      event(event) {
        seen.events.push(event);
        look.emit.event(event);
      },
      discovery: (discovery) => {
        const { type, id } = discovery.component;
        const key = `${type}/${id}`;
        if (this.#parts.has(key) || this.#parts.size < MOST_PARTS) this.#parts.set(key, discovery);
        look.emit.discovery(discovery);
      },
    };
    let failure: SharedLooks['failure'] = null;
    try {
      await this.#device.look({ ...look, emit, answered: () => look.answered() });
    } catch (error) {
      if (error instanceof DeviceError) failure = { code: error.code, text: error.message };
      throw error;
    } finally {
      await this.#share(seen, failure).catch(() => undefined); // the lease says next time that the folder is gone
    }
  }

  async #share(seen: { batches: SampleBatch[]; events: EventInput[] }, failure: SharedLooks['failure']): Promise<void> {
    const { scope } = this.#options;
    const samples = seen.batches.flatMap(({ keys, timesMs, values }) =>
      keys.flatMap((key, i) => (isOf(key, scope) ? [{ key, timeMs: timesMs[i] ?? 0, value: values[i] ?? 0 }] : [])),
    );
    const look: SharedLook = {
      number: this.#number++,
      keys: samples.map(({ key }) => key),
      timesMs: samples.map(({ timeMs }) => timeMs),
      values: samples.map(({ value }) => value),
      events: seen.events,
    };
    this.#looks = [...this.#looks, look].slice(-KEPT_LOOKS);
    const document: SharedLooks = {
      schema: SHARED_SCHEMA,
      host: this.#options.host,
      run: this.#run,
      writtenMs: this.#options.now(),
      failure,
      looks: this.#looks,
      parts: [...this.#parts.values()],
    };
    await replaceOwn(this.#path, JSON.stringify(document), { sync: false });
  }

  async #others(look: Look): Promise<void> {
    // What a host that died left is not of now, whatever its times say.
    if (!this.#lease.isAlive) return;
    const value = await readShared(this.#path, MOST_BYTES).catch((error: unknown) => {
      throw this.#unusable(error);
    });
    const nowMs = this.#options.now();
    const shiftMs = this.#shift(value, nowMs);
    const shared = readLooks(value, shiftMs, nowMs, this.#options.scope);
    if (look.signal.aborted || shared === null || shared.run === this.#run) return;
    const again = shared.run === this.#taken.run;
    if (!again) this.#taken = { run: shared.run, number: -1 };
    for (const part of shared.parts) {
      const key = `${part.component.type}/${part.component.id}`;
      // A holder that names others at each look does not fill us.
      if (this.#parts.has(key) || this.#parts.size >= MOST_PARTS) continue;
      this.#parts.set(key, part);
      look.emit.discovery(part);
    }
    for (const one of shared.looks) {
      if (one.number <= this.#taken.number) continue;
      this.#taken.number = one.number;
      const batch = samplesOf(one, this.#options.scope);
      if (batch !== null) look.emit.samples(batch);
      for (const event of one.events) look.emit.event(event);
    }
    if (shared.failure !== null)
      throw new SharedTrouble(shared.failure.code, `${shared.failure.text} (asked by ${shared.host})`);
  }

  /** Where others may write they put back what was true yesterday, or hold the lease for ever, though each file is still ours. */
  async #refuseOpenFolder(): Promise<void> {
    const { folder } = this.#options;
    const doubt = (await trusted(folder))?.doubt ?? null;
    if (doubt !== null)
      throw new SharedTrouble('FL2120', `FL2120 ${folder}, by which hosts agree on who polls ${this.name}, is not used: ${doubt}`, `sudo chown faultline: ${folder} && sudo chmod 700 ${folder}, its folders being root's; or remove shared_folder, and each host polls.`); // biome-ignore format: one line
  }

  /** What is to be added to the holder's times: nothing where his clock is as right as ours. */
  #shift(value: unknown, nowMs: number): number {
    const shared = readLooks(value, 0, nowMs, this.#options.scope);
    if (shared === null) return 0;
    this.#delays = [...this.#delays, nowMs - shared.writtenMs].slice(-MOST_DELAYS);
    const least = Math.min(...this.#delays);
    return Math.abs(least) > Math.max(FAR_MS, this.pace.intervalMs) ? least : 0;
  }

  #unusable(error: unknown): SharedTrouble {
    const { folder } = this.#options;
    return new SharedTrouble(
      'FL2120',
      `FL2120 ${folder}, by which hosts agree on who polls ${this.name}, cannot be used: ${errorText(error)}`,
      'Make the folder writable for the user of the service on all hosts, under one user id; or remove shared_folder, and each host polls.',
    );
  }
}
