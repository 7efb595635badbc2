// Which logs of a BMC are read: those of events and faults, not those that are dumps, journals and screens full of text.

import { at, linkAt, textAt } from '../decode/json.ts';
import { isSkippedLog } from '../decode/quirks.ts';
import type { RedfishClient } from '../http/client.ts';
import type { Resource } from '../http/resource.ts';

const MOST_SERVICES = 24;
const MOST_LOGS = 8;

export interface LogPlan {
  /** Collection of its entries. */
  readonly path: string;
  /** "Sel", for reports. */
  readonly name: string;
  /** Its times are of this zone where they name none. */
  readonly zone: string | null;
}

/** `holders`: systems, managers and chassis, each of which may have logs. */
export async function findLogs(client: RedfishClient, holders: readonly Resource[]): Promise<LogPlan[]> {
  const logs = new Map<string, LogPlan>();
  const collections = new Set(holders.map(({ body }) => linkAt(body, 'LogServices')).filter((link) => link !== null));
  for (const collection of collections) {
    const services = ((await client.members(collection)) ?? []).filter((path) => !isSkippedLog(path));
    for (const path of services.slice(0, MOST_SERVICES)) {
      const service = await client.tryGet(path);
      const entries = linkAt(service?.body, 'Entries');
      if (service === null || entries === null || at(service.body, 'ServiceEnabled') === false) continue;
      const name = textAt(service.body, 'Id') ?? path.split('/').filter(Boolean).at(-1) ?? 'log';
      logs.set(entries, { path: entries, name, zone: textAt(service.body, 'DateTimeLocalOffset') });
    }
  }
  return [...logs.values()].slice(0, MOST_LOGS);
}
