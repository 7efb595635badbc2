// OTLP source: listens on its addresses, takes an address up when it becomes free, and reports what comes.

import { errorCode } from '../../helpers/error-code.ts';
import { errorText } from '../../helpers/error-text.ts';
import type { Emit } from '../../model/record.ts';
import type { SourceLogger } from '../context.ts';
import type { Source, SourceCounts, SourceHealth } from '../source.ts';
import type { OpenDoors } from './doors.ts';
import { Listener } from './listen/listener.ts';
import { Receiver } from './receive/receiver.ts';
import type { OtlpInSettings } from './settings.ts';

const SOURCE = 'otlp-in';
const RETRY_MS = 10_000;

export interface OtlpOptions {
  readonly logger: SourceLogger;
  /** What becomes of what comes; made when the source starts. */
  readonly doors: (emit: Emit) => OpenDoors;
}

interface Place {
  readonly text: string;
  listener: Listener | null;
  trouble: string | null;
}

export class OtlpSource implements Source {
  readonly name = SOURCE;
  readonly #settings: OtlpInSettings;
  readonly #options: OtlpOptions;
  readonly #places: readonly Place[];
  #receiver: Receiver | null = null;
  #doors: OpenDoors | null = null;
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(settings: OtlpInSettings, options: OtlpOptions) {
    this.#settings = settings;
    this.#options = options;
    this.#places = settings.listen.map(({ text }) => ({ text, listener: null, trouble: null }));
  }

  /** Where it listens, with the ports that were given: for tests and health. */
  get addresses(): readonly { readonly text: string; readonly port: number | null }[] {
    return this.#places.flatMap(({ text, listener }) => (listener === null ? [] : [{ text, port: listener.port }]));
  }

  start(emit: Emit, signal: AbortSignal): void {
    const { maxRequestBytes, maxInFlightBytes, bytesPerSecond } = this.#settings;
    this.#doors = this.#options.doors(emit);
    this.#receiver = new Receiver({
      maxRequestBytes,
      mostBytes: maxInFlightBytes,
      bytesPerSecond,
      doors: this.#doors,
      onFailure: (error) => emit.failed?.(error),
    });
    signal.addEventListener('abort', () => void this.stop(), { once: true });
    void this.#listen(this.#receiver);
  }

  health(): readonly SourceHealth[] {
    const counts = this.#receiver?.counts;
    const open = this.#places.filter(({ listener }) => listener !== null).map(({ text }) => text);
    const troubles = this.#places.flatMap(({ text, trouble }) => (trouble === null ? [] : [`${text}: ${trouble}`]));
    const taken = `${counts?.requests ?? 0} requests of ${this.#doors?.seen() ?? 'no services'}`;
    const refused = counts === undefined || counts.refused === 0 ? '' : `, ${counts.refused} refused`;
    const last = this.#receiver?.lastRefusal ?? null;
    return [
      {
        source: SOURCE,
        status: troubles.length === 0 ? 'works' : open.length > 0 ? 'partial' : 'failed',
        detail: troubles.length > 0 ? troubles.join('; ') : `listens on ${open.join(', ')}: ${taken}${refused}`,
        remedy:
          troubles.length > 0
            ? 'free the address, or change sources.otlp_in.listen; it is tried every ten seconds'
            : null,
        notes: [...(last === null ? [] : [`last refusal: ${last}`]), ...(this.#doors?.notes() ?? [])],
      },
    ];
  }

  counts(): readonly SourceCounts[] {
    const { requests = 0, refused = 0, rejected = 0 } = this.#receiver?.counts ?? {};
    return [{ source: SOURCE, reads: requests, failures: refused, lost: rejected }];
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#doors?.stop();
    for (const { listener } of this.#places) listener?.close();
  }

  async #listen(receiver: Receiver): Promise<void> {
    for (const [i, place] of this.#places.entries()) {
      const address = this.#settings.listen[i];
      if (place.listener !== null || address === undefined) continue;
      const listener = new Listener(address, receiver);
      try {
        await listener.listen();
        if (this.#stopped) return listener.close();
        place.listener = listener;
        place.trouble = null;
      } catch (error) {
        listener.close();
        const inUse = errorCode(error) === 'EADDRINUSE';
        const trouble = inUse ? 'another program listens there' : errorText(error);
        if (place.trouble === null)
          this.#options.logger.warn({ address: place.text, reason: trouble }, 'OTLP cannot be taken');
        place.trouble = trouble;
      }
    }
    if (this.#stopped || this.#places.every(({ listener }) => listener !== null)) return;
    this.#timer = setTimeout(() => void this.#listen(receiver), RETRY_MS).unref();
  }
}
