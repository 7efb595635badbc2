// GPUs and CPUs of an accuracy run: the samples and notices that the GPU and CPU sources give for the changes in force.

import { xidEvent } from '../../detection/text/xid.ts';
import type { Component } from '../../model/component.ts';
import { componentText } from '../../model/component.ts';
import type { NoticeOf } from '../../native.ts';
import { gpuEvent } from '../../sources/gpu/gpu-event.ts';
import { type GpuState, gpuStates } from '../rack/gpu-state.ts';
import { jitter } from '../random.ts';
import type { PlannedChange } from '../scenario/planned-change.ts';
import type { PlannedGpu } from '../scenario/world.ts';
import { Counters } from './served/counters.ts';
import { type Actor, inForce, poll, type Reported, type Stage } from './stage.ts';

type DriverNotice =
  | Pick<NoticeOf<'gpu_event'>, 'name' | 'event' | 'value' | 'text'>
  | Pick<NoticeOf<'gpu_reset'>, 'name' | 'how' | 'text'>;

/** nvml.h, NVML_ERROR_GPU_IS_LOST. */
const GPU_IS_LOST = 15;
/** sources.gpu.call_deadline. */
const CALL_DEADLINE_MS = 5000;
/** The driver's event and the kernel's line are this far apart at most. */
const NOTICE_MS = 40;

export class Gpus implements Actor {
  readonly #stage: Stage;
  readonly #components: readonly Component[];
  readonly #keys: readonly (readonly string[])[];
  readonly #lost = new Set<number>();
  readonly #stalledSince = new Map<number, number>();
  readonly #random;
  #xids = 0;
  #states: readonly GpuState[];
  /** Those that the driver does not list. */
  #unlisted: ReadonlySet<number> = new Set();

  constructor(stage: Stage) {
    const { host } = stage.plan.world;
    this.#stage = stage;
    this.#random = stage.random('gpus');
    // Nothing reads AMD's.
    const read = host.gpuVendor === 'amd' ? [] : host.gpus;
    this.#components = read.map((gpu) => gpuComponent(gpu, host.name));
    const quantities = [
      'temperature',
      'power_limit',
      'sm_clock_max',
      'clock_event_reasons',
      'sm_clock',
      'power',
      'temperature_limit',
    ];
    this.#keys = this.#components.map((gpu) => quantities.map((quantity) => `${componentText(gpu)}#${quantity}`));
    this.#states = gpuStates(host, []);
  }

  start(): void {
    this.#find();
    const { gpu } = this.#stage.plan.world.pollMs;
    if (this.#components.length > 0) poll(this.#stage, 'gpu', gpu, (now) => this.#look(now));
  }

  restart(): void {
    this.#lost.clear();
    this.#stalledSince.clear();
    this.#find();
  }

  #find(): void {
    const { plan, emit } = this.#stage;
    const host: Component = { type: 'host', id: plan.world.host.name };
    this.#components.forEach((component, i) => {
      if (this.#unlisted.has(i)) return;
      emit.discovery({ component, links: [{ from: host, to: component, relation: 'contains', source: 'host' }] });
    });
  }

  changed(): void {
    const { plan, inForce: changes } = this.#stage;
    this.#states = gpuStates(plan.world.host, changes);
    const away = [...inForce(changes, 'gpu_missing'), ...inForce(changes, 'gpu_reset')];
    this.#unlisted = new Set(away.flatMap(({ gpus }) => gpus));
  }

  begin(change: PlannedChange): void {
    if (change.type === 'xid') for (const gpu of change.gpus) this.#xid(gpu, change.number);
    if (change.type === 'gpu_lost') for (const gpu of change.gpus) this.#xid(gpu, 79);
    if (change.type === 'gpu_driver_event') {
      const { event, value = 0 } = change;
      this.#notices(change.gpus, { name: 'gpu_event', event, value, text: '' });
    }
  }

  /** The driver lists it again: its counters began again, by which a reset shows. */
  end(change: PlannedChange): void {
    if (change.type === 'gpu_reset')
      this.#notices(change.gpus, { name: 'gpu_reset', how: 'counter_restarted', text: 'energy counter' });
  }

  #notices(gpus: readonly number[], notice: DriverNotice): void {
    for (const gpu of gpus) {
      const component = this.#components[gpu];
      if (component === undefined) continue;
      const whole = { ...notice, component: componentText(component), timeMs: this.#stage.now() };
      const event = gpuEvent(whole, component, this.#stage.plan.world.host.name, this.#reported());
      if (event !== null) this.#stage.emit.event(event);
    }
  }

  #xid(index: number, number: number): void {
    const component = this.#components[index] ?? null;
    this.#xids += 1;
    const discriminator = `xid::${number}:${this.#xids}`;
    this.#stage.clock.at(this.#stage.clock.now() + this.#random() * NOTICE_MS, () =>
      this.#stage.emit.event(xidEvent(number, component, { ...this.#reported(), discriminator })),
    );
  }

  #reported(): Reported {
    const nowMs = this.#stage.now();
    return { timeMs: nowMs, observedMs: nowMs, trust: 'driver', source: 'gpu' };
  }

  #look(nowMs: number): void {
    const keys: string[] = [];
    const values: number[] = [];
    const share = this.#stage.plan.jitter;
    const random = this.#random;
    this.#states.forEach((state, i) => {
      if (this.#unlisted.has(i)) return;
      if (state.hang) this.#hangs(i, nowMs);
      else this.#stalledSince.delete(i);
      if (state.error !== 0) this.#isLost(i, state.error);
      else this.#lost.delete(i);
      if (state.hang || state.error !== 0) return;
      keys.push(...(this.#keys[i] ?? []));
      values.push(
        Math.round(jitter(random, state.temperatureC, share * 4)),
        state.limitW,
        state.gpu.smClockMhz * 1e6,
        state.reasons,
        state.smClockMhz * 1e6,
        jitter(random, state.powerW, share * 10),
        state.gpu.slowdownC,
      );
    });
    if (keys.length === 0) return;
    const timesMs = new Array<number>(keys.length).fill(nowMs);
    this.#stage.emit.samples({ source: 'gpu', trust: 'driver', keys, timesMs, values });
  }

  #isLost(index: number, error: number): void {
    if (this.#lost.has(index)) return;
    this.#lost.add(index);
    const kind = error === GPU_IS_LOST ? 'gpu.lost' : 'gpu.fault';
    const component = this.#components[index] ?? null;
    const attributes = { nvml_return: error, call: 'power' };
    this.#stage.emit.event({
      ...this.#reported(),
      kind,
      component,
      attributes,
      discriminator: `device_lost:power:${error}`,
    });
  }

  #hangs(index: number, nowMs: number): void {
    const since = this.#stalledSince.get(index) ?? nowMs;
    this.#stalledSince.set(index, since);
    if (since === Number.POSITIVE_INFINITY || nowMs - since < CALL_DEADLINE_MS) return;
    this.#stalledSince.set(index, Number.POSITIVE_INFINITY);
    const component = this.#components[index] ?? null;
    const attributes = { call: 'nvmlDeviceGetPowerUsage', stalled_ms: CALL_DEADLINE_MS };
    this.#stage.emit.event({
      ...this.#reported(),
      kind: 'gpu.call_stalled',
      component,
      attributes,
      discriminator: 'call',
    });
  }
}

/** CPU packages: power and power limit, as RAPL shows them. */
export class Cpus implements Actor {
  readonly #stage: Stage;
  /** Seconds slowed down by heat, by package. */
  readonly #throttled = new Counters();
  readonly #countsThrottling: boolean;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#countsThrottling = stage.plan.steps.some(({ change }) => change.type === 'cpu_throttle');
  }

  start(): void {
    this.#find();
    const { plan } = this.#stage;
    const { packages } = plan.world.host;
    if (packages.length > 0) poll(this.#stage, 'cpu', plan.world.pollMs.cpu, (now) => this.#look(now));
  }

  restart(rebooted: boolean): void {
    if (rebooted) this.#throttled.reset();
    this.#find();
  }

  changed(): void {
    const rates = inForce(this.#stage.inForce, 'cpu_throttle').flatMap(({ package: which, share }) =>
      this.#stage.plan.world.host.packages.flatMap((_, i): [string, number][] =>
        which === 'all' || which === i ? [[String(i), share]] : [],
      ),
    );
    this.#throttled.setRates(new Map(rates), this.#stage.now());
  }

  #find(): void {
    const { plan, emit } = this.#stage;
    const { name, packages } = plan.world.host;
    const host: Component = { type: 'host', id: name };
    packages.forEach((_, i) => {
      const component: Component = { type: 'cpu', id: `${name}/${i}`, host: name, parent: `host/${name}` };
      emit.discovery({ component, links: [{ from: host, to: component, relation: 'contains', source: 'host' }] });
    });
  }

  #look(nowMs: number): void {
    const { name, packages } = this.#stage.plan.world.host;
    const caps = inForce(this.#stage.inForce, 'cpu_power_limit');
    const keys = packages.map((_, i) => `cpu/${name}/${i}#power_limit`);
    const values = packages.map(
      ({ limitW }, i) => caps.filter((cap) => cap.package === 'all' || cap.package === i).at(-1)?.to ?? limitW,
    );
    if (this.#countsThrottling)
      packages.forEach((_, i) => {
        keys.push(`cpu/${name}/${i}#throttle_time`);
        values.push(Math.floor(1000 * this.#throttled.value(String(i), nowMs)) / 1000);
      });
    const timesMs = keys.map(() => nowMs);
    this.#stage.emit.samples({ source: 'cpu', trust: 'kernel', keys, timesMs, values });
  }
}

function gpuComponent(gpu: PlannedGpu, host: string): Component {
  const aliases = [`gpu ${gpu.index}`, gpu.uuid, gpu.serial];
  return { type: 'gpu', id: gpu.address, host, parent: `host/${host}`, aliases };
}
