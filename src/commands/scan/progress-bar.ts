// Progress bar: how much of the input was read, on a terminal alone.

const EVERY_MS = 100;
const WIDTH = 24;

export interface BarStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export class ProgressBar {
  readonly #stream: BarStream;
  readonly #total: number;
  readonly #startedMs = performance.now();
  #shownMs = Number.NEGATIVE_INFINITY;
  #read = 0;
  #shown = false;

  /** `total`: bytes, 0 where that is not known. */
  constructor(stream: BarStream, total: number) {
    this.#stream = stream;
    this.#total = total;
  }

  read(bytes: number): void {
    this.#read += bytes;
    if (this.#stream.isTTY !== true) return;
    const nowMs = performance.now();
    // What is done at once needs no bar.
    if (nowMs - this.#startedMs < 5 * EVERY_MS || nowMs - this.#shownMs < EVERY_MS) return;
    this.#shownMs = nowMs;
    this.#shown = true;
    const seconds = (nowMs - this.#startedMs) / 1000;
    const speed = `${(this.#read / 1e6 / seconds).toFixed(0)} MB/s`;
    const share = this.#total > 0 ? Math.min(1, this.#read / this.#total) : null;
    const done =
      share === null
        ? ''
        : `${'#'.repeat(Math.floor(share * WIDTH)).padEnd(WIDTH, '.')} ${Math.floor(share * 100)} %  `;
    this.#stream.write(`\r\u001b[K${done}${(this.#read / 1e6).toFixed(0)} MB, ${speed}`);
  }

  end(): void {
    if (this.#shown) this.#stream.write('\r\u001b[K');
  }
}
