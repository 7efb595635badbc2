// Starts every source for a moment, with nobody listening but a count of job lines, and asks each how it fares.

import type { Config } from '../../daemon/config.ts';
import type { Emit } from '../../model/record.ts';
import { native } from '../../native.ts';
import { createSources } from '../../sources/index.ts';
import type { SourceHealth } from '../../sources/source.ts';
import { JobLines } from './job-lines.ts';

const LONGEST_MS = 3000;
/** A device over the network that has not answered yet is waited for: its time-outs say more than "not yet". */
const LONGEST_STARTING_MS = 15_000;
/** A source that says the same for this long has made up its mind. */
const SETTLED_MS = 1000;
const STEP_MS = 50;

/** Health of every source that Faultline knows, also of those that are off or not configured. */
export async function examine(config: Config): Promise<SourceHealth[]> {
  const core = new (native().Core)({ historySeconds: 10, maxSeries: 16_384 });
  const abort = new AbortController();
  const set = await createSources(config, core, { lasting: false });
  const jobLines = new JobLines(config.sources['job-log'].jobs);
  const emit: Emit = { samples() {}, text: (record) => jobLines.take(record), event() {}, discovery() {} };
  try {
    core.onWake(() => set.handle(core.drain()));
    for (const source of set.sources) source.start(emit, abort.signal);
    const health = await settled(() => {
      set.handle(core.drain());
      return set.sources.flatMap((source) => source.health());
    });
    return [...jobLines.judge(health), ...absentByConfiguration(config)];
  } finally {
    abort.abort();
    await Promise.all(set.sources.map((source) => source.stop()));
    core.close();
  }
}

async function settled(look: () => SourceHealth[]): Promise<SourceHealth[]> {
  const started = performance.now();
  let since = started;
  let before = '';
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    const health = look();
    const now = performance.now();
    const text = JSON.stringify(health);
    if (text !== before) since = now;
    before = text;
    const starting = health.some(({ detail }) => /^(starting|not read yet)/.test(detail));
    if (now - started >= (starting ? LONGEST_STARTING_MS : LONGEST_MS) || (now - since >= SETTLED_MS && !starting))
      return health;
  }
}

/** What a configuration switches off or does not have. */
export function absentByConfiguration({ sources }: Config): SourceHealth[] {
  const off = (source: string, key: string): SourceHealth => ({
    source,
    status: 'off',
    detail: `switched off by sources.${key}.enabled`,
    remedy: null,
  });
  const unset = (source: string, what: string, line: string): SourceHealth => ({
    source,
    status: 'absent',
    detail: `no ${what} is configured`,
    remedy: `add to the configuration: ${line}`,
  });
  return [
    ...(sources.gpu.enabled === 'off' ? [off('gpu', 'gpu')] : []),
    ...(sources.cpu.enabled === 'off' ? [off('cpu', 'cpu')] : []),
    ...(sources['kernel-log'].enabled === 'off' ? [off('kernel-log', 'kernel_log')] : []),
    ...(sources.system.enabled === 'off' ? [off('system', 'system')] : []),
    ...(sources.nic.enabled === 'off' ? [off('nic', 'nic')] : []),
    ...(sources.hwmon.enabled === 'off' ? [off('hwmon', 'hwmon')] : []),
    ...(sources.pci.enabled === 'off' ? [off('pci', 'pci')] : []),
    ...(sources['flight-recorder'].enabled === 'off' ? [off('flight-recorder', 'flight_recorder')] : []),
    ...(sources.pdu.length > 0
      ? []
      : [
          unset(
            'pdu',
            'PDU',
            'sources: {pdu: [{name: pdu-b, host: 10.0.14.2, community_file: /etc/faultline/pdu-community}]}',
          ),
        ]),
    ...(sources.bmc.length > 0
      ? []
      : [
          unset(
            'bmc',
            'BMC',
            'sources: {bmc: [{host: node-3, url: "https://10.0.20.3", user: faultline, password_file: /etc/faultline/bmc-password}]}',
          ),
        ]),
    ...(sources['job-log'].jobs.length + sources['job-log'].services.length > 0
      ? []
      : [unset('job-log', 'job log', 'sources: {job_log: [{job: llama-70b, path: /var/log/jobs/llama-70b.log}]}')]),
  ];
}
