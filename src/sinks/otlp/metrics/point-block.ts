// Point block: the encoded points of one metric, kept from one export to the next. Which series a metric has hardly ever changes, so
// that of a point only its two times and its value are written again, and the rest is copied with all others at once.

import { framed, Writer } from './protobuf-writer.ts';

export interface Point {
  /** Epoch ms. */
  readonly startMs: number;
  readonly endMs: number;
  /** The encoded form is kept as long as the object lives: series hand in the same one every time. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly value: number;
  /** The stream has no value any more. */
  readonly stale?: boolean;
}

/** Two times and a double, each with its tag: what a NumberDataPoint (opentelemetry/proto/metrics/v1) has before attributes. */
const HEAD = Uint8Array.of(
  2 * 8 + 1,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  3 * 8 + 1,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  4 * 8 + 1,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
);
/** Two times, and in place of the value the flag that there is none: DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK, field 8. */
const STALE_HEAD = Uint8Array.of(...HEAD.subarray(0, 18), 8 * 8, 1);
/** Where in a head the times and the value are. */
const [START, END, VALUE] = [1, 10, 19];
const WORD = 2 ** 32;

type Attributes = Point['attributes'];

export class PointBlock {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  /** Of each point: its attributes, whether it is stale, and where its head begins. */
  readonly #attributes: readonly Attributes[];
  readonly #stale: readonly boolean[];
  readonly #heads: Uint32Array;
  /** The whole second that was written last, and its nanoseconds since the epoch in two words. */
  #second = -1;
  #high = 0;
  #low = 0;

  /** `encoded`: the bytes of attributes, as latin1. */
  constructor(points: readonly Point[], encoded: (attributes: Attributes) => string) {
    this.#attributes = points.map(({ attributes }) => attributes);
    this.#stale = points.map(isStale);
    this.#heads = new Uint32Array(points.length);
    const lengths = points.map((point) => headOf(point).length + encoded(point.attributes).length);
    const writer = new Writer(lengths.reduce((sum, length) => sum + framed(length), 0));
    for (const [i, point] of points.entries()) {
      writer.open(1, lengths[i] ?? 0);
      this.#heads[i] = writer.at;
      writer.bytes(headOf(point));
      writer.latin1(encoded(point.attributes));
    }
    this.#bytes = writer.buffer;
    this.#view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.length);
  }

  /** Whether these are points of the same streams in the same order. */
  holds(points: readonly Point[]): boolean {
    if (points.length !== this.#attributes.length) return false;
    for (let i = 0; i < points.length; i += 1) {
      const point = points[i];
      if (point === undefined || point.attributes !== this.#attributes[i] || isStale(point) !== this.#stale[i])
        return false;
    }
    return true;
  }

  /** The bytes with times and values of these; they change with the next call. */
  with(points: readonly Point[]): Uint8Array {
    for (let i = 0; i < points.length; i += 1) {
      const point = points[i];
      const at = this.#heads[i];
      if (point === undefined || at === undefined) continue;
      this.#time(at + START, point.startMs);
      this.#time(at + END, point.endMs);
      if (this.#stale[i] !== true) this.#view.setFloat64(at + VALUE, point.value, true);
    }
    return this.#bytes;
  }

  /** Nanoseconds as fixed64: 1e9 seconds times 1e9 do not fit a double, so the seconds go in two halves. */
  #time(at: number, epochMs: number): void {
    let second = Math.floor(epochMs / 1000);
    let nanos = Math.round((epochMs - second * 1000) * 1e6);
    if (nanos >= 1e9) {
      second += 1;
      nanos = 0;
    }
    if (second !== this.#second) this.#begin(second);
    const low = this.#low + nanos;
    this.#view.setUint32(at, low % WORD, true);
    this.#view.setUint32(at + 4, low >= WORD ? this.#high + 1 : this.#high, true);
  }

  #begin(second: number): void {
    const upper = Math.floor(second / 65_536) * 1e9;
    const rest = (upper % 65_536) * 65_536 + (second % 65_536) * 1e9;
    this.#second = second;
    this.#low = rest % WORD;
    this.#high = Math.floor(upper / 65_536) + Math.floor(rest / WORD);
  }
}

function isStale({ stale }: Point): boolean {
  return stale === true;
}

function headOf(point: Point): Uint8Array {
  return isStale(point) ? STALE_HEAD : HEAD;
}
