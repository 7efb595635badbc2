// Reads one BMC once and gives the readings document.

import { READINGS_SCHEMA, type ReadingsDocument } from '../../model/documents/readings.ts';
import { formatTime } from '../../model/time.ts';
import type { TimedPart } from './decode/parts.ts';
import { discoverBmc } from './discover.ts';
import { ONLY_SUBSCRIPTIONS } from './discoveries.ts';
import { RedfishClient } from './http/client.ts';
import { mergeSupplies } from './merge-supplies.ts';
import { readOne } from './read-resources.ts';
import { readingsOf } from './readings.ts';
import type { BmcSettings } from './settings.ts';
import { BmcClock, offsetSeconds } from './watch/clock.ts';

/** A clock that is further off than this is worth a word. s */
const CLOCK_OFF = 5;

/** A reading that takes longer shows how far it is. */
const PROGRESS_MS = 2000;

/** Rejects with RedfishError. The session is ended in every case. */
export async function readBmc(
  config: BmcSettings,
  now: () => number,
  options: { readonly onProgress?: (text: string) => void } = {},
): Promise<ReadingsDocument> {
  const client = new RedfishClient(config, now);
  let step = 'which resources it has';
  const progress = setInterval(() => options.onProgress?.(`${client.peer.url}: reading ${step}`), PROGRESS_MS);
  const clock = new BmcClock();
  try {
    const plan = await discoverBmc(client, { gpus: 'whole', logs: true });
    const parts: TimedPart[] = [];
    const all = [...plan.fast, ...plan.slow, ...plan.gpus];
    for (const [at, planned] of all.entries()) {
      step = `resource ${at + 1} of ${all.length}`;
      const result = await readOne(client, plan, planned);
      parts.push(...result.parts);
      for (const { dateMs, sentMs, receivedMs } of result.resources) {
        const stampMs = dateMs ?? result.manager?.dateTimeMs ?? null;
        if (stampMs !== null) clock.observe(stampMs, sentMs, receivedMs);
      }
    }
    const { readings, states } = readingsOf(config.host, mergeSupplies(parts));
    const offset = offsetSeconds(clock.offset);
    const clockWarning =
      offset !== null && Math.abs(offset) >= CLOCK_OFF ? [`the BMC's clock is off by ${offset} s; set NTP on it`] : [];
    return {
      schema: READINGS_SCHEMA,
      target: client.peer.url,
      observed_at: formatTime(now()),
      identity: plan.identity,
      readings,
      states,
      warnings: [...plan.warnings, ...(plan.onlySubscriptions ? [ONLY_SUBSCRIPTIONS] : []), ...clockWarning],
    };
  } finally {
    clearInterval(progress);
    await client.close();
  }
}
