// Body: the bytes of one request, collected within its limits: its own, those of all together, and a deadline.

import type { Readable } from 'node:stream';
import { gunzip, type InputType, type ZlibOptions } from 'node:zlib';
import { errorCode } from '../../../helpers/error-code.ts';
import type { Budget, Holding } from '../../../helpers/http/budget.ts';
import { Refusal } from '../wire/refusal.ts';

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

  /** All that comes; throws a refusal, after which the rest is not read. */
  async read(stream: Readable): Promise<Buffer> {
    const held = this.#budget.holding(() => stream.destroy());
    this.#held = held;
    for await (const part of stream.iterator({ destroyOnReturn: false })) {
      const bytes = Buffer.from(part);
      this.#length += bytes.length;
      if (this.#length > this.#most + this.#extra) throw tooLarge(this.#most);
      held.add(bytes.length);
      this.#parts.push(bytes);
    }
    held.whole();
    return Buffer.concat(this.#parts);
  }

  /** Pays for itself: what came before, and the rest when it is known; for what cannot be inflated, the most that it may have been. */
  async inflate(bytes: Buffer): Promise<Buffer> {
    this.#budget.spend(bytes.length);
    this.#held?.add(this.#most);
    let length = this.#most;
    const inflated = await gunzipped(bytes, { maxOutputLength: this.#most })
      .then((whole) => {
        length = whole.length;
        return whole;
      })
      .finally(() => this.#budget.owe(length));
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

function gunzipped(bytes: InputType, options: ZlibOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gunzip(bytes, options, (error, result) => {
      if (error === null) resolve(result);
      else if (errorCode(error) === 'ERR_BUFFER_TOO_LARGE') reject(tooLarge(options.maxOutputLength ?? 0));
      else reject(new Refusal('malformed', 'the body is not gzip, though its encoding says so. Check the compression'));
    });
  });
}
