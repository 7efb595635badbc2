// Members of a collection in one request, where two or more become one by it.

import type { Collected } from './bmc-plan.ts';
import type { RedfishClient } from './http/client.ts';
import type { Resource } from './http/resource.ts';

export async function together(
  client: RedfishClient,
  { collection, members }: Collected,
  levels: 1 | 2,
): Promise<ReadonlyMap<string, Resource> | null> {
  const alone = members.length < 2 && members.every(({ metrics }) => metrics === null);
  return collection === null || alone ? null : client.expanded(collection, levels);
}
