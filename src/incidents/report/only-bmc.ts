// Only the BMC: a fault of the host that only the log of its BMC has. The host has most often restarted since, and its kernel log is gone.

import type { Incident } from '../../model/incident.ts';
import { HANDS } from './kind-step.ts';
import type { Special } from './special-step.ts';

const OF_BMCS: ReadonlySet<string> = new Set(['redfish-log', 'ipmi-sel', 'bmc']);

/** Null where a log of the host speaks of it as well, or a part of it is named. */
export function onlyBmc({ root, events, action: { kind, target } }: Incident): Special | null {
  if (root.kind !== 'cpu.machine_check' || kind !== 'inspect_hardware' || target?.type !== 'host') return null;
  if (!events.every(({ source }) => OF_BMCS.has(source))) return null;
  return {
    does: 'find the part of % that failed: its BMC and the diagnosis of its vendor name it',
    now: 'DRAIN; save what its BMC kept, for the kernel log of @ has it only where it did not restart (HPE: the AHS log; Dell: racadm techsupreport collect; others: ipmitool -I lanplus -H BMC -U USER -f PASSFILE sel elist); then run the diagnosis of its vendor on @',
    call: HANDS,
  };
}
