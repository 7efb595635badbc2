// Lines that parts of the kernel print under a name of their own, such as "nvme nvme0: " or "XFS (dm-0): ", by catalog/kernel-lines.json.

import catalog from '#catalog/kernel-lines.json' with { type: 'json' };
import { type Component, canonicalPciAddress } from '../../../model/component.ts';
import type { AttributeValue } from '../../../model/event.ts';
import type { Kind } from '../../../model/kind.ts';
import type { Severity } from '../../../model/severity.ts';
import { evidenceText } from '../evidence.ts';
import { gpuAt, hostOf, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';
import { diskOf } from './storage-line.ts';

/** What the groups name: a disk by `device`, a GPU, card or device by `address`, a card by `name`; unnamed is a GPU, but not which. */
type Place = 'disk' | 'host' | 'gpu' | 'nic' | 'pcie' | 'unnamed';

interface Head {
  readonly form: string;
  readonly place: Place;
  readonly words?: readonly string[];
}

interface Row {
  readonly of: readonly string[];
  /** Only where a head of it has none. */
  readonly words?: readonly string[];
  readonly example: string;
  readonly message: string;
  readonly kind: Kind;
  readonly severity?: Severity;
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
  readonly source: string;
}

// Held against kinds, severities and heads by test/detection/text/kernel-subsystem-rows.test.ts.
export const SUBSYSTEM_ROWS = catalog.rows as readonly Row[];
/** Of which every line that a row takes has one. */
export const SUBSYSTEM_WORDS: readonly string[] = [
  ...Object.values(catalog.heads as Readonly<Record<string, Head>>).flatMap(({ words = [] }) => words),
  ...SUBSYSTEM_ROWS.flatMap(({ words = [] }) => words),
];

const HEADS = Object.entries(catalog.heads as Readonly<Record<string, Head>>).map(([name, { form, place }]) => ({
  head: new RegExp(`^${form}`),
  place,
  rows: SUBSYSTEM_ROWS.filter(({ of }) => of.includes(name)).map((row) => ({
    row,
    form: new RegExp(`^(?:${row.message})$`),
  })),
}));
/** Drives without a medium report errors all day; what a loop device holds is an image that a user may have made. */
const REMOVABLE = /^(?:sr|fd|loop|zram|ram)\d/;
/** One kernel record is shorter. */
const MAX_LINE = 2048;

export function subsystemLine(text: string, context: KernelContext): Finding | null {
  if (text.length > MAX_LINE) return null;
  for (const { head, place, rows } of HEADS) {
    const begun = head.exec(text);
    if (begun === null) continue;
    const message = text.slice(begun[0].length).trimEnd(); // no pattern has to try its blanks
    for (const { row, form } of rows) {
      const found = form.exec(message);
      if (found !== null) return findingOf(row, place, { ...begun.groups, ...found.groups }, context);
    }
  }
  return null;
}

type Groups = Readonly<Record<string, string | undefined>>;

function findingOf(row: Row, place: Place, groups: Groups, context: KernelContext): Finding | null {
  const { address, name, ...others } = groups;
  if (others.device !== undefined && REMOVABLE.test(others.device)) return null;
  return {
    kind: row.kind,
    component: placed(place, groups, context),
    ...(row.severity === undefined ? {} : { severity: row.severity }),
    attributes: { ...row.attributes, ...valuesOf(others) },
  };
}

function placed(place: Place, { device, address = '', name }: Groups, context: KernelContext): Component | null {
  const { host } = context;
  const id = canonicalPciAddress(address);
  if (place === 'gpu') return id === null ? null : gpuAt(address, context);
  if (place === 'unnamed') return null;
  if (place === 'disk') return diskOf(device, context) ?? hostOf(context);
  if (place === 'pcie') return id === null ? hostOf(context) : { type: 'pcie', id, host };
  if (place === 'host' || (id === null && name === undefined)) return hostOf(context);
  if (id === null) return { type: 'nic', id: evidenceText(name ?? ''), host };
  return { type: 'nic', id, host, ...(name === undefined ? {} : { aliases: [evidenceText(name)] }) };
}

function valuesOf(groups: Groups): Record<string, AttributeValue> {
  return Object.fromEntries(
    Object.entries(groups).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, /^\d{1,15}$/.test(value) ? Number(value) : evidenceText(value)]],
    ),
  );
}
