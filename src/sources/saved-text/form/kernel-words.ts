// Kernel words: how messages of the kernel and its drivers begin, to know them in a text that does not say who wrote a line.

import catalog from '#catalog/kernel-lines.json' with { type: 'json' };
import { opensSample } from '../../../detection/text/sample-words.ts';

/** Behind these names of drivers and subsystems, and a colon or a device, the kernel's own messages follow. */
const HEADS = [
  'NVRM: ',
  String.raw`nvidia(?:-nvswitch\d+|-peermem|-uvm|-modeset|-nvlink)?[: ] ?`,
  'nvidia_uvm',
  String.raw`mlx5_\w+`,
  'EDAC ',
  'mce: ',
  String.raw`CPU\d+: (?:Core|Package) temperature`,
  String.raw`(?:\{\d+\})?\[Hardware Error\]: `,
  'pcieport ',
  'INFO: (?:task|rcu)',
  '(?:watchdog: )?BUG: soft lockup',
  'NMI watchdog: ',
  'rcu: INFO: ',
  'task:[^]{1,64} state:',
  'Out of memory: Kill',
  'Memory cgroup out of memory: ',
  'oom-kill:constraint=',
  'oom_reaper: ',
  'Kernel panic - ',
  'BUG: (?:kernel NULL|unable to handle|Bad page|sleeping function|workqueue lockup)',
  'Unable to handle kernel ',
  'kernel BUG at ',
  '(?:Oops: )?general protection fault',
  '(?:Internal error: )?Oops(?:: | - )',
  '#PF: ',
  'RIP: 0010:',
  String.raw`CPU: \d{1,5} (?:UID: \d{1,10} )?PID: \d{1,10} Comm: `,
  String.raw`LNet(?:Error)?: \d`,
  'AER: ',
  String.raw`ata\d{1,3}(?:\.\d\d)?: `,
  'exception Emask 0x',
  String.raw`sd \d{1,5}:\d{1,5}:`,
  'Aborting journal on device ',
  'JBD2: ',
  'device-mapper: ',
  String.raw`(?:mpt3sas_cm|megaraid_sas|aacraid)\d{0,3}[: ]`,
  'MCE: Killing ',
  // "bond0: (slave eth1): link status definitely down": a bond is called as its owner likes.
  String.raw`(?:bonding: )?[\w.-]{1,15}: (?:\(slave [^()]{1,15}\): )?(?:Warning: )?(?:link status (?:definitely )?(?:up|down)|now running without any active interface)`,
  String.raw`(?:e1000e?|igb|ixgbe|i40e|ice|tg3|bnx2x|r8169|mlx4_en|qede|cxgb4): \S{1,32} `,
  'Memory failure: 0x',
  '(?:blk_update_request: )?I/O error, dev ',
  'Buffer I/O error on dev',
  String.raw`(?:EXT4-fs|XFS|BTRFS)(?: \w+)? \(`,
  'md/raid',
  String.raw`md\d*: `,
  'nfs: server ',
  'NFS: ',
  'CIFS: ',
  "WARNING: Pool '",
  'habanalabs ',
  'beegfs: ',
  'wekafs',
  'lockd: server ',
  'LustreError: ',
  'Lustre: ',
  'libceph: ',
  'ceph: ',
  String.raw`nvme nvme\d`,
  'NETDEV WATCHDOG: ',
  'x86/amd: Previous system reset reason ',
  'amdgpu(?: [0-9a-f]{4}:|: )',
  String.raw`\[drm(?: ERROR )?(?::\w+)?(?: \[\w+\])?\]`,
  'thermal thermal_zone',
  // "bnxt_en 0000:81:00.0 eth2: ": any driver, and the device of which it speaks.
  String.raw`[\w-]{2,32} [0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7][: ]`,
  // A crash: the name of a process, its pid, and the kernel's words.
  String.raw`[^]{1,15}\[\d{1,10}\]: (?:segfault at |unhandled )`,
  String.raw`traps: [^]{1,15}\[\d{1,10}\] `,
  String.raw`(?:I/O|timeout|critical \w{2,12}|recoverable transport|protection|device offline) error, dev `,
  'attempt to access beyond end of device',
  String.raw`(?:NMI: |Uhhuh\. NMI |smp: csd: |CPUs? not responding to MCE|CPU\d{1,5}: (?:failed to come|is stuck|Machine Check))`,
];

/** Any program writes its name and a colon: a head with nothing else in it says nothing of who wrote the line. */
const ANY_NAME = 'RuntimeError: ';

/** Those of the catalogue; where a head may be left out, the lists above have what its lines begin with. */
const CATALOGUED = Object.values(catalog.heads)
  .map(({ form }) => form.replaceAll(/\(\?<\w+>/g, '(?:'))
  .filter((form) => !['', ANY_NAME].some((text) => new RegExp(`^(?:${form})`).test(text)));

const KERNEL = new RegExp(`^(?:${[...HEADS, ...CATALOGUED].map((head) => `(?:${head})`).join('|')})`);

export function readsAsKernel(text: string): boolean {
  return KERNEL.test(text);
}

/** What another program quotes of the driver, behind its own words. */
const QUOTED = /[;:\s](NVRM: Xid \((?:PCI:)?[0-9a-fA-F]{2,8}:[\s\S]*)$/;
/** An event of a node in a table of kubectl, which says of which node it is and when it was. */
const OF_NODE = /\s(?:Normal|Warning)\s{1,40}\w{3,60}\s{1,40}node\/[a-z0-9]/;
const MAX_HEAD = 400;

export function quotedKernel(text: string): string | null {
  const head = text.slice(0, MAX_HEAD);
  if (!head.includes('NVRM: Xid (') || OF_NODE.test(head)) return null;
  const quoted = QUOTED.exec(text);
  return quoted === null || opensSample(text.slice(0, quoted.index + 1)) ? null : (quoted[1] ?? null);
}
