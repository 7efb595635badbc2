// Starts every source for a moment, with no listener but a count of job lines, and asks each for its health.

import type { Config } from '../../daemon/config.ts';
import type { Emit } from '../../model/record.ts';
import { native } from '../../native.ts';
import type { AnySource } from '../../sources/define-source.ts';
import { createSources, idleSources } from '../../sources/index.ts';
import type { SourceHealth } from '../../sources/source.ts';
import { settled } from '../common/settled.ts';
import { JobLines } from './job-lines.ts';

export type Only = (source: AnySource) => boolean;

/** What this user can look at without a cost to the daemon: no device over the network, no driver opened a second time. */
export const LOCAL: Only = ({ exclusive }) => exclusive !== true;

/** Health of every source that Faultline knows, also of those that are off or not configured; `only`: of these. */
export async function examine(config: Config, only: Only = () => true): Promise<SourceHealth[]> {
  const core = new (native().Core)({ historySeconds: 10, maxSeries: 16_384 });
  const abort = new AbortController();
  const jobLines = new JobLines(config.sources['job-log'].jobs);
  const set = await createSources(config, core, { lasting: false, only, linesOf: (job) => jobLines.of(job) });
  const emit: Emit = { samples() {}, text: (record) => jobLines.take(record), event() {}, discovery() {} };
  try {
    core.onWake(() => set.handle(core.drain()));
    for (const source of set.sources) source.start(emit, abort.signal);
    await settled(() => {
      set.handle(core.drain());
      return set.sources.flatMap((source) => source.health());
    });
    return [...set.health(), ...idleSources(config)];
  } finally {
    abort.abort();
    await Promise.all(set.sources.map((source) => source.stop()));
    core.close();
  }
}
