// GPU source: the vendor child's inventory, health and XIDs; its samples go from the ring to the detectors natively.

import { HostGpus } from '../../identity/host-gpus.ts';
import { type Component, parseComponent } from '../../model/component.ts';
import type { Emit } from '../../model/record.ts';
import { type NativeCore, type NativeVendor, type Notice, type NoticeOf, native, nativePath } from '../../native.ts';
import type { Source, SourceCounts, SourceHealth, SourceStatus } from '../source.ts';
import { type Capabilities, capabilityLines } from './capabilities.ts';
import { gpuEvent } from './gpu-event.ts';
import { ProtocolBreaks } from './protocol-breaks.ts';
import type { GpuSettings } from './settings.ts';

const BURST_MS = 30_000;
const MAX_PARTS = 16;
const FAILURES: readonly string[] = ['child_exit', 'call_stalled', 'device_lost'];

/** What the supervisor's states mean for the source; the others are failures. */
const STATUS_OF: Readonly<Record<string, SourceStatus>> = {
  absent: 'absent',
  released: 'off',
  stopped: 'off',
  throttled: 'works',
};

/** The child's words for a driver that answers and has nothing. */
const NO_GPU = 'the driver lists no GPU';

export class GpuSource implements Source {
  readonly name = 'gpu';
  readonly #config: GpuSettings;
  readonly #host: string;
  readonly #core: NativeCore;
  #vendor: NativeVendor | null = null;
  #emit: Emit | null = null;
  #status: SourceStatus = 'absent';
  #detail = 'starting';
  #driver = '';
  readonly #devices = new Map<string, Component>();
  readonly #models = new Map<string, string>();
  readonly #capabilities = new Map<string, Capabilities>();
  /** What is known of the devices beyond this source. */
  readonly #gpus: HostGpus;
  /** Parts of the vendor child that have something to say: calibration, event sets. */
  readonly #parts = new Map<string, string>();
  /** Children that ended by themselves, calls that hung, devices that were lost. */
  #failures = 0;
  readonly #breaks = new ProtocolBreaks();
  /** The child said that there is no library, driver or GPU; it holds nothing until one works. */
  #absent = false;

  constructor(config: GpuSettings, host: string, core: NativeCore, gpus = new HostGpus()) {
    this.#gpus = gpus;
    this.#config = config;
    this.#host = host;
    this.#core = core;
  }

  start(emit: Emit): void {
    this.#emit = emit;
    this.#vendor = new (native().Vendor)(this.#core, {
      executable: nativePath('faultline-vendor'),
      library: this.#config.library,
      poll: this.#config.poll,
      intervalMs: this.#config.intervalMs,
      burstIntervalMs: this.#config.burstIntervalMs,
      callDeadlineMs: this.#config.callDeadlineMs,
    });
  }

  health(): readonly SourceHealth[] {
    if ((this.#status === 'works' && this.#devices.size === 0) || this.#detail === NO_GPU) {
      const detail = 'FL2116 the vendor library answers and shows no GPU';
      const remedy = 'lspci -d 10de: shows what is on the bus; in a container, hand the devices in (--gpus all)';
      return [{ source: this.name, status: 'absent', detail, remedy }];
    }
    const remedy = this.#status === 'works' ? null : this.#remedy();
    const health = { source: this.name, status: this.#status, detail: this.#detail, remedy };
    const able = [...this.#devices.keys()].map((gpu) => ({
      model: this.#models.get(gpu) ?? '',
      capabilities: this.#capabilities.get(gpu) ?? new Map(),
    }));
    const notes = [...capabilityLines(able), ...[...this.#parts].map(([part, text]) => `${part}: ${text}`)];
    const whole = this.#status === 'works' && notes.length > 0 ? { ...health, notes } : health;
    return [this.#breaks.over(whole, this.#core.now())];
  }

  counts(): readonly SourceCounts[] {
    return [{ source: this.name, failures: this.#failures }];
  }

  childPid(): number | null {
    return this.#vendor?.pid() ?? null;
  }

  async stop(): Promise<void> {
    this.#emit = null;
    this.#vendor?.stop();
    this.#vendor = null;
  }

  /** Looks closer for a while: something was seen that a finer reading may explain. */
  suspect(): void {
    this.#vendor?.burst(BURST_MS);
  }

  /**
   * Lets go of every device file for `durationMs`; false when there is nothing to let go of. `traceparent` comes back with
   * the notice that says so.
   */
  release(durationMs: number, traceparent?: string): boolean {
    if (this.#vendor === null || this.#absent) return false;
    this.#vendor.release(durationMs, traceparent);
    return true;
  }

  handleNotice(notice: Notice): void {
    if (notice.name === 'device') this.#device(notice);
    else if (notice.name === 'device_gone') this.#gone(notice.component);
    else if (notice.name === 'state') this.#state(notice);
    else if (notice.name === 'gpu_instance') this.#instance(notice);
    else if (notice.name === 'capabilities') this.#capabilities.set(notice.component, notice.groups);
    else if (notice.name === 'part_state') this.#part(notice);
    else if (notice.name === 'processes') this.#processes(notice);
    else if (notice.name === 'child_exit' && notice.how === 'corrupt') this.#breaks.note(notice.timeMs, notice.text);
    this.#gpus.driverAnswers(this.#status === 'works');
    if (FAILURES.includes(notice.name)) this.#failures += 1;
    const about = 'component' in notice ? this.#component(notice.component) : null;
    const event = gpuEvent(notice, about, this.#host, this.#origin(notice.timeMs));
    if (event === null) return;
    this.#emit?.event(event);
    // The counter is how this reset was seen: whoever adds its readings up begins again here.
    if (notice.name === 'gpu_reset' && notice.how === 'counter_restarted')
      this.#emit?.event({ ...event, kind: 'gpu.energy_reset' });
  }

  #device(notice: NoticeOf<'device'>): void {
    const gpu = parseComponent(notice.component, this.#host);
    if (gpu === null) return;
    const { model, uuid, serial, driver } = notice;
    const aliases = [`gpu ${notice.index}`, uuid, serial].filter((alias) => alias !== '');
    const component: Component = { ...gpu, parent: `host/${this.#host}`, aliases };
    this.#devices.set(notice.component, component);
    this.#driver = driver;
    this.#models.set(notice.component, model);
    this.#gpus.found(component, model, notice.minor);
    this.#works();
    this.#emit?.discovery({
      component,
      links: [{ from: { type: 'host', id: this.#host }, to: component, relation: 'contains', source: 'host' }],
      attributes: { model, uuid, serial, driver },
    });
  }

  /** The driver lists it no more: what is there is said by `gpu.missing`, where the bus still has it. */
  #gone(component: string): void {
    const gpu = this.#devices.get(component);
    for (const known of [this.#devices, this.#models, this.#capabilities]) known.delete(component);
    if (gpu !== undefined) this.#gpus.gone(gpu.id);
    if (this.#status === 'works') this.#works();
  }

  /** A MIG instance is a component of its own: what is said of it is not said of its GPU. */
  #instance(notice: NoticeOf<'gpu_instance'>): void {
    const instance = parseComponent(notice.component, this.#host);
    const gpu = this.#devices.get(`gpu/${instance?.id.slice(0, instance.id.lastIndexOf('/'))}`);
    if (instance === null || gpu === undefined) return;
    const { uuid, profile } = notice;
    const aliases = [uuid].filter((alias) => alias !== '');
    const component: Component = { ...instance, parent: `gpu/${gpu.id}`, aliases };
    this.#gpus.instance(component, profile, notice.presence !== 'gone');
    if (notice.presence === 'gone') return;
    this.#emit?.discovery({
      component,
      links: [{ from: gpu, to: component, relation: 'contains', source: 'host' }],
      attributes: { uuid, profile },
    });
  }

  #processes({ component, pids, instances }: NoticeOf<'processes'>): void {
    const gpu = this.#devices.get(component);
    if (gpu !== undefined) this.#gpus.usedBy(gpu.id, pids, instances);
  }

  #part({ part, status }: NoticeOf<'part_state'>): void {
    if (this.#parts.size < MAX_PARTS || this.#parts.has(part)) this.#parts.set(part, status);
  }

  #state({ state, reason }: NoticeOf<'state'>): void {
    if (state === 'running') {
      this.#works();
      return;
    }
    this.#status = STATUS_OF[state] ?? 'failed';
    if (state === 'absent') this.#absent = true;
    this.#detail = reason === '' ? state : reason;
  }

  #works(): void {
    this.#status = 'works';
    this.#absent = false;
    const driver = this.#driver === '' ? '' : `, driver ${this.#driver}`;
    this.#detail = `${this.#devices.size} GPU${this.#devices.size === 1 ? '' : 's'}${driver}`;
  }

  #remedy(): string | null {
    if (this.#status === 'off') return null;
    if (this.#status === 'absent') {
      return `install the NVIDIA driver, or set sources.gpu.library to where libnvidia-ml.so.1 is; sources.gpu.enabled: off silences this`;
    }
    return 'nvidia-smi shows whether the driver answers; faultline takes it up by itself when it does';
  }

  #component(component: string | null): Component | null {
    if (component === null) return null;
    return this.#devices.get(component) ?? parseComponent(component, this.#host);
  }

  #origin(timeMs: number) {
    return { timeMs, observedMs: this.#core.now(), trust: 'driver', source: this.name } as const;
  }
}
