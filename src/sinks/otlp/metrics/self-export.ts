// Self export: the daemon's metrics about itself, by the SDK's exporter while the collector takes what it gets, else through the spool.

import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import type { Resource } from '@opentelemetry/resources';
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { Delivery } from '../../delivery/delivery.ts';
import type { Taken } from '../../delivery/send/outcome.ts';

/** Hands metrics to an exporter of the SDK; null where the collector did not take them. Never rejects. */
export interface MetricsExporter {
  export(metrics: ResourceMetrics): Promise<Taken | null>;
  close(): void;
}

export interface SelfExportOptions {
  readonly collect: () => Promise<ResourceMetrics>;
  /** Of this host, in place of the SDK's own. */
  readonly resource: Resource;
  readonly delivery: Delivery;
  /** Null: everything takes the spool. */
  readonly exporter: MetricsExporter | null;
}

/**
 * The exporter keeps nothing and tries once. So it gets a collection only while nothing waits in the spool, and what it could
 * not bring to the collector goes there: nothing is lost, and no series runs backwards.
 */
export class SelfExport {
  readonly #options: SelfExportOptions;
  #stopped = false;
  /** Ends the wait for the collector; null while nothing is waited for. */
  #giveUp: (() => void) | null = null;
  #pending = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(options: SelfExportOptions) {
    this.#options = options;
  }

  /** Once an export interval, before the interval's other metrics are pushed. Returns at once. */
  send(): void {
    const direct = !this.#stopped && this.#pending === 0 && this.#options.delivery.idle;
    const collected = this.#options.collect().catch(() => null); // the SDK counts what it cannot collect
    this.#pending += 1;
    this.#last = this.#last.then(async () => {
      await this.#sendOne(await collected, direct);
      this.#pending -= 1;
    });
  }

  /** Sends through the spool, which outlives the daemon, what the exporter has and what comes from now on. */
  stop(): void {
    this.#stopped = true;
    this.#giveUp?.();
    this.#options.exporter?.close();
  }

  /** Resolves when all that was collected is sent or pushed; after `stop` that waits for no collector. */
  settled(): Promise<void> {
    return this.#last;
  }

  async #sendOne(collected: ResourceMetrics | null, direct: boolean): Promise<void> {
    if (collected === null) return;
    const { resource, delivery, exporter } = this.#options;
    const { scopeMetrics } = collected;
    const metrics = { resource, scopeMetrics };
    const all = scopeMetrics.flatMap((scope) => scope.metrics);
    const points = all.reduce((sum, metric) => sum + metric.dataPoints.length, 0);
    const exported = direct ? exporter?.export(metrics) : undefined;
    const outcome = exported === undefined ? null : await this.#untilStopped(exported);
    if (outcome !== null) delivery.takenOtherwise(outcome, points);
    else delivery.push(ProtobufMetricsSerializer.serializeRequest(metrics), points);
  }
  /** Null once it is stopped. Not a race with a promise of the stop: that would keep something of each export until then. */
  async #untilStopped(exported: Promise<Taken | null>): Promise<Taken | null> {
    if (this.#stopped) return null;
    const { promise, resolve } = Promise.withResolvers<Taken | null>();
    this.#giveUp = () => resolve(null);
    void exported.then(resolve);
    const outcome = await promise;
    this.#giveUp = null;
    return outcome;
  }
}
