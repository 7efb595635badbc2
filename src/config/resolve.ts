// Turns a validated configuration into the Config that is in force: milliseconds, bytes, absolute paths, secrets read.

import { dirname, resolve as resolvePath } from 'node:path';
import type { Config, JobLogConfig } from './config.ts';
import { type Surroundings, standardDirectories } from './directories.ts';
import type { Findings } from './findings.ts';
import { parseDuration, parseSize } from './quantity.ts';
import { parseRanks } from './ranks.ts';
import { resolveBmc } from './resolve-bmc.ts';
import { resolveOtlp } from './resolve-otlp.ts';
import { resolvePdu } from './resolve-pdu.ts';
import { resolvePrometheus } from './resolve-prometheus.ts';
import type { RawConfig, RawJobLog } from './schema.ts';
import { topologyLinks } from './topology-links.ts';

// The schema lets only durations and sizes through.
const ms = (text: string): number => parseDuration(text) ?? 0;
const bytes = (text: string): number => parseSize(text) ?? 0;

export function resolve(raw: RawConfig, file: string | null, surroundings: Surroundings, findings: Findings): Config {
  const base = file === null ? '/' : dirname(resolvePath(file));
  const absolute = (path: string) => resolvePath(base, path);
  const standard = standardDirectories(surroundings);
  const host = raw.host ?? surroundings.hostname;
  const {
    gpu,
    cpu,
    kernel_log: kernelLog,
    system,
    nic,
    hwmon,
    pci,
    pdu,
    bmc,
    job_log: jobLog,
    service_log: serviceLog,
    flight_recorder: dumps,
  } = raw.sources;
  unique(
    pdu.map((entry) => entry.name),
    '/sources/pdu',
    'name',
    findings,
  );
  unique(
    bmc.map((entry) => entry.host),
    '/sources/bmc',
    'host',
    findings,
  );
  unique(
    jobLog.map((entry) => `${entry.job} ${absolute(entry.path)}`),
    '/sources/job_log',
    'path',
    findings,
  );
  unique(
    serviceLog.map((entry) => `${entry.service} ${absolute(entry.path)}`),
    '/sources/service_log',
    'path',
    findings,
  );
  if (ms(gpu.burst_interval) > ms(gpu.interval)) {
    findings.problem(
      'FL1110',
      '/sources/gpu/burst_interval',
      `is longer than sources.gpu.interval (${gpu.interval}). Write: burst_interval: ${gpu.interval}`,
    );
  }
  return {
    file: file === null ? null : resolvePath(file),
    host,
    roots: { proc: absolute(raw.roots.proc), sys: absolute(raw.roots.sys) },
    directories: {
      state: absolute(raw.directories.state ?? standard.state),
      log: absolute(raw.directories.log ?? standard.log),
      runtime: absolute(raw.directories.runtime ?? standard.runtime),
    },
    sources: {
      gpu: {
        enabled: gpu.enabled,
        library: gpu.library.includes('/') ? absolute(gpu.library) : gpu.library,
        poll: gpu.poll === 'on',
        intervalMs: ms(gpu.interval),
        burstIntervalMs: ms(gpu.burst_interval),
        callDeadlineMs: ms(gpu.call_deadline),
      },
      cpu: {
        enabled: cpu.enabled,
        intervalMs: ms(cpu.interval),
        fastIntervalMs: cpu.fast_interval === undefined ? null : ms(cpu.fast_interval),
      },
      kernelLog: { enabled: kernelLog.enabled, path: absolute(kernelLog.path), userLines: kernelLog.user_lines },
      system: {
        enabled: system.enabled,
        intervalMs: ms(system.interval),
        filesystems: system.filesystems.map(absolute),
        shm: absolute(system.shm),
      },
      nic: { enabled: nic.enabled, intervalMs: ms(nic.interval), fabric: nic.fabric },
      hwmon: { enabled: hwmon.enabled, intervalMs: ms(hwmon.interval) },
      pci: { enabled: pci.enabled, intervalMs: ms(pci.interval) },
      pdus: pdu.map((entry, i) => resolvePdu(entry, `/sources/pdu/${i}`, absolute, findings)),
      bmcs: bmc.map((entry, i) => resolveBmc(entry, `/sources/bmc/${i}`, absolute, findings)),
      jobLogs: jobLog.map((entry, i) => resolveJobLog(entry, `/sources/job_log/${i}`, absolute, findings)),
      serviceLogs: serviceLog.map(({ service, path }) => ({ service, path: absolute(path) })),
      flightRecorder: {
        enabled: dumps.enabled,
        intervalMs: ms(dumps.interval),
        processes: dumps.processes,
        folders: dumps.folders.map(({ path, pattern, job }) => ({ path: absolute(path), pattern, job: job ?? null })),
        trigger: dumps.trigger,
      },
    },
    topology: { links: topologyLinks(raw, host, findings) },
    correlation: { latenessMs: ms(raw.correlation.lateness), holdMs: ms(raw.correlation.hold) },
    incidents: {
      maxBytes: bytes(raw.incidents.max_bytes),
      maxFiles: raw.incidents.max_files,
      maxAgeMs: ms(raw.incidents.max_age),
    },
    impact: {
      rate:
        raw.impact.gpu_hour_rate === undefined
          ? null
          : { amount: raw.impact.gpu_hour_rate, currency: raw.impact.currency },
    },
    inject: raw.inject.enabled === 'on',
    simulated: raw.simulated,
    record: {
      path: raw.record.path === undefined ? null : absolute(raw.record.path),
      maxBytes: bytes(raw.record.max_bytes),
    },
    otlp: resolveOtlp(raw.otlp, surroundings.environment, absolute, findings),
    prometheus: resolvePrometheus(raw.prometheus, findings),
    logLevel: raw.log_level,
  };
}

function resolveJobLog(
  raw: RawJobLog,
  pointer: string,
  absolute: (path: string) => string,
  findings: Findings,
): JobLogConfig {
  const ranks = parseRanks(raw.ranks);
  if (ranks === null) {
    // An example that the number of ranks allows.
    const example = raw.world_size === undefined || raw.world_size > 23 ? '16-23' : `0-${raw.world_size - 1}`;
    findings.problem('FL1106', `${pointer}/ranks`, `must be ranks, at most 4096. Write: ranks: ${example}`);
  }
  const last = ranks?.at(-1);
  if (last !== undefined && raw.world_size !== undefined && last >= raw.world_size) {
    findings.problem(
      'FL1110',
      `${pointer}/ranks`,
      `holds rank ${last}, but world_size ${raw.world_size} ends at rank ${raw.world_size - 1}`,
    );
  }
  return {
    job: raw.job,
    path: absolute(raw.path),
    framework: raw.framework,
    ranks: ranks ?? [],
    worldSize: raw.world_size ?? null,
  };
}

function unique(names: readonly string[], pointer: string, key: string, findings: Findings): void {
  const seen = new Map<string, number>();
  for (const [i, name] of names.entries()) {
    const first = seen.get(name);
    if (first === undefined) seen.set(name, i);
    else findings.problem('FL1110', `${pointer}/${i}/${key}`, `is that of entry [${first}] too. Give each its own`);
  }
}
