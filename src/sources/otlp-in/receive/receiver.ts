// Receiver: one request, whichever way it came, from its bytes to what was taken of it or why not.

import type { Readable } from 'node:stream';
import protobuf from 'protobufjs/minimal.js';
import { Budget, type BudgetOptions } from '../../../helpers/http/budget.ts';
import { Turns } from '../../../helpers/http/turns.ts';
import type { Sender } from '../../sender.ts';
import { readJson } from '../wire/read-json.ts';
import { readProtobuf } from '../wire/read-protobuf.ts';
import { asRefusal, Refusal } from '../wire/refusal.ts';
import { Body, tooLarge } from './body.ts';
import type { Doors, SignalKind, Taken } from './signals.ts';

export interface ReceiverOptions extends BudgetOptions {
  readonly maxRequestBytes: number;
  readonly doors: Doors;
  /** What a door threw: a mistake of our own, never the sender's. */
  readonly onFailure: (error: unknown) => void;
}

export interface ReceiverCounts {
  requests: number;
  refused: number;
  rejected: number;
}

/** How a request is written. */
export interface Encoding {
  readonly json: boolean;
  readonly gzip: boolean;
}

/** A request that is still to be read. */
export interface Incoming {
  readonly stream: Readable;
  /** Takes the message out of what came. */
  readonly unframe: (bytes: Buffer) => { readonly message: Buffer; readonly encoding: Encoding };
  /** Never rejects. */
  readonly sender: Promise<Sender>;
  /** Aborted with the reason to refuse it, if that comes before the whole request. */
  readonly ended: AbortSignal;
  /** Bytes that are said to come; left out where nothing is said. */
  readonly length?: number;
  /** Bytes that come around the message. */
  readonly extraBytes?: number;
}

export class Receiver {
  readonly counts: ReceiverCounts = { requests: 0, refused: 0, rejected: 0 };
  /** The last refusal, for those who look for what does not arrive; null while there is none. */
  lastRefusal: string | null = null;
  readonly budget: Budget;
  readonly #options: ReceiverOptions;
  readonly #turns = new Turns();

  constructor(options: ReceiverOptions) {
    this.#options = options;
    this.budget = new Budget(options);
  }

  /** Throws a `Refusal`. */
  async receive(
    signal: SignalKind,
    { stream, unframe, sender, ended, length = 0, extraBytes = 0 }: Incoming,
  ): Promise<Taken> {
    const body = new Body(this.budget, this.#options.maxRequestBytes, extraBytes);
    try {
      if (length > this.#options.maxRequestBytes + extraBytes) throw tooLarge(this.#options.maxRequestBytes);
      // Nothing of the body is read before it is known to have a chance.
      const from = await sender;
      this.budget.askForCpu(from.name);
      this.budget.ask(length, from.name);
      const { message, encoding } = unframe(await body.read(stream, from.name, ended));
      if (!encoding.gzip) this.budget.spend(message.length, from.name);
      const bytes = encoding.gzip ? await body.inflate(message, from.name) : message;
      await this.#turns.of(from.name);
      this.budget.askForCpu(from.name);
      const began = process.threadCpuUsage();
      try {
        const request = encoding.json ? readJson(bytes, signal.shape) : readProtobuf(bytes, signal.shape);
        return this.#take(signal, request, from);
      } finally {
        const { user, system } = process.threadCpuUsage(began);
        this.budget.worked((user + system) / 1000, from.name);
      }
    } catch (error) {
      throw this.refused(asRefusal(error));
    } finally {
      body.release();
    }
  }

  /** Counts it and keeps its words. */
  refused(refusal: Refusal): Refusal {
    this.counts.refused += 1;
    this.lastRefusal = refusal.message;
    return refusal;
  }

  #take(signal: SignalKind, request: unknown, sender: Sender): Taken {
    let taken: Taken | null;
    try {
      taken = signal.take(this.#options.doors, request, sender);
    } catch (error) {
      this.#options.onFailure(error);
      throw new Refusal('unsupported', `${signal.name} could not be used: a mistake of this daemon, see its log`);
    }
    if (taken === null)
      throw new Refusal('unsupported', `no ${signal.name} are taken here. Switch their exporter off for this endpoint`);
    this.counts.requests += 1;
    this.counts.rejected += taken.rejected;
    return taken;
  }
}

/** Export…ServiceResponse, the same for all three signals: partial_success {rejected = 1, error_message = 2}, empty where all was taken. */
export function responseBytes({ rejected, why }: Taken): Buffer {
  if (rejected === 0 && why === '') return Buffer.alloc(0);
  const writer = protobuf.Writer.create().uint32(10).fork();
  if (rejected > 0) writer.uint32(8).int64(rejected);
  if (why !== '') writer.uint32(18).string(why);
  return Buffer.from(writer.ldelim().finish());
}

/** google.rpc.Status {code, message, details: RetryInfo}: how gRPC and HTTP say in binary form what was wrong. */
export function statusBytes(code: number, text: string, retryMs: number | null): Buffer {
  const writer = protobuf.Writer.create().uint32(8).int32(code).uint32(18).string(text);
  if (retryMs !== null) {
    const delay = protobuf.Writer.create().uint32(10).fork();
    delay.uint32(8).int64(Math.floor(retryMs / 1000));
    delay.uint32(16).int32((retryMs % 1000) * 1e6);
    const info = delay.ldelim().finish();
    writer
      .uint32(26)
      .fork()
      .uint32(10)
      .string('type.googleapis.com/google.rpc.RetryInfo')
      .uint32(18)
      .bytes(info)
      .ldelim();
  }
  return Buffer.from(writer.finish());
}
