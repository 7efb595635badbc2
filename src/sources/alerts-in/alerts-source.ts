// Alerts source: listens on its addresses, takes an address up when it becomes free, and reports what comes.

import type { AddressInfo } from 'node:net';
import { errorText } from '../../helpers/error-text.ts';
import { BACKLOG, type BoundedServer, boundedServer } from '../../helpers/http/bounded-server.ts';
import type { Emit } from '../../model/record.ts';
import type { Address } from '../address.ts';
import type { SourceLogger } from '../context.ts';
import { removeSocket } from '../own-socket.ts';
import type { Source, SourceCounts, SourceHealth } from '../source.ts';
import { AlertDesk, type DeskOptions } from './alert-desk.ts';
import { Intake } from './intake.ts';
import type { AlertsInSettings } from './settings.ts';

const SOURCE = 'alerts-in';
const RETRY_MS = 10_000;
const EXPIRE_LOOK_MS = 15_000;

export interface AlertsOptions extends Pick<DeskOptions, 'now' | 'steady' | 'placeOf'> {
  readonly logger: SourceLogger;
}

interface Place {
  readonly address: Address;
  server: BoundedServer | null;
  trouble: string | null;
}

export class AlertsSource implements Source {
  readonly name = SOURCE;
  readonly #settings: AlertsInSettings;
  readonly #options: AlertsOptions;
  readonly #places: readonly Place[];
  readonly #counts = { refused: 0, evicted: 0 };
  #desk: AlertDesk | null = null;
  #intake: Intake | null = null;
  #timers: NodeJS.Timeout[] = [];
  #stopped = false;

  constructor(settings: AlertsInSettings, options: AlertsOptions) {
    this.#settings = settings;
    this.#options = options;
    this.#places = settings.listen.map((address) => ({ address, server: null, trouble: null }));
  }

  /** The ports that are listened on. */
  get ports(): readonly number[] {
    return this.#places.flatMap(({ server }) => {
      const address = server?.server.address() as AddressInfo | string | null | undefined; // by Node's docs
      return typeof address === 'object' && address !== null ? [address.port] : [];
    });
  }

  start(emit: Emit, signal: AbortSignal): void {
    const { trust, expireMs, tokenDigest, generic } = this.#settings;
    this.#desk = new AlertDesk({ ...this.#options, trust, expireMs }, emit);
    this.#intake = new Intake({ desk: this.#desk, tokenDigest, generic, wallMs: () => Date.now() });
    signal.addEventListener('abort', () => void this.stop(), { once: true });
    this.#timers.push(setInterval(() => this.#desk?.expire(), EXPIRE_LOOK_MS).unref());
    void this.#listen();
  }

  health(): readonly SourceHealth[] {
    const open = this.#places.filter(({ server }) => server !== null).map(({ address }) => address.text);
    const troubles = this.#places.flatMap(({ address, trouble }) =>
      trouble === null ? [] : [`${address.text}: ${trouble}`],
    );
    const { alerts = 0, elsewhere = 0, crowded = 0 } = this.#desk?.counts ?? {};
    const refused = this.#intake?.refused ?? 0;
    const more = [
      `${alerts} alerts, ${this.#desk?.firing ?? 0} firing`,
      ...(elsewhere === 0 ? [] : [`${elsewhere} of other hosts or of nothing known here`]),
      ...(crowded === 0 ? [] : [`${crowded} too many`]),
      ...(refused === 0 ? [] : [`${refused} requests refused`]),
    ];
    const last = this.#intake?.lastRefusal ?? null;
    return [
      {
        source: SOURCE,
        status: troubles.length === 0 ? 'works' : open.length > 0 ? 'partial' : 'failed',
        detail: troubles.length > 0 ? troubles.join('; ') : `listens on ${open.join(', ')}: ${more.join(', ')}`,
        remedy:
          troubles.length === 0
            ? null
            : 'free the address, or change sources.alerts_in.listen; it is tried every ten seconds',
        ...(last === null ? {} : { notes: [`last refusal: ${last}`] }),
      },
    ];
  }

  counts(): readonly SourceCounts[] {
    const { elsewhere = 0, crowded = 0 } = this.#desk?.counts ?? {};
    return [
      {
        source: SOURCE,
        reads: this.#intake?.requests ?? 0,
        failures: this.#intake?.refused ?? 0,
        lost: elsewhere + crowded,
      },
    ];
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers.splice(0)) clearTimeout(timer);
    await Promise.all(this.#places.map(({ server }) => server?.close()));
  }

  async #listen(): Promise<void> {
    for (const place of this.#places) {
      if (place.server !== null) continue;
      try {
        const server = await this.#server(place.address);
        if (this.#stopped) return void server.close();
        place.server = server;
        place.trouble = null;
      } catch (error) {
        const trouble = errorText(error);
        if (place.trouble === null)
          this.#options.logger.warn({ address: place.address.text, reason: trouble }, 'alerts cannot be taken');
        place.trouble = trouble;
      }
    }
    if (this.#stopped || this.#places.every(({ server }) => server !== null)) return;
    this.#timers.push(setTimeout(() => void this.#listen(), RETRY_MS).unref());
  }

  async #server(address: Address): Promise<BoundedServer> {
    const tls = 'path' in address ? null : this.#settings.tls;
    const bounded = boundedServer(
      (request, response) => void this.#intake?.answer(request, response),
      this.#counts,
      tls === null ? {} : { make: await (await import('./over-tls.ts')).overTls(tls) },
    );
    const { server } = bounded;
    if ('path' in address) await removeSocket(address.path);
    // A socket must never exist with wider rights, not even for a moment: it is bound inside listen().
    const mask = process.umask(0o117);
    try {
      const listening = new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.once('listening', resolve);
      });
      const where = 'path' in address ? { path: address.path } : { host: address.host, port: address.port };
      server.listen({ ...where, exclusive: true, backlog: BACKLOG });
      process.umask(mask);
      await listening;
    } catch (error) {
      await bounded.close();
      throw error;
    } finally {
      process.umask(mask);
    }
    // From here on an error is an accept that failed: that client's trouble.
    server.removeAllListeners('error').on('error', () => {});
    return bounded;
  }
}
