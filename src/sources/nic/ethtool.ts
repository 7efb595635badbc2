// What only ethtool tells of a RoCE port: pauses and discards by priority, pause storms, faults of its module.

import { getSystemErrorName } from 'node:util';
import { native } from '../../native.ts';
import { ETHTOOL_COUNTERS } from './catalogue.ts';

/** Values of the named statistics of an interface, NaN for what it does not have; rejects with an error that has a `code`. */
export type ReadEthtool = (interfaceName: string, names: readonly string[]) => Promise<Float64Array>;

export const readEthtool: ReadEthtool = (interfaceName, names) =>
  new Promise((resolve, reject) =>
    native().ethtoolStatistics(interfaceName, names, (errno, values) => {
      if (errno === 0) resolve(values);
      else reject(Object.assign(new Error(`ethtool ${interfaceName}`), { code: getSystemErrorName(-errno) }));
    }),
  );

const NAMES = ETHTOOL_COUNTERS.map(({ name }) => name);

/** Adds what counts to `counters`, by quantity; a priority that never counted is not in use, and absent. */
export async function addEthtool(
  read: ReadEthtool,
  interfaceName: string,
  counters: Map<string, number>,
): Promise<boolean> {
  const values = await read(interfaceName, NAMES);
  ETHTOOL_COUNTERS.forEach(({ quantity, total, scale, ifUsed }, i) => {
    const value = values[i] ?? Number.NaN;
    if (!Number.isFinite(value) || value < 0) return;
    if (total !== null) counters.set(total, (counters.get(total) ?? 0) + value * scale);
    if (value > 0 || !ifUsed) counters.set(quantity, (counters.get(quantity) ?? 0) + value * scale);
  });
  return true;
}
