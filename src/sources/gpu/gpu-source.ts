// GPU source: the vendor child's inventory, health and XIDs; its samples go from the ring to the detectors natively.

import type { Config } from '../../config/config.ts';
import { xidEvent } from '../../detection/text/xid.ts';
import { type Component, parseComponent } from '../../model/component.ts';
import type { Evidence } from '../../model/event.ts';
import type { Emit, EventInput } from '../../model/record.ts';
import { type NativeCore, type NativeVendor, type Notice, native, nativePath } from '../../native.ts';
import type { Source, SourceCounts, SourceHealth, SourceStatus } from '../source.ts';

/** NVML return codes (nvml.h, nvmlReturn_t) that mean that one device is gone. */
const GPU_IS_LOST = 15;
const BURST_MS = 30_000;
const FAILURES: readonly string[] = ['child_exit', 'call_stalled', 'device_lost'];

/** What the supervisor's states mean for the source; the others are failures. */
const STATUS_OF: Readonly<Record<string, SourceStatus>> = {
  absent: 'absent',
  released: 'off',
  stopped: 'off',
  throttled: 'works',
};

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
  readonly #models = new Set<string>();
  /** Children that ended by themselves, calls that hung, devices that were lost. */
  #failures = 0;

  constructor(config: Config['sources']['gpu'], host: string, core: NativeCore) {
    this.#config = config;
    this.#host = host;
    this.#core = core;
  }

  start(emit: Emit): void {
    this.#emit = emit;
    this.#vendor = new (native().Vendor)(this.#core, {
      executable: nativePath('faultline-vendor'),
      library: this.#config.library,
      intervalMs: this.#config.intervalMs,
      burstIntervalMs: this.#config.burstIntervalMs,
      callDeadlineMs: this.#config.callDeadlineMs,
    });
  }

  health(): readonly SourceHealth[] {
    const remedy = this.#status === 'works' ? null : this.#remedy();
    return [{ source: this.name, status: this.#status, detail: this.#detail, remedy }];
  }

  counts(): readonly SourceCounts[] {
    return [{ source: this.name, failures: this.#failures }];
  }

  childPid(): number | null {
    return this.#vendor?.pid() ?? null;
  }

  /** PCI addresses of the GPUs that the library enumerated so far; null while it does not work. */
  addresses(): readonly string[] | null {
    return this.#status === 'works' ? [...this.#devices.values()].map(({ id }) => id) : null;
  }

  /** The GPUs that were enumerated, with UUID and "gpu <index>" among their aliases, and whether all are of one model. */
  devices(): { readonly gpus: readonly Component[]; readonly oneModel: boolean } {
    return { gpus: [...this.#devices.values()], oneModel: this.#models.size === 1 };
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
    this.#vendor?.release(durationMs, traceparent);
    return this.#vendor !== null;
  }

  handleNotice(notice: Notice): void {
    if (notice.type === 'device') this.#device(notice);
    else if (notice.type === 'state') this.#state(notice);
    if (FAILURES.includes(notice.type)) this.#failures += 1;
    const event = this.#eventOf(notice);
    if (event !== null) this.#emit?.event(event);
  }

  #eventOf(notice: Notice): EventInput | null {
    const base = { ...this.#base(notice), evidence: [evidenceOf(notice)] };
    const component = this.#component(notice);
    switch (notice.type) {
      case 'xid':
        return xidEvent(notice.value, component, base);
      case 'device_lost': {
        const kind = notice.value === GPU_IS_LOST ? 'gpu.lost' : 'gpu.fault';
        const attributes = { nvml_return: notice.value, call: notice.name, text: notice.text };
        return { ...base, kind, component, attributes };
      }
      case 'call_stalled': {
        const attributes = { call: notice.name, stalled_ms: notice.value };
        return { ...base, kind: 'gpu.call_stalled', component, attributes };
      }
      case 'child_exit': {
        const reason = `vendor child ${notice.name}`;
        const attributes = { source: 'gpu', reason, detail: notice.text, status: notice.value };
        return { ...base, kind: 'agent.source_failed', trust: 'system', component: null, attributes };
      }
      case 'state': {
        if (notice.name !== 'access_lost') return null;
        const host: Component = { type: 'host', id: this.#host };
        return { ...base, kind: 'gpu.access_lost', component: host, attributes: { text: notice.text } };
      }
      default:
        return null;
    }
  }

  #device(notice: Notice): void {
    const details = parseDetails(notice.text);
    const gpu = parseComponent(notice.component, this.#host);
    if (gpu === null) return;
    const aliases = [`gpu ${details.index}`, details.uuid, details.serial].filter((alias) => alias !== '');
    const component: Component = { ...gpu, parent: `host/${this.#host}`, aliases };
    this.#devices.set(notice.component, component);
    this.#driver = details.driver;
    this.#models.add(details.name);
    this.#works();
    this.#emit?.discovery({
      component,
      links: [{ from: { type: 'host', id: this.#host }, to: component, relation: 'contains', source: 'host' }],
      attributes: { model: details.name, uuid: details.uuid, serial: details.serial, driver: details.driver },
    });
  }

  #state(notice: Notice): void {
    if (notice.name === 'running') {
      this.#works();
      return;
    }
    this.#status = STATUS_OF[notice.name] ?? 'failed';
    this.#detail = notice.text === '' ? notice.name : notice.text;
  }

  #works(): void {
    this.#status = 'works';
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

/** What the vendor library or its supervisor said, in its own terms. */
function evidenceOf(notice: Notice): Evidence {
  const said: Readonly<Record<string, string>> = {
    xid: `NVML event: XID ${notice.value}`,
    device_lost: `${notice.name} returned ${notice.value}${notice.text === '' ? '' : ` (${notice.text})`}`,
    call_stalled: `${notice.name} had not returned after ${notice.value} ms`,
    child_exit: `vendor child ${notice.name} ${notice.value}${notice.text === '' ? '' : `: ${notice.text}`}`,
  };
  return { source: 'gpu', timeMs: notice.timeMs, text: said[notice.type] ?? notice.text };
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
