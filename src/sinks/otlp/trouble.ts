// Trouble: what keeps requests from the collector or the disk, told once when it begins and once when it is over.

import type { Logger } from 'pino';
import type { Signal } from '../../config/otel-environment.ts';
import type { Answer } from './send/answer.ts';

const ADVICE = {
  unreachable: ['FL3201', 'Check that the collector runs and that the endpoint is right'],
  deadline: ['FL3201', 'The collector does not answer in time: look at its load, or raise otlp.timeout'],
  busy: ['FL3201', 'The collector asks to wait: look at its memory limiter and queues'],
  failing: ['FL3201', "Look at the collector's own log"],
  certificate: [
    'FL3202',
    'Check otlp.ca_file, certificate_file and key_file, and the names in the certificate of the collector',
  ],
  shut: ['FL3203', 'Check otlp.headers and that the endpoint takes this signal over this protocol'],
} as const;

const DISK_ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: free space there',
  EDQUOT: 'the disk quota is used up: free space there',
  EROFS: 'the file system is read-only: look for storage errors in the kernel log',
  EACCES: 'the daemon may not write there: give its user the directory',
  ENOTDIR: 'a part of that path is no directory',
  EHANG: 'the disk hangs: look for storage stalls in the kernel log',
};

/** Tells FL3201 to FL3210 of one signal. */
export class Trouble {
  readonly #signal: Signal;
  readonly #endpoint: string;
  readonly #directory: string;
  readonly #logger: Pick<Logger, 'warn' | 'info'>;
  #present: string | null = null;
  #why = '';
  #disk = false;
  readonly #told = new Set<string>();

  constructor(signal: Signal, endpoint: string, directory: string, logger: Pick<Logger, 'warn' | 'info'>) {
    this.#signal = signal;
    this.#endpoint = endpoint;
    this.#directory = directory;
    this.#logger = logger;
  }

  /** Why nothing is taken at present, null where requests are taken. */
  get why(): string | null {
    return this.#present === null ? null : this.#why;
  }

  answer(answer: Answer): void {
    if (answer.is === 'taken') {
      this.#over();
      if (answer.rejected > 0) {
        const what = `rejected ${answer.rejected} ${this.#signal} items of a request it took: ${answer.message}`;
        this.#once(
          'FL3205',
          `the collector at ${this.#endpoint} ${what}. They are not sent again; look at its own log`,
        );
      }
      return;
    }
    if (answer.is === 'refused') {
      const what = `refused a ${this.#signal} request for good: ${answer.why}`;
      this.#once(
        'FL3204',
        `the collector at ${this.#endpoint} ${what}. It is given up and counted; look at its own log`,
      );
      return;
    }
    const [code, advice] = ADVICE[answer.is === 'shut' ? 'shut' : answer.trouble];
    this.#why = answer.why;
    if (this.#present === code) return;
    this.#present = code;
    this.#warn(
      code,
      `${this.#signal} cannot be sent to ${this.#endpoint}: ${answer.why}. ${advice}; meanwhile they are kept`,
    );
  }

  disk(error: unknown): void {
    if (this.#disk) return;
    this.#disk = true;
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const advice = DISK_ADVICE[code] ?? 'look for storage errors in the kernel log';
    this.#warn(
      'FL3206',
      `${this.#directory} cannot be used (${code}); ${advice}. Meanwhile ${this.#signal} wait in memory, up to 4 MiB`,
    );
  }

  diskWorks(): void {
    if (!this.#disk) return;
    this.#disk = false;
    this.#logger.info({ code: 'FL3208' }, `FL3208 ${this.#directory} can be used again`);
  }

  dropped(reason: string): void {
    this.#once('FL3207', `the oldest ${this.#signal} requests that wait are given up and counted: ${reason}`);
  }

  damaged(bytes: number): void {
    this.#warn('FL3210', `${this.#directory} held ${bytes} bytes that are no whole request; the rest is sent`);
  }

  leftOut(most: number): void {
    this.#once('FL3209', `more than ${most} series: further ones are not sent. Raise otlp.metrics.max_series`);
  }

  #over(): void {
    this.#told.delete('FL3207');
    if (this.#present === null) return;
    this.#present = null;
    this.#logger.info({ code: 'FL3208' }, `FL3208 ${this.#signal} are sent to ${this.#endpoint} again`);
  }

  #once(code: string, text: string): void {
    if (this.#told.has(code)) return;
    this.#told.add(code);
    this.#warn(code, text);
  }

  #warn(code: string, text: string): void {
    this.#logger.warn({ code, signal: this.#signal }, `${code} ${text}`);
  }
}
