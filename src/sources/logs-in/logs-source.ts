// Logs source: what log shippers send over HTTP, each record by what it says of job, pod, program and kernel.

import { chmodSync } from 'node:fs';
import { errorCode } from '../../helpers/error-code.ts';
import { errorText } from '../../helpers/error-text.ts';
import { BACKLOG, type BoundedServer } from '../../helpers/http/bounded-server.ts';
import { Budget } from '../../helpers/http/budget.ts';
import { Turns } from '../../helpers/http/turns.ts';
import type { WorkView } from '../../identity/work/work.ts';
import type { Emit } from '../../model/record.ts';
import type { Address } from '../address.ts';
import { removeSocket } from '../own-socket.ts';
import type { Source, SourceCounts, SourceHealth } from '../source.ts';
import { recordLine } from '../text-in/record-line.ts';
import { takeRecord } from '../text-in/take-record.ts';
import { TextIntake } from '../text-in/text-intake.ts';
import { type DoorOptions, shipperDoor } from './door.ts';
import type { LogsInSettings } from './settings.ts';

const SOURCE = 'logs-in';
const RETRY_MS = 10_000;
const MIB = 1024 * 1024;
/** Of all shippers together. */
const BYTES = { mostBytes: 32 * MIB, bytesPerSecond: 16 * MIB };
/** What anybody sends is a tenant's word. */
const SOCKET_MODE = 0o666;

export interface LogsOptions {
  readonly host: string;
  readonly now: () => number;
  readonly steady: (wallMs: number) => number;
  readonly kernel: () => boolean;
  readonly view: () => WorkView;
}

interface Open {
  readonly address: Address;
  server: BoundedServer | null;
  trouble: string | null;
}

export class LogsSource implements Source {
  readonly name = SOURCE;
  readonly #settings: LogsInSettings;
  readonly #options: LogsOptions;
  readonly #intake: TextIntake;
  readonly #places: Open[];
  readonly #counts = { requests: 0, refused: 0, evicted: 0 };
  readonly #budget = new Budget(BYTES);
  readonly #turns = new Turns();
  #records = 0;
  #emit: Emit | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(settings: LogsInSettings, options: LogsOptions) {
    this.#settings = settings;
    this.#options = options;
    const { host, now, steady, kernel } = options;
    const { hosts, linesPerSecond } = settings;
    this.#intake = new TextIntake({ source: SOURCE, host, hosts, now, steady, kernel, linesPerSecond });
    this.#places = settings.listen.map((address) => ({ address, server: null, trouble: null }));
  }

  /** The ports that were given where 0 was asked for. */
  get ports(): readonly (number | null)[] {
    return this.#places.map(({ server }) => {
      const bound = server?.server.address() ?? null;
      return typeof bound === 'object' && bound !== null ? bound.port : null;
    });
  }

  start(emit: Emit, signal: AbortSignal): void {
    this.#emit = emit;
    signal.addEventListener('abort', () => void this.stop(), { once: true });
    const { work, shippers = [] } = this.#settings;
    let position = 0;
    void this.#listen((records, sender) => {
      this.#records += records.length;
      const taking = {
        intake: this.#intake,
        emit,
        way: 'logs',
        view: this.#options.view,
        work,
        passed: { sender, shippers },
        position,
      };
      this.#intake.each(records, (record) => {
        const line = recordLine(record);
        if (line !== null && this.#emit !== null) takeRecord(line, taking);
      });
      position = taking.position;
    });
  }

  health(): readonly SourceHealth[] {
    const troubles = this.#places.flatMap(({ address, trouble }) => (trouble === null ? [] : [`${address.text}: ${trouble}`])); // biome-ignore format: one line
    const open = this.#places.filter(({ server }) => server !== null).map(({ address }) => address.text);
    if (troubles.length + open.length < this.#places.length)
      return [{ source: SOURCE, status: 'absent', detail: 'starting', remedy: null }];
    const refused = this.#counts.refused === 0 ? '' : `, ${this.#counts.refused} requests refused`;
    const taken = `${this.#records} records, ${this.#intake.taken} lines taken${refused}${this.#intake.leftOut()}`;
    return [
      {
        source: SOURCE,
        status: troubles.length === 0 ? 'works' : open.length > 0 ? 'partial' : 'failed',
        detail: troubles.length > 0 ? troubles.join('; ') : `listens on ${open.join(', ')}: ${taken}`,
        remedy: troubles.length > 0 ? 'free the address, or change sources.logs_in.listen; it is tried every ten seconds' : null,
      },
    ]; // biome-ignore format: short enough
  }

  counts(): readonly SourceCounts[] {
    return [{ source: SOURCE, reads: this.#records, failures: this.#counts.refused, lost: this.#intake.tooFast }];
  }

  async stop(): Promise<void> {
    this.#emit = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await Promise.all(this.#places.map(({ server }) => server?.close()));
  }

  async #listen(take: DoorOptions['take']): Promise<void> {
    for (const open of this.#places) {
      if (open.server !== null || this.#emit === null) continue;
      const server = shipperDoor({ counts: this.#counts, budget: this.#budget, turns: this.#turns, take });
      try {
        await bound(server.server, open.address);
        open.server = server;
        open.trouble = null;
      } catch (error) {
        void server.close();
        open.trouble = errorCode(error) === 'EADDRINUSE' ? 'another program listens there' : errorText(error);
      }
    }
    if (this.#emit === null) return this.stop();
    if (this.#places.some(({ server }) => server === null))
      this.#timer = setTimeout(() => void this.#listen(take), RETRY_MS).unref();
  }
}

async function bound(server: BoundedServer['server'], address: Address): Promise<void> {
  if ('path' in address) await removeSocket(address.path);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    const done = (): void => {
      server.off('error', reject);
      resolve();
    };
    if ('path' in address) server.listen({ path: address.path, backlog: BACKLOG }, done);
    else server.listen({ port: address.port, host: address.host, backlog: BACKLOG }, done);
  });
  if ('path' in address) chmodSync(address.path, SOCKET_MODE);
}
