// Lines of RDMA cards' drivers, mlx5 aside: commands that the card leaves without an answer, firmware that failed.

import { canonicalPciAddress } from '../../../model/component.ts';
import type { Kind } from '../../../model/kind.ts';
import { evidenceText } from '../evidence.ts';
import { ADDRESS, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';

/**
 * dev_err() begins with "DRIVER ADDRESS: ", ibdev_err() and netdev_err() with "DRIVER ADDRESS NAME: ", of the RDMA device or the
 * interface; one that has no name yet is "(unnamed net_device) (uninitialized)".
 */
const HEAD = new RegExp(
  `^(efa|ena|bnxt_en|ice|i40e|idpf|irdma) (${ADDRESS})(?: \\(unnamed net_device\\)(?: \\(\\w{1,20}\\))?| ([^\\s:/]{1,63}))?: `,
);

type Row = readonly [message: RegExp, kind: Kind];

/**
 * Commands that the card refuses ("Failed to process command … comp_status 2", "hwrm req_type 0x… error 0x…") are not here:
 * a program asked for what the card does not do.
 */
const EFA: readonly Row[] = [
  // efa_com.c: after the first of these the driver takes no further command until the device is reset.
  [/^The device didn't send any completion for admin cmd (\w{1,48})\(\d{1,5}\) /, 'nic.command_timeout'],
  [
    /^The device sent a completion but the driver didn't receive any MSI-X interrupt for admin cmd (\w{1,48})\(\d{1,5}\) /,
    'nic.command_timeout',
  ],
  [/^Wait for completion \(polling\) timeout\s*$/, 'nic.command_timeout'],
  [/^Admin queue is closed\s*$/, 'nic.command_timeout'],
  [/^Reading register timed out\. expected: req id\[\d{1,10}\] offset\[/, 'nic.command_timeout'],
  [/^comp_ctx is NULL\. Changing the admin queue running state\s*$/, 'nic.firmware_fault'],
  [/^Reset indication didn't turn o(?:n|ff)\s*$/, 'nic.firmware_fault'],
  [/^Device isn't ready, (?:can't reset device|abort com init 0x[0-9a-f]{1,8})\s*$/, 'nic.firmware_fault'],
];
const ENA: readonly Row[] = [
  // ena_netdev.c: the driver resets the device for each of these.
  [/^Keep alive watchdog timeout\.\s*$/, 'nic.command_timeout'],
  [/^ENA admin queue is not in running state!\s*$/, 'nic.command_timeout'],
  [/^The number of lost tx completions is above the threshold \(/, 'nic.command_timeout'],
  [/^Device isn't ready, (?:can't reset device|abort com init)/, 'nic.firmware_fault'],
];
const BNXT: readonly Row[] = [
  // bnxt_re/qplib_rcfw.c: today's words, and those before Linux 6.5
  [
    /^QPLIB: (?:\w{1,48}: )?FW STALL Detected\. cmdq\[0x[0-9a-f]{1,8}\]=(0x[0-9a-f]{1,4}) waited /,
    'nic.command_timeout',
  ],
  [/^QPLIB: cmdq\[0x[0-9a-f]{1,8}\]=(0x[0-9a-f]{1,4}) timedout \(\d{1,10}\)msec/, 'nic.command_timeout'],
  // bnxt_hwrm.c: commands of the Ethernet side
  [/^Error \(timeout: \d{1,10}\) msg \{(0x[0-9a-f]{1,4}) 0x[0-9a-f]{1,4}\} len:\d{1,6}/, 'nic.command_timeout'],
  [/^Resp cmpl intr err msg: (0x[0-9a-f]{1,4})\s*$/, 'nic.command_timeout'],
  [
    /^Resp cmpl intr abandoning msg: (0x[0-9a-f]{1,4}) due to firmware status: 0x[0-9a-f]{1,8}\s*$/,
    'nic.firmware_fault',
  ],
  // bnxt.c: firmware that is asked to activate itself reports "non-fatal"
  [/^Firmware not responding, status: 0x[0-9a-f]{1,8}\s*$/, 'nic.firmware_fault'],
  [/^(?:Firmware fatal|Fatal firmware) reset event(?: received|, data1: )/, 'nic.firmware_fault'],
  [/^Detected firmware fatal condition, initiating reset\s*$/, 'nic.firmware_fault'],
];
const IRDMA: readonly Row[] = [
  // irdma/main.c: each ends in a reset of the function. The same lines carry the name of the Ethernet driver, which owns the address.
  [/^critical PE Error, GLPE_CRITERR=0x[0-9a-f]{8}\s*$/, 'nic.firmware_fault'],
  [/^(?:HMC Error|PE Push Error|Requesting a reset)\s*$/, 'nic.firmware_fault'],
];
const ROWS: Readonly<Record<string, readonly Row[]>> = { efa: EFA, ena: ENA, bnxt_en: BNXT };

/** "efa 0000:4f:00.0 rdmap79s0: Admin queue is closed" */
export function cardLine(text: string, { host }: KernelContext): Finding | null {
  const [head, driver = '', written = '', name] = HEAD.exec(text) ?? [];
  const id = head === undefined ? null : canonicalPciAddress(written);
  if (head === undefined || id === null) return null;
  const message = text.slice(head.length);
  for (const [form, kind] of ROWS[driver] ?? IRDMA) {
    const found = form.exec(message);
    if (found === null) continue;
    const aliases = name === undefined ? {} : { aliases: [evidenceText(name)] };
    const command = found[1] === undefined ? {} : { command: found[1] };
    return { kind, component: { type: 'nic', id, host, ...aliases }, attributes: { driver, ...command } };
  }
  return null;
}
