// Programs of whose lines the decoders of kernel text know any: what they print of devices, clocks, power and file systems.

import { PROGRAM_ROWS } from '../programs/program-rows.ts';

const OTHERS = ['chronyd', 'ntpd', 'systemd-timesyncd', 'mmfs', 'systemd\\[1\\]'];

export const SPEAKS_OF_DEVICES = new RegExp(
  `^(?:${[...OTHERS, ...new Set(PROGRAM_ROWS.map(({ program }) => `${program}(?![\\w-])`))].join('|')})`,
);
