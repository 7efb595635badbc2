// GPFS health: what to do about what mmhealth finds on a node, by the name of its event and what is behind it, as catalog/gpfs-health.json has it.

import catalog from '#catalog/gpfs-health.json' with { type: 'json' };
import { gpfsRank } from '../../model/gpfs-parts.ts';
import type { Incident } from '../../model/incident.ts';
import { NAME } from './drain.ts';
import type { Special } from './special-step.ts';

const ROWS = catalog.rows.map((row) => ({ ...row, reason: new RegExp(row.reason) }));
const EVENT = /^(?<event>[a-z]\w{2,40})(?:\((?<name>[\w./-]{1,64})\))?/;

/** Null where no line is of mmhealth, or none has a reason. */
export function gpfsHealth({ root, events }: Pick<Incident, 'root' | 'events'>): Special | null {
  const found = events
    .filter(({ kind, attributes }) => kind === root.kind && attributes.tool === 'mmhealth')
    .sort((a, b) => gpfsRank(a.attributes.part) - gpfsRank(b.attributes.part))
    .map(({ attributes: { did } }) => EVENT.exec(String(did ?? ''))?.groups)
    .find((groups) => groups !== undefined);
  const { event, name } = found ?? {};
  if (event === undefined) return null;
  const row = ROWS.find(({ reason }) => reason.test(event));
  if (row === undefined) return null;
  const named = name !== undefined && NAME.test(name) ? name : null;
  const filled = (text: string, unnamed: string): string =>
    text.replaceAll('EVENT', event).replaceAll('NAME', named ?? unnamed);
  return {
    does: filled(row.does, 'it').replace('GPFS it', 'GPFS'),
    now: filled(row.first_step, /^stale|^unmounted|^f/.test(event) ? 'FILESYSTEM' : 'it'),
    call: 'who runs the file system',
  };
}
