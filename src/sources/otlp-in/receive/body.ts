// Body: the bytes of one request, collected within its limits: its own, those of all together, and a deadline.

import type { Readable } from 'node:stream';
import { gunzip, type InputType, type ZlibOptions } from 'node:zlib';
import { errorCode } from '../../../helpers/error-code.ts';
import { type Budget, Busy, type Holding } from '../../../helpers/http/budget.ts';
import { Refusal } from '../wire/refusal.ts';

const MADE_ROOM = 'too many requests at once, and this one was not whole. Send it again a moment later';
const RETRY_MS = 1000;

/** Held bytes go back to the budget with `release`, which may be called again. */
export class Body {
  readonly #budget: Budget;
  readonly #most: number;
  readonly #extra: number;
  readonly #parts: Buffer[] = [];
  #length = 0;
  #held: Holding | null = null;

  /** `extra`: bytes that come around the request. */
  constructor(budget: Budget, most: number, extra: number) {
    this.#budget = budget;
    this.#most = most;
    this.#extra = extra;
  }

  /** All that comes; throws a refusal, after which the rest is not read. `ended` is aborted with the reason to refuse it. */
  read(stream: Readable, sender: string, ended: AbortSignal): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => {
        stream.off('data', take);
        stream.pause();
        reject(error);
      };
      const held = this.#budget.holding(() => fail(new Busy(MADE_ROOM, RETRY_MS)));
      this.#held = held;
      held.sender = sender;
      const take = (part: Buffer): void => {
        try {
          this.#length += part.length;
          if (this.#length > this.#most + this.#extra) throw tooLarge(this.#most);
          held.add(part.length);
          this.#parts.push(part);
        } catch (error) {
          fail(error);
        }
      };
      stream.once('end', () => {
        held.whole();
        resolve(Buffer.concat(this.#parts));
      });
      stream.once('error', fail);
      stream.once('close', () => fail(gone()));
      ended.addEventListener('abort', () => fail(ended.reason), { once: true });
      if (ended.aborted) fail(ended.reason);
      else if (stream.destroyed) fail(gone());
      else stream.on('data', take);
    });
  }

  /** Pays for itself: for the most that it may be, of which what is too much comes back; what cannot be inflated may have been the most. */
  async inflate(bytes: Buffer, sender: string): Promise<Buffer> {
    this.#budget.spend(this.#most, sender);
    this.#held?.add(this.#most);
    const inflated = await gunzipped(bytes, { maxOutputLength: this.#most });
    this.#budget.owe(inflated.length - this.#most, sender);
    this.#held?.giveBack(this.#most - inflated.length);
    return inflated;
  }

  release(): void {
    this.#held?.release();
  }
}

export function tooLarge(most: number): Refusal {
  return new Refusal(
    'too_large',
    `the request is longer than ${most} bytes (sources.otlp_in.max_request). Send smaller batches`,
  );
}

function gone(): Refusal {
  return new Refusal('malformed', 'the connection ended in the middle of a request');
}

function gunzipped(bytes: InputType, options: ZlibOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gunzip(bytes, options, (error, result) => {
      if (error === null) resolve(result);
      else if (errorCode(error) === 'ERR_BUFFER_TOO_LARGE') reject(tooLarge(options.maxOutputLength ?? 0));
      else reject(new Refusal('malformed', 'the body is not gzip, though its encoding says so. Check the compression'));
    });
  });
}
