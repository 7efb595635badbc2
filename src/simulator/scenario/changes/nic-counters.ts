// The counters of network cards that a scenario can let grow: those that the source reads, by their own names.

import { basename } from 'node:path';
import { ETHTOOL_COUNTERS, INTERFACE_COUNTERS, PORT_COUNTERS } from '../../../sources/nic/catalogue.ts';

/** Name of the counter → file below the port's or interface's folder; null: ethtool alone has it. */
export const NIC_COUNTERS: ReadonlyMap<string, string | null> = new Map([
  ...[...PORT_COUNTERS, ...INTERFACE_COUNTERS].map(({ file }) => [basename(file), file] as const),
  ...ETHTOOL_COUNTERS.map(({ name }) => [name, null] as const),
]);
