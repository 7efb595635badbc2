// Queues of a network card that send nothing while its link is up, as the kernel's watchdog and the drivers report them.

import { type Component, canonicalPciAddress } from '../../../model/component.ts';
import { evidenceText } from '../evidence.ts';
import { ADDRESS, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';

/** dev_valid_name(): no "/", no ":" and no white space, 15 bytes. */
const PORT = '[^\\s:/]{1,15}';
/** "r8125 0000:22:04.0 eth4: ", as netdev_printk() begins a line. */
const HEAD = `([\\w-]{1,32}) (${ADDRESS}) (${PORT})`;
/**
 * "… : NETDEV WATCHDOG: CPU: 3: transmit queue 0 timed out 5010 ms" since Linux 6.5, before "NETDEV WATCHDOG: eth2 (igb): transmit
 * queue 5 timed out", with the time since 6.3, and of old without the queue (net/sched/sch_generic.c).
 */
const WATCHDOG = new RegExp(
  `^${HEAD}: NETDEV WATCHDOG: (?:CPU: \\d{1,5}: )?transmit queue (\\d{1,5}) timed out (\\d{1,10}) ms\\s*$`,
);
const OLD = new RegExp(
  `^NETDEV WATCHDOG: (${PORT}) \\(([\\w-]{0,32})\\): transmit (?:queue (\\d{1,5}) )?timed out(?: (\\d{1,10}) ms)?\\s*$`,
);
/** "mlx5_core 0000:86:00.0 ens6: TX timeout on queue: 3, SQ: 0x…" and "TX timeout detected" (en_main.c), "bnxt_en …: TX timeout detected, starting reset task!". */
const DRIVER = new RegExp(
  `^${HEAD}: (?:TX timeout detected(?:, starting reset task!)?|TX timeout on queue: (\\d{1,5}),[^\\n]{0,160})\\s*$`,
);
/** "ice 0000:31:00.0 ens1f0: tx_timeout: VSI_num: 10, Q 3, NTC: 0x1, …", "VSI_seid" of i40e (ice_main.c, i40e_main.c). */
const VSI = new RegExp(`^${HEAD}: tx_timeout: VSI_(?:num|seid): \\d{1,6}, Q (\\d{1,5}), NTC[^\\n]{0,160}$`);
/** Cards that carry a job's traffic; others are of the host's management. */
const FABRIC: ReadonlySet<string> = new Set([
  'mlx5_core',
  'mlx4_en',
  'mlx4_core',
  'bnxt_en',
  'ice',
  'irdma',
  'ionic',
  'gve',
  'ena',
]);

export function transmitLine(text: string, { host }: KernelContext): Finding | null {
  const [named, driver = '', address = '', port = '', queue, waited] =
    WATCHDOG.exec(text) ?? DRIVER.exec(text) ?? VSI.exec(text) ?? [];
  if (named !== undefined) return stuck(driver, canonicalPciAddress(address), port, queue, waited, host);
  const [old, oldPort = '', oldDriver = '', oldQueue, oldWaited] = OLD.exec(text) ?? [];
  return old === undefined ? null : stuck(oldDriver, null, oldPort, oldQueue, oldWaited, host);
}

function stuck(
  driver: string,
  address: string | null,
  port: string,
  queue: string | undefined,
  waited: string | undefined,
  host: string,
): Finding {
  // Older kernels name the port alone; the card's own source, and the driver's line that follows, know it by that name.
  const named = evidenceText(port);
  const component: Component =
    address === null ? { type: 'nic', id: port, host } : { type: 'nic', id: address, host, aliases: [named] };
  return {
    kind: 'nic.command_timeout',
    component,
    severity: FABRIC.has(driver) ? 'error' : 'warning',
    attributes: {
      driver,
      interface: named,
      transmit_queue: queue === undefined ? null : Number(queue),
      ...(waited === undefined ? {} : { waited_ms: Number(waited) }),
    },
  };
}
