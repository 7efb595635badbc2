// The log of an inference server in an accuracy run: vLLM's line every ten seconds, as the source hands it over.

import { serviceDiscovery } from '../../sources/job-log/discovery.ts';
import { jitter, type RandomStream } from '../random.ts';
import type { PlannedChange } from '../scenario/planned-change.ts';
import type { PlannedService } from '../scenario/world.ts';
import { LogFile } from './served/log-file.ts';
import { type Actor, inForce, poll, type Stage } from './stage.ts';

/** vLLM's VLLM_LOG_STATS_INTERVAL. */
const EVERY_MS = 10_000;

export class ServiceLog implements Actor {
  readonly #stage: Stage;
  readonly #service: PlannedService;
  readonly #random: RandomStream;
  readonly #file: LogFile;

  constructor(stage: Stage, service: PlannedService) {
    this.#stage = stage;
    this.#service = service;
    this.#random = stage.random(`service ${service.name}`);
    this.#file = new LogFile(stage.random(`file ${service.name}`));
  }

  start(): void {
    const host = this.#stage.plan.world.host.name;
    this.#stage.emit.discovery(serviceDiscovery({ service: this.#service.name, path: this.#path }, host));
    poll(this.#stage, `service ${this.#service.name}`, EVERY_MS, (nowMs) => this.#tell(nowMs));
  }

  begin(change: PlannedChange): void {
    if (change.type === 'service_line' && change.service === this.#service.name)
      this.#write(change.text, this.#stage.now());
  }

  get #path(): string {
    return `/logs/${this.#service.name}.log`;
  }

  /** A decode step takes half its time whatever runs and half in proportion to it. */
  #tell(nowMs: number): void {
    const { name, running: usual, tokensPerSecond } = this.#service;
    const mine = (change: { readonly service: string }): boolean => change.service === name;
    const load = inForce(this.#stage.inForce, 'service_load').filter(mine).at(-1);
    const running = load?.running ?? usual;
    const factor = inForce(this.#stage.inForce, 'service_slowdown').filter(mine).at(-1)?.factor ?? 1;
    const each = (tokensPerSecond * 2) / (1 + running / usual) / factor;
    const tokens = jitter(this.#random, running * each, this.#stage.plan.jitter * 5);
    const text = `INFO 11-28 12:00:00 [loggers.py:127] Engine 000: Avg prompt throughput: ${(running * 9).toFixed(1)} tokens/s, Avg generation throughput: ${tokens.toFixed(1)} tokens/s, Running: ${running} reqs, Waiting: ${load?.waiting ?? 0} reqs, GPU KV cache usage: ${(running / 2).toFixed(1)}%`;
    this.#write(text, nowMs);
  }

  #write(text: string, nowMs: number): void {
    const { name } = this.#service;
    for (const line of this.#file.append(text))
      this.#stage.emit.text({
        source: 'job-log',
        trust: 'tenant',
        stream: `service/${name}:${this.#path}`,
        position: line.offset,
        timeMs: null,
        timeDigits: 3,
        observedMs: nowMs,
        text: line.text,
        attributes: { service: name, path: this.#path },
      });
  }
}
