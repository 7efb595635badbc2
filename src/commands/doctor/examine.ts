// Starts every source for a moment, with no listener but a count of job lines, and asks each for its health.

import type { Config } from '../../daemon/config.ts';
import type { Emit } from '../../model/record.ts';
import { native } from '../../native.ts';
import type { AnySource } from '../../sources/define-source.ts';
import { createSources, idleSources } from '../../sources/index.ts';
import type { SourceHealth } from '../../sources/source.ts';
import { JobLines } from './job-lines.ts';

const LONGEST_MS = 3000;
/** A device over the network that has not answered yet is waited for: its time-outs say more than "not yet". */
const LONGEST_STARTING_MS = 15_000;
/** A source that reports the same for this long has made up its mind. */
const SETTLED_MS = 1000;
const STEP_MS = 50;

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

async function settled(look: () => SourceHealth[]): Promise<void> {
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
      return;
  }
}
