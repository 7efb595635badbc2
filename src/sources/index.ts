// Which sources a configuration asks for, and which of them reads what native code hands over.

import { readFile } from 'node:fs/promises';
import { serviceControlGroup } from '../identity/control-group.ts';
import { Identity } from '../identity/identity.ts';
import { WallTimes } from '../model/wall-times.ts';
import { type Drained, type NativeCore, nativePath } from '../native.ts';
import type { Bulkhead } from './bulkhead.ts';
import { CpuSource } from './cpu/cpu-source.ts';
import { STANDARD } from './flight-recorder/dumps/places.ts';
import { FlightRecorderSource, type OnSummary } from './flight-recorder/flight-recorder-source.ts';
import { GpuSource } from './gpu/gpu-source.ts';
import { HwmonSource } from './hwmon/hwmon-source.ts';
import { JobLogSource } from './job-log/job-log-source.ts';
import { KernelLogSource } from './kernel-log/kernel-log-source.ts';
import { readEthtool } from './nic/ethtool.ts';
import { NicSource } from './nic/nic-source.ts';
import { PciSource } from './pci/pci-source.ts';
import type { SourcesConfig } from './registry.ts';
import { SmallFiles, type StuckBudget } from './small-files.ts';
import type { Source } from './source.ts';
import { readClockJump } from './system/clock-jump-notice.ts';
import { systemSource } from './system/make-system-source.ts';
import { watchInto } from './watched-source.ts';

/** Shows the network that this process is in. */
const OWN_SYS = '/sys';

export interface SourceSet {
  readonly sources: readonly Source[];
  /** Gives kernel records and notices to the sources that read them. */
  handle(drained: Drained): void;
  /** Looks closer at the GPUs for a while, and asks ranks for dumps where that is configured. */
  suspect(): void;
  /** A job makes steps again. */
  goesOn(job: string): void;
  /** Lets go of every device file for `durationMs`; false when no source holds any. The notice brings `traceparent` back. */
  releaseDevices(durationMs: number, traceparent?: string): boolean;
}

export interface SourceSurroundings {
  readonly lasting?: boolean;
  readonly onSummary?: OnSummary;
  /** What is known of this host; sources teach it and ask it. Left out: one of their own. */
  readonly identity?: Identity;
  /** Left out: what is thrown goes to the caller, as tests and a look of a moment want it. */
  readonly bulkhead?: Bulkhead;
  /** For what a device on the network did: it restarted, answers again, refused a user. */
  readonly logger?: { info(fields: object, text: string): void; warn(fields: object, text: string): void };
}

/**
 * A source that is off, or has nothing configured, is not made: it opens no file, socket or timer. `lasting` is false for
 * a look of a moment, which leaves nothing on disk and takes no inventory. `onSummary`: as of the flight-recorder source.
 */
export async function createSources(
  config: SourcesConfig,
  core: NativeCore,
  { lasting = true, onSummary, bulkhead, logger, ...given }: SourceSurroundings = {},
): Promise<SourceSet> {
  const { gpu: gpuConfig, cpu: cpuConfig, 'kernel-log': kernelConfig, pdu: pdus, bmc: bmcs } = config.sources;
  const { jobs: jobLogs, services: serviceLogs } = config.sources['job-log'];
  const dumpConfig = config.sources['flight-recorder'];
  const { host, roots } = config;
  const now = () => core.now();
  const { identity = new Identity(host, { now }) } = given;
  const gpu = gpuConfig.enabled === 'off' ? null : new GpuSource(gpuConfig, config.host, core, identity.gpus);
  const budget: StuckBudget = { stuck: 0 };
  const files = () => new SmallFiles(budget);
  const { own } = identity;
  own.runsIn(serviceControlGroup(await readFile('/proc/self/cgroup', 'latin1').catch(() => '')));
  const threads = files();
  own.listThreadsBy(async (pid) => ((await threads.list(`/proc/${pid}/task`)) ?? []).map(Number));
  if (gpu !== null) own.add('gpu', () => [gpu.childPid()].filter((pid) => pid !== null));
  const cpu = cpuConfig.enabled === 'off' ? null : new CpuSource(cpuConfig, roots.sys, host, core, files());
  const kernelLog =
    kernelConfig.enabled === 'off' ? null : new KernelLogSource(kernelConfig, config.host, core, undefined, own);
  const { nic: nicConfig, hwmon: hwmonConfig, pci: pciConfig } = config.sources;
  const look = { host, sys: roots.sys, now };
  // Another tree may be of another network, whose interfaces have the same names.
  const ethtool = roots.sys === OWN_SYS ? { ethtool: readEthtool } : {};
  // A replay finds events by the samples that were recorded: then they must all pass through here.
  const reading = config.record.path === null && lasting ? { watch: watchInto(core) } : {};
  const nic =
    nicConfig.enabled === 'off' ? null : new NicSource(nicConfig, { ...look, ...ethtool, ...reading, files: files() });
  const hwmon =
    hwmonConfig.enabled === 'off' ? null : new HwmonSource(hwmonConfig, { ...look, ...reading, files: files() });
  const library = () => identity.gpus.listed();
  const pci =
    pciConfig.enabled === 'off' ? null : new PciSource(pciConfig, { host, roots, library, now, files: files() });
  const sources: Source[] = [gpu, cpu, kernelLog, nic, hwmon, pci].filter((source) => source !== null);
  const system = config.sources.system.enabled === 'off' ? null : systemSource(config, now, lasting, own);
  if (system !== null) sources.push(system);
  const wall = new WallTimes();
  const logged = logger === undefined ? {} : { logger };
  // net-snmp is loaded only where a PDU is configured.
  if (pdus.length > 0) {
    const { PduSource } = await import('./pdu/pdu-source.ts');
    sources.push(new PduSource(pdus, { now: () => core.now(), ...logged }));
  }
  if (bmcs.length > 0) {
    const { BmcSource } = await import('./bmc/bmc-source.ts');
    sources.push(new BmcSource(bmcs, { now: () => core.now(), ...logged }));
  }
  const logs = [...jobLogs, ...serviceLogs];
  if (logs.length > 0) sources.push(new JobLogSource(logs, { host: config.host, now: () => core.now() }));
  const dumps =
    dumpConfig.enabled === 'off'
      ? null
      : new FlightRecorderSource(dumpConfig, {
          host,
          proc: roots.proc,
          now,
          steady: (wallMs) => wall.steady(wallMs, now()).timeMs,
          program: nativePath('faultline-fr'),
          identity,
          jobs: jobLogs,
          standard: STANDARD,
          ...(onSummary === undefined ? {} : { onSummary }),
        });
  if (dumps !== null) sources.push(dumps);
  const guarded = (name: string, work: () => void) => (bulkhead === undefined ? work() : bulkhead.run(name, work));
  return {
    sources: bulkhead === undefined ? sources : sources.map((source) => bulkhead.source(source)),
    handle(drained) {
      if (drained.records.length > 0) {
        for (const source of [kernelLog, nic, hwmon]) {
          if (source !== null) guarded(source.name, () => source.handleRecords(drained.records));
        }
      }
      for (const notice of drained.notices) {
        for (const source of [gpu, cpu, kernelLog, system]) {
          if (source !== null) guarded(source.name, () => source.handleNotice(notice));
        }
        const jump = readClockJump(notice);
        if (jump !== null) wall.stepped(jump.byMs, jump.when);
      }
      for (const source of [nic, hwmon]) {
        if (source !== null) guarded(source.name, () => source.handleNotices(drained.notices));
      }
    },
    suspect() {
      gpu?.suspect();
      dumps?.suspect();
    },
    goesOn(job) {
      dumps?.goesOn(job);
    },
    releaseDevices(durationMs, traceparent) {
      return gpu?.release(durationMs, traceparent) ?? false;
    },
  };
}
