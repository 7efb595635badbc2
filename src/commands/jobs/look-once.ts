// Look once: the sources that say whose work is here, started for a moment, where no daemon can be asked.

import type { Config } from '../../daemon/config.ts';
import { devicesDocument, jobsDocument, SOURCES_OF_WORK } from '../../daemon/jobs.ts';
import { Identity } from '../../identity/identity.ts';
import type { DevicesDocument, JobsDocument } from '../../model/documents/jobs.ts';
import type { Emit } from '../../model/record.ts';
import { native } from '../../native.ts';
import { createSources } from '../../sources/index.ts';
import { settled } from '../common/settled.ts';

export async function lookOnce(config: Config, devices: boolean): Promise<JobsDocument | DevicesDocument> {
  const core = new (native().Core)({ historySeconds: 10, maxSeries: 16_384 });
  const now = () => core.now();
  const identity = new Identity(config.host, { now });
  const abort = new AbortController();
  const only = ({ name }: { readonly name: string }) => SOURCES_OF_WORK.includes(name);
  const set = await createSources(config, core, { identity, lasting: false, only });
  const emit: Emit = { samples() {}, text() {}, event() {}, discovery: (found) => identity.learn(found) };
  try {
    core.onWake(() => set.handle(core.drain()));
    for (const source of set.sources) source.start(emit, abort.signal);
    await settled(
      () => {
        set.handle(core.drain());
        return set.sources.flatMap((source) => source.health());
      },
      () => identity.work.fresh().version,
    );
    const parts = { host: config.host, now, identity, core, health: () => set.health() };
    return devices ? devicesDocument(parts) : jobsDocument(parts);
  } finally {
    abort.abort();
    await Promise.all(set.sources.map((source) => source.stop()));
    core.close();
  }
}
