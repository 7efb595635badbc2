// SMBIOS: which machine this is and which memory modules are in it, from the table that firmware leaves (DMTF DSP0134). Pure.

import type { Part } from '../../identity/parts/part.ts';

export interface Smbios {
  /** The system's UUID, else its serial; null where firmware left both blank. */
  readonly machine: string | null;
  readonly modules: readonly Part[];
}

const SYSTEM = 1;
const MEMORY_DEVICE = 17;
const END = 127;
/** More than any board has; the table is what firmware wrote. */
const MOST_STRUCTURES = 4096;
const MOST_MODULES = 256;
const LONGEST_TEXT = 64;
const EMPTY_SLOT = 0;
const HEADER = 4;
/** What makers leave in fields that they do not fill. */
const BLANK =
  /^(?:|0+|f+|none|no dimm|n\/a|unknown|not specified|not available|default string|to be filled by o\.?e\.?m\.?.*)$/i;

interface Structure {
  readonly type: number;
  readonly bytes: Buffer;
  /** Numbered from 1. */
  readonly texts: readonly string[];
}

export function parseSmbios(table: Buffer): Smbios {
  let machine: string | null = null;
  const modules: Part[] = [];
  for (const structure of structuresOf(table)) {
    if (structure.type === SYSTEM) machine ??= machineOf(structure);
    const part = structure.type === MEMORY_DEVICE ? moduleOf(structure, modules) : null;
    if (part !== null && modules.length < MOST_MODULES) modules.push(part);
  }
  return { machine, modules };
}

/** Ends quietly where the table does, or where it makes no sense. */
function* structuresOf(table: Buffer): Iterable<Structure> {
  let at = 0;
  for (let count = 0; count < MOST_STRUCTURES && at + HEADER <= table.length; count += 1) {
    const type = table.readUInt8(at);
    const length = table.readUInt8(at + 1);
    if (length < HEADER || at + length > table.length || type === END) return;
    const texts: string[] = [];
    let from = at + length;
    for (let to = table.indexOf(0, from); to > from; to = table.indexOf(0, from)) {
      texts.push(table.toString('latin1', from, to));
      from = to + 1;
    }
    if (table.indexOf(0, from) < 0) return;
    yield { type, bytes: table.subarray(at, at + length), texts };
    // A structure without a text ends with two zeros as well.
    at = texts.length === 0 ? from + 2 : from + 1;
  }
}

/** Field offsets: DSP0134, 7.2. */
function machineOf({ bytes, texts }: Structure): string | null {
  const uuid = bytes.length >= 0x18 ? bytes.toString('hex', 0x08, 0x18) : '';
  return BLANK.test(uuid) ? textAt(bytes, 0x07, texts) : uuid;
}

/** Field offsets: DSP0134, 7.18. Null for an empty slot. */
function moduleOf({ bytes, texts }: Structure, before: readonly Part[]): Part | null {
  if (bytes.length < 0x15 || bytes.readUInt16LE(0x0c) === EMPTY_SLOT) return null;
  const label = textAt(bytes, 0x10, texts);
  const bank = textAt(bytes, 0x11, texts);
  const same = (slot: string): boolean => before.some((one) => one.slot === slot);
  // Some boards label the slots of each processor alike; the bank tells them apart then.
  const names = [label, bank === null ? null : `${bank} ${label ?? ''}`.trim()].filter((name) => name !== null);
  const slot = names.find((name) => !same(name)) ?? `slot ${before.length + 1}`;
  const serial = textAt(bytes, 0x18, texts);
  return { type: 'dimm', slot: slot.replaceAll('/', '-'), serial, model: textAt(bytes, 0x1a, texts) };
}

function textAt(bytes: Buffer, offset: number, texts: readonly string[]): string | null {
  if (offset >= bytes.length) return null;
  const text = (texts[bytes.readUInt8(offset) - 1] ?? '').replaceAll(/[^\x20-\x7e]+/g, ' ').trim();
  return BLANK.test(text) ? null : text.slice(0, LONGEST_TEXT);
}
