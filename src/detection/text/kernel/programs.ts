// Programs of whose lines the decoders of kernel text know any: what they print of devices, clocks, power and file systems.

import { PDU_PROGRAMS } from '../programs/pdu-line.ts';
import { PROGRAM_ROWS } from '../programs/program-rows.ts';
import { BEEGFS_SERVER } from './beegfs-server-line.ts';

const OTHERS = [
  'mmfs',
  'ipmievd',
  BEEGFS_SERVER,
  'systemd\\[1\\]',
  ...PDU_PROGRAMS.map((program) => `${program}(?![\\w-])`),
];

export const SPEAKS_OF_DEVICES = new RegExp(
  `^(?:${[...OTHERS, ...new Set(PROGRAM_ROWS.map(({ program }) => `${program}(?![\\w-])`))].join('|')})`,
);

/** As a line of syslog names who wrote it: "apcupsd[812]: ". */
const HEAD = /^([\w.@/-]{1,32})(?:\[\d{1,10}\])?: /;
const SOME_PROGRAM = 'a program';

/**
 * Who wrote a line of a program: by its name where that is one whose lines are read. Any other name is the program's own word, and
 * could be the kernel's or that of a source.
 */
export function programOf(text: string): string {
  return (SPEAKS_OF_DEVICES.test(text) ? HEAD.exec(text)?.[1] : undefined) ?? SOME_PROGRAM;
}
