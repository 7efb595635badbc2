// Services: all services that send, within a limit: takes their requests, and every few seconds gives their samples to the line.

import type { WorkView } from '../../../identity/work/work.ts';
import { componentText } from '../../../model/component.ts';
import type { AttributeValue } from '../../../model/event.ts';
import type { Emit } from '../../../model/record.ts';
import type { Sender } from '../../sender.ts';
import { LONGEST_NAME, otherNode, placeKey, serviceDiscovery, serviceOf } from './place.ts';
import { type Requests, ServiceLoad } from './service-load.ts';

const SETTLE_MS = 5000;
/** Makes room for others after so long without a request. */
const FORGET_MS = 1_800_000;
/** Where it runs is looked up again: a pod may be known only later. */
const PLACE_AGAIN_MS = 60_000;
const MOST_PLACES = 64;

export interface ServicesOptions {
  readonly source: string;
  readonly host: string;
  readonly mostServices: number;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  /** Wall clock → steady clock. */
  readonly steady: (wallMs: number) => number;
  readonly view: () => WorkView;
  /** Users or addresses that are believed about the jobs of others; none where left out. */
  readonly shippers?: readonly string[];
  readonly emit: Emit;
  /** Calls back again and again until it is stopped; timers where left out. */
  readonly repeat?: (periodMs: number, work: () => void) => () => void;
}

interface Service {
  readonly name: string;
  readonly load: ServiceLoad;
  /** Place → when it was last looked up. */
  readonly places: Map<string, number>;
  /** When it last sent spans: of one that does, metrics are not counted again. */
  spansMs: number;
}

export class Services {
  readonly #options: ServicesOptions;
  readonly #services = new Map<string, Service>();
  #timer: (() => void) | null = null;
  /** Names that found no room. */
  leftOut = 0;

  constructor(options: ServicesOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#services.size;
  }

  /** The service of a resource; text says why there is none. */
  of(attributes: ReadonlyMap<string, AttributeValue>, sender: Sender): Service | string {
    const { host, mostServices, emit, source } = this.#options;
    const other = otherNode(attributes, host);
    if (other !== null) return 'k8s.node.name is another node. Send it to the daemon of that node';
    const name = serviceOf(attributes);
    if (name === null) return 'the resource has no service.name. Set OTEL_SERVICE_NAME';
    if (name.length > LONGEST_NAME)
      return `service.name is longer than ${LONGEST_NAME} characters. Set OTEL_SERVICE_NAME to a shorter one`;
    let service = this.#services.get(name);
    if (service === undefined) {
      if (this.#services.size >= mostServices && !this.#makeRoom()) {
        this.leftOut += 1;
        return `more than ${mostServices} services send (sources.otlp_in.max_services)`;
      }
      const load = new ServiceLoad(componentText({ type: 'service', id: name }), source);
      service = { name, load, places: new Map(), spansMs: Number.NEGATIVE_INFINITY };
      this.#services.set(name, service);
    }
    this.#place(service, attributes, emit, sender);
    return service;
  }

  take({ load }: Service, requests: Requests): boolean {
    const taken = load.take(requests, this.#options.now());
    if (taken) this.#timer ??= (this.#options.repeat ?? everyNowAndThen)(SETTLE_MS, () => this.settle());
    return taken;
  }

  settle(): void {
    const { emit, now, steady } = this.#options;
    const nowMs = now();
    let waits = false;
    for (const { load } of this.#services.values()) {
      for (const batch of load.settle(nowMs)) emit.samples({ ...batch, timesMs: batch.timesMs.map(steady) });
      waits ||= load.waits;
    }
    if (!waits) this.stop();
  }

  stop(): void {
    this.#timer?.();
    this.#timer = null;
  }

  #place(service: Service, attributes: ReadonlyMap<string, AttributeValue>, emit: Emit, sender: Sender): void {
    // Of each sender: what one may not say another may.
    const key = `${sender.name}\n${placeKey(attributes)}`;
    const nowMs = this.#options.now();
    const lookedMs = service.places.get(key);
    if (lookedMs !== undefined && Math.abs(nowMs - lookedMs) < PLACE_AGAIN_MS) return;
    if (lookedMs === undefined && service.places.size >= MOST_PLACES) return;
    service.places.set(key, nowMs);
    emit.discovery(
      serviceDiscovery(service.name, attributes, this.#options.host, this.#options.view(), {
        sender,
        shippers: this.#options.shippers ?? [],
      }),
    );
  }

  #makeRoom(): boolean {
    const nowMs = this.#options.now();
    for (const [name, { load }] of this.#services) {
      if (nowMs - load.heardMs < FORGET_MS) continue;
      this.#services.delete(name);
      return true;
    }
    return false;
  }
}

function everyNowAndThen(periodMs: number, work: () => void): () => void {
  const timer = setInterval(work, periodMs).unref();
  return () => clearInterval(timer);
}
