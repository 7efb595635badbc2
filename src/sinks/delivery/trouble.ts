// Trouble: what keeps messages from their receiver or the disk, reported once when it begins and once when it is over.

import type { Logger } from 'pino';
import { codeOrText } from '../../helpers/error-code.ts';
import { type Difficulty, isTaken, type Outcome } from './send/outcome.ts';

/** The codes of catalog/errors.json that a sink reports its deliveries under. */
export interface TroubleCodes {
  readonly unreachable: string;
  readonly certificate: string;
  readonly closed: string;
  readonly refused: string;
  readonly partial: string;
  readonly disk: string;
  readonly dropped: string;
  readonly works: string;
  readonly damaged: string;
}

/** How a sink names what it sends and where, and what an operator can do. */
export interface Wording {
  /** What is sent, in the plural: logs, notifications. */
  readonly what: string;
  /** What one message is: "request". */
  readonly message: string;
  /** Who takes it: "the collector". */
  readonly receiver: string;
  readonly endpoint: string;
  /** The section of the configuration with the caps. */
  readonly capsSetting: string;
  readonly codes: TroubleCodes;
  /** One sentence without a full stop for each. */
  readonly advice: Readonly<Record<Difficulty | 'closed', string>>;
  /** Fields of each line of the daemon's log. */
  readonly fields: Readonly<Record<string, string>>;
}

const DISK_ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: free space there',
  EDQUOT: 'the disk quota is used up: free space there',
  EROFS: 'the file system is read-only: look for storage errors in the kernel log',
  EACCES: 'the daemon has no permission to write there: give its user the directory',
  ENOTDIR: 'a part of that path is not a directory',
  EHANG: 'the disk hangs: look for storage stalls in the kernel log',
};

export type DropReason = 'memory' | 'cap' | 'age' | 'damage' | 'size';

export class Trouble {
  readonly #wording: Wording;
  readonly #directory: string;
  readonly #logger: Pick<Logger, 'warn' | 'info'>;
  #present: string | null = null;
  #why = '';
  #disk = false;
  readonly #reported = new Set<string>();

  constructor(wording: Wording, directory: string, logger: Pick<Logger, 'warn' | 'info'>) {
    this.#wording = wording;
    this.#directory = directory;
    this.#logger = logger;
  }

  /** Why nothing is taken at present, null where messages are taken. */
  get why(): string | null {
    return this.#present === null ? null : this.#why;
  }

  outcome(outcome: Outcome): void {
    const { what, message, receiver, endpoint, codes, advice } = this.#wording;
    if (isTaken(outcome)) {
      this.#over();
      if (outcome.is === 'ok') return;
      const rejected = `rejected ${outcome.rejected} ${what} items of a ${message} it took: ${outcome.message}`;
      const text = `${receiver} at ${endpoint} ${rejected}. They are not sent again; look at its own log`;
      this.once(codes.partial, text);
      return;
    }
    if (outcome.is === 'fatal') {
      const refused = `refused a ${what} ${message} for good: ${outcome.why}`;
      const text = `${receiver} at ${endpoint} ${refused}. It is given up and counted; ${outcome.remedy ?? 'look at its own log'}`;
      this.once(codes.refused, text);
      return;
    }
    const kind = outcome.is === 'closed' ? 'closed' : outcome.difficulty;
    const code = kind === 'closed' || kind === 'certificate' ? codes[kind] : codes.unreachable;
    this.#why = outcome.why;
    if (this.#present === code) return;
    this.#present = code;
    this.#warn(
      code,
      `${what} cannot be sent to ${endpoint}: ${outcome.why}. ${outcome.remedy ?? advice[kind]}; meanwhile they are kept`,
    );
  }

  disk(error: unknown): void {
    if (this.#disk) return;
    this.#disk = true;
    const code = codeOrText(error);
    const advice = DISK_ADVICE[code] ?? 'look for storage errors in the kernel log';
    const { codes, what } = this.#wording;
    const meanwhile = `Meanwhile ${what} wait in memory, up to 4 MiB`;
    this.#warn(codes.disk, `${this.#directory} cannot be used (${code}); ${advice}. ${meanwhile}`);
  }

  diskWorks(): void {
    if (!this.#disk) return;
    this.#disk = false;
    this.#info(`${this.#directory} can be used again`);
  }

  dropped(reason: DropReason): void {
    const { what, message, codes, capsSetting } = this.#wording;
    const why = {
      memory: 'too much waits in memory',
      cap: `the cap of ${capsSetting} in bytes is reached`,
      age: `they are older than ${capsSetting} allows`,
      damage: 'they are damaged on disk',
      size: 'one is larger than 16 MiB',
    }[reason];
    this.once(codes.dropped, `the oldest ${what} ${message}s that wait are given up and counted: ${why}`);
  }

  damaged(bytes: number): void {
    const { codes, message } = this.#wording;
    this.#warn(
      codes.damaged,
      `${this.#directory} held ${bytes} bytes that are not a whole ${message}; the rest is sent`,
    );
  }

  /** Once for each code, until messages are taken again where the code is that of dropped ones. */
  once(code: string, text: string): void {
    if (this.#reported.has(code)) return;
    this.#reported.add(code);
    this.#warn(code, text);
  }

  #over(): void {
    const { what, endpoint, codes } = this.#wording;
    this.#reported.delete(codes.dropped);
    if (this.#present === null) return;
    this.#present = null;
    this.#info(`${what} are sent to ${endpoint} again`);
  }

  #info(text: string): void {
    const { works } = this.#wording.codes;
    this.#logger.info({ code: works }, `${works} ${text}`);
  }

  #warn(code: string, text: string): void {
    this.#logger.warn({ code, ...this.#wording.fields }, `${code} ${text}`);
  }
}
