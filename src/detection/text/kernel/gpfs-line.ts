// GPFS lines: what its daemon says in words that no row of file-servers.json has, by the families of catalog/gpfs-words.json. Weaker than a
// row: what it is about follows from the words of its family alone.

import catalog from '#catalog/gpfs-words.json' with { type: 'json' };
import { evidenceText } from '../evidence.ts';
import { hostOf, type KernelContext } from './context.ts';
import type { StateFinding } from './finding.ts';

interface Family {
  readonly pattern: string;
  readonly kind: string;
  /** What does not serve, where no group names it. */
  readonly is?: string;
  readonly did?: string;
}

const KINDS = ['storage.stall', 'storage.io_error', 'storage.full'] as const;
/** "[I]" and "[D]" are notes of the daemon; of "[N]" a few families are faults. */
const HEAD = /^mmfs(?:\[\d{1,10}\])?: \[([AXEWN])\] /;
const UNLESS = new RegExp(catalog.unless, 'i');
const FAMILIES = (catalog.families as readonly Family[]).map(({ pattern, kind, is, did }) => ({
  form: new RegExp(pattern),
  kind: KINDS.find((known) => known === kind) ?? 'storage.stall',
  is,
  did,
}));
const MAX_LINE = 512;

/** Null for a line of no family. */
export function gpfsLine(text: string, context: KernelContext): StateFinding | null {
  const [head] = HEAD.exec(text) ?? [];
  if (head === undefined) return null;
  const said = text.slice(head.length, MAX_LINE).trimEnd();
  if (UNLESS.test(said)) return null;
  for (const { form, kind, is, did } of FAMILIES) {
    const found = form.exec(said);
    if (found === null) continue;
    const { node, disk, server, fs, named } = found.groups ?? {};
    const name = server ?? fs ?? named;
    return {
      kind,
      component: node === undefined ? hostOf(context) : { type: 'host', id: evidenceText(node) },
      attributes: {
        server: name === undefined ? (is ?? 'gpfs') : `gpfs ${evidenceText(name)}`,
        file_system: 'gpfs',
        ...(did === undefined ? {} : { did }),
        ...(disk === undefined ? {} : { disk: evidenceText(disk) }),
      },
    };
  }
  return null;
}
