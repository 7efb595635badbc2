// File servers by catalogue: lines of BeeGFS' client module and of GPFS' daemon that name a server which does not serve.

import catalog from '#catalog/file-servers.json' with { type: 'json' };
import type { Kind } from '../../../model/kind.ts';

/** Before a client's own words. The task that BeeGFS names is a user's, so that its lines are known by all that follows, to the end. */
const CLIENTS: Readonly<Record<string, { readonly system: string; readonly head: string }>> = {
  beegfs: { system: 'beegfs', head: String.raw`beegfs: (?:[\s\S]{0,15}\(\d{1,10}\)|\d{1,10}): (?:[\w.-]{1,96}: )?` },
  mmfs: { system: 'gpfs', head: String.raw`mmfs(?:\[\d{1,10}\])?: (?:\[[A-Z]\] )?` },
};
/** What patterns of the catalogue name in braces. */
const PARTS: Readonly<Record<string, string>> = {
  node: String.raw`beegfs-(?:mgmtd|meta|storage) [\w.:-]{1,96}(?: \[ID: \d{1,10}\])?`,
  peer: String.raw`[\w.:@[\]-]{3,96}`,
  context: String.raw`(?:[\w (),/.-]{1,64}: )?`,
  cluster: String.raw`[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}`,
};

export interface ServerRow {
  readonly kind: Extract<Kind, 'storage.stall' | 'storage.io_error'>;
  readonly system: string;
  readonly server: string;
  /** What it did, where it did not refuse this host. */
  readonly did?: string;
  readonly disk?: string;
  /** "10.9.0.3:8003". */
  readonly address?: string;
  readonly severity?: 'info';
  readonly explains?: true;
}

interface Row {
  readonly client: string;
  readonly pattern: string;
  readonly kind: string;
  readonly server?: string;
  readonly prefix?: string;
  readonly did?: string;
  readonly severity?: string;
  readonly explains?: boolean;
}

const ROWS = (catalog.rows as readonly Row[]).map((row) => ({ row, form: formOf(row) }));

function formOf({ client, pattern }: Row): RegExp {
  const written = pattern.replaceAll(/\{([a-z]+)\}/g, (_, part: string) => PARTS[part] ?? part);
  return new RegExp(`^${CLIENTS[client]?.head ?? ''}${written}\\s*$`);
}

/** Null for a line of none of the rows. */
export function serverRow(text: string): ServerRow | null {
  for (const { row, form } of ROWS) {
    if (!text.startsWith(row.client)) continue;
    const groups = form.exec(text);
    if (groups === null) continue;
    const named = groups.slice(1).find((group) => group !== undefined);
    const { disk, peer } = groups.groups ?? {};
    return {
      kind: row.kind === 'storage.io_error' ? 'storage.io_error' : 'storage.stall',
      system: CLIENTS[row.client]?.system ?? row.client,
      server: named === undefined ? (row.server ?? row.client) : `${row.prefix ?? ''}${named}`,
      ...(row.did === undefined ? {} : { did: row.did }),
      ...(disk === undefined ? {} : { disk }),
      ...(peer === undefined ? {} : { address: peer }),
      ...(row.severity === 'info' ? { severity: 'info' } : {}),
      ...(row.explains === true ? { explains: true } : {}),
    };
  }
  return null;
}
