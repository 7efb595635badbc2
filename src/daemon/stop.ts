// Stop: drains and closes the parts in the order of the data, each group within its own deadline, whatever hangs.

import { within } from '../helpers/within.ts';
import type { Parts } from './parts.ts';

/** What each group is given; what hangs is left behind. Sources promise to be done in a second. */
const GROUPS_MS = { sources: 1_500, log: 1_200, outputs: 1_300 };
/** All of it. */
export const STOP_MS = Object.values(GROUPS_MS).reduce((sum, ms) => sum + ms, 0);

/** Stops what was built so far. Idempotent. */
export async function stopParts(parts: Parts): Promise<void> {
  parts.service.stopping();
  parts.abort.abort();
  for (const timer of parts.timers) clearTimeout(timer);
  parts.ticker.stop();
  await stopSources(parts);
  parts.pipeline?.reportWaiting();
  parts.injection.end();
  await closeLog(parts);
  // Last: what was written at the very end is still sent.
  await within(GROUPS_MS.outputs, Promise.allSettled([parts.outputs?.stop()]));
  parts.core.close();
}

async function stopSources({ notes, sources }: Parts): Promise<void> {
  const stops = [notes, ...(sources?.sources ?? [])].map((source) => source?.stop());
  await within(GROUPS_MS.sources, Promise.allSettled(stops));
}

async function closeLog({
  core,
  recorder,
  log,
  alive,
  api,
  tcp,
  blackBox,
  memory,
  identity,
  ledger,
}: Parts): Promise<void> {
  const written = ledger?.stop(); // pushed before the log closes, which writes what waits
  const closing = [
    written,
    recorder?.close(core.now()),
    log?.close().then(() => alive?.stop()),
    api?.close(),
    tcp?.close(),
    memory?.stop(),
    identity.parts.stop(),
    blackBox?.close(),
  ];
  await within(GROUPS_MS.log, Promise.allSettled(closing));
}
