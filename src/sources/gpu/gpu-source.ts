// GPU source: the vendor child's inventory, health and XIDs; its samples go from the ring to the detectors natively.

import type { Config } from '../../config/config.ts';
import { HostGpus } from '../../identity/host-gpus.ts';
import { type Component, parseComponent } from '../../model/component.ts';
import type { Emit, EventInput } from '../../model/record.ts';
import { type NativeCore, type NativeVendor, type Notice, native, nativePath } from '../../native.ts';
import type { Source, SourceCounts, SourceHealth, SourceStatus } from '../source.ts';
import { type Capabilities, capabilityLines, parseCapabilities } from './capabilities.ts';
import { gpuEvent } from './gpu-event.ts';
import { ProtocolBreaks } from './protocol-breaks.ts';

const BURST_MS = 30_000;
const MAX_PIDS = 256;
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
  readonly #config: Config['sources']['gpu'];
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

  constructor(config: Config['sources']['gpu'], host: string, core: NativeCore, gpus = new HostGpus()) {
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
    if (notice.type === 'device') this.#device(notice);
    else if (notice.type === 'device_gone') this.#gone(notice.component);
    else if (notice.type === 'state') this.#state(notice);
    else if (notice.type === 'gpu_instance') this.#instance(notice);
    else if (notice.type === 'capabilities') this.#capabilities.set(notice.component, parseCapabilities(notice.text));
    else if (notice.type === 'part_state') this.#part(notice);
    else if (notice.type === 'processes') this.#processes(notice);
    else if (notice.type === 'child_exit' && notice.name === 'corrupt') this.#breaks.note(notice.timeMs, notice.text);
    this.#gpus.driverAnswers(this.#status === 'works');
    if (FAILURES.includes(notice.type)) this.#failures += 1;
    const event = gpuEvent(notice, this.#component(notice), this.#host, this.#base(notice));
    if (event !== null) this.#emit?.event(event);
  }

  #device(notice: Notice): void {
    const details = parseDetails(notice.text);
    const gpu = parseComponent(notice.component, this.#host);
    if (gpu === null) return;
    const aliases = [`gpu ${details.index}`, details.uuid, details.serial].filter((alias) => alias !== '');
    const component: Component = { ...gpu, parent: `host/${this.#host}`, aliases };
    this.#devices.set(notice.component, component);
    this.#driver = details.driver;
    this.#models.set(notice.component, details.name);
    this.#gpus.found(component, details.name);
    this.#works();
    this.#emit?.discovery({
      component,
      links: [{ from: { type: 'host', id: this.#host }, to: component, relation: 'contains', source: 'host' }],
      attributes: { model: details.name, uuid: details.uuid, serial: details.serial, driver: details.driver },
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
  #instance(notice: Notice): void {
    const instance = parseComponent(notice.component, this.#host);
    const gpu = this.#devices.get(`gpu/${instance?.id.slice(0, instance.id.lastIndexOf('/'))}`);
    if (instance === null || gpu === undefined || notice.name === 'gone') return;
    const { uuid, name: profile } = parseDetails(notice.text);
    const aliases = [uuid].filter((alias) => alias !== '');
    const component: Component = { ...instance, parent: `gpu/${gpu.id}`, aliases };
    this.#emit?.discovery({
      component,
      links: [{ from: gpu, to: component, relation: 'contains', source: 'host' }],
      attributes: { uuid, profile },
    });
  }

  #processes({ component, text }: Notice): void {
    const gpu = this.#devices.get(component);
    if (gpu === undefined) return;
    const pids = text.split(/\D+/, MAX_PIDS).filter((pid) => pid !== '');
    this.#gpus.usedBy(gpu.id, pids.map(Number));
  }

  #part({ name, text }: Notice): void {
    if (this.#parts.size < MAX_PARTS || this.#parts.has(name)) this.#parts.set(name, text);
  }

  #state(notice: Notice): void {
    if (notice.name === 'running') {
      this.#works();
      return;
    }
    this.#status = STATUS_OF[notice.name] ?? 'failed';
    if (notice.name === 'absent') this.#absent = true;
    this.#detail = notice.text === '' ? notice.name : notice.text;
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

  #component(notice: Notice): Component | null {
    return this.#devices.get(notice.component) ?? parseComponent(notice.component, this.#host);
  }

  #base(notice: Notice): Omit<EventInput, 'kind' | 'component'> {
    return {
      timeMs: notice.timeMs,
      observedMs: this.#core.now(),
      trust: 'driver',
      source: this.name,
      discriminator: `${notice.type}:${notice.name}:${notice.value}`,
    };
  }
}

interface DeviceDetails {
  readonly index: string;
  readonly uuid: string;
  readonly name: string;
  readonly serial: string;
  readonly driver: string;
}

function parseDetails(text: string): DeviceDetails {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = null;
  }
  const fields = new Map(typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : []);
  const field = (name: string): string => String(fields.get(name) ?? '');
  return {
    index: field('index'),
    uuid: field('uuid'),
    name: field('name'),
    serial: field('serial'),
    driver: field('driver'),
  };
}
