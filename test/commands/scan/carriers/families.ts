// Families: the rows of each catalogue of messages, each with its example and what its own log has before it.

import ceph from '#catalog/ceph-health.json' with { type: 'json' };
import servers from '#catalog/file-servers.json' with { type: 'json' };
import words from '#catalog/kubernetes/event-words.json' with { type: 'json' };
import reasons from '#catalog/node-reasons.json' with { type: 'json' };
import entries from '#catalog/redfish-log.json' with { type: 'json' };
import sel from '#catalog/sel.json' with { type: 'json' };
import sxid from '#catalog/sxid.json' with { type: 'json' };
import tools from '#catalog/tool-states.json' with { type: 'json' };
import xid from '#catalog/xid.json' with { type: 'json' };
import { entriesOf } from '../../../../src/detection/text/job/framework.ts';
import { DEVICE_ROWS } from '../../../../src/detection/text/kernel/device-line.ts';
import { SUBSYSTEM_ROWS } from '../../../../src/detection/text/kernel/subsystem-line.ts';
import { PROGRAM_ROWS } from '../../../../src/detection/text/programs/program-rows.ts';
import type { Carried } from './carriers.ts';

const UP = '[ 5000.000000] ';
const ofKernel = (said: string): Carried => ({ said, message: said, logged: `${UP}${said}`, tag: 'kernel' });
const printed = (said: string): Carried => ({ said, message: said, logged: said, tag: null });
const ofProgram = (program: string, message: string, said = message): Carried => ({
  said,
  message,
  logged: `Nov 27 12:00:00 node-1 ${program}[812]: ${message}`,
  tag: `${program}[812]`,
});
/** Those that say something by themselves: `ignored` ones keep others quiet. */
const alone = ({ on, kept, last_word: last, ignored }: { on?: string; kept?: string; last_word?: boolean; ignored?: boolean }): boolean =>
  on === undefined && kept === undefined && last !== true && ignored !== true; // biome-ignore format: one line

/** Rows that have an example. */
const onlyShown = <T extends { readonly example?: string }>(rows: readonly T[]): readonly (T & { example: string })[] =>
  rows.filter((row): row is T & { example: string } => row.example !== undefined);

export const FAMILIES: Readonly<Record<string, readonly Carried[]>> = {
  'kernel lines': SUBSYSTEM_ROWS.map(({ example }) => ofKernel(example)),
  'device lines': DEVICE_ROWS.map(({ example }) => ofKernel(example)),
  'file servers': servers.rows.filter(({ client }) => client !== 'mmfs').map(({ example }) => ofKernel(example)),
  'Xids': Object.keys(xid.xids).map((number) => ofKernel(`NVRM: Xid (PCI:0000:17:00): ${number}, pid=4411, name=python, Ch 00000008`)),
  'SXids': Object.entries(sxid.sxids).map(([number, { name }]) => ofKernel(`nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): ${number}, Fatal, Link 28 ${name}`)),
  'daemons': PROGRAM_ROWS.map(({ program, example }) => ofProgram(program, example, `${program}: ${example}`)),
  'daemons, alone': PROGRAM_ROWS.filter(({ bare }) => bare === true).map(({ program, example }) => ofProgram(program, example)),
  'node reasons': reasons.rows.map(({ example }) => printed(`   Reason=${example} [slurm@2026-11-27T12:00:00]`)),
  'Ceph': ceph.checks.map(({ codes: [code = ''], example }) => printed(`[WRN] ${code}: ${example}`)),
  'Kubernetes events': onlyShown(words.reasons).map(({ example }) => printed(`  Warning  ${example.replace('   ', '   73s   kubelet   ')}`)),
  'event logs': onlyShown(sel.rows).map(({ example }) => printed(`   1 | 11/27/2026 | 12:00:00 | ${example} | Asserted`)),
  'entries of BMCs': onlyShown(entries.rows).filter(({ edge }) => edge === 'onset').map(({ example }) => printed(`2026-11-27 12:00:00 ABC0000 Critical ${example}`)),
  'Kubernetes': words.messages.map(({ example }) => printed(example)),
  'jobs': entriesOf('faults').filter(alone).map(({ example }) => printed(example)),
  'tools': tools.tools.filter(({ opens }) => opens === undefined).flatMap(({ rows }) => rows.map(({ example }) => printed(example))),
}; // biome-ignore format: one family a line
