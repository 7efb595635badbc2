// What the inventory child may say: known facts of bounded length, and nothing where firmware left the maker's blanks.

import type { AttributeValue } from '../../../model/event.ts';

/**
 * Facts about the host; null where it does not say. `serial` names one machine in the world: it stays on this host, in
 * recordings and on the local socket, and no exporter may take it up.
 */
export type Inventory = Readonly<Record<InventoryKey, AttributeValue>>;

const TEXTS = [
  'vendor', 'model', 'version', 'serial', 'bios_vendor', 'bios_version', 'bios_date',
  'board_vendor', 'board_model', 'board_version', 'cpu_vendor', 'cpu_model', 'memory_type', 'os', 'kernel', 'arch',
] as const; // biome-ignore format: one group a row
const NUMBERS = [
  'cpu_sockets', 'cpu_cores', 'cpu_threads', 'memory_modules', 'memory_module_bytes', 'memory_bytes',
] as const; // biome-ignore format: one group a row
type InventoryKey = (typeof TEXTS)[number] | (typeof NUMBERS)[number] | 'virtual';

const MAX_TEXT = 200;
/** What board makers leave in DMI fields that they do not fill. */
const BLANKS = new Set(
  ['-', 'none', 'n/a', 'unknown', 'default string', 'not specified', 'not available', '0123456789'].concat(
    'to be filled by o.e.m.',
    'system manufacturer',
    'system product name',
    'system version',
    'system serial number',
  ),
);

/** Null when the text is not a JSON object. */
export function parseInventory(text: string): Inventory | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const given = new Map<string, unknown>(Object.entries(value));
  const facts: [string, AttributeValue][] = [
    ...TEXTS.map((key): [string, AttributeValue] => [key, textFact(given.get(key))]),
    ...NUMBERS.map((key): [string, AttributeValue] => [key, numberFact(given.get(key))]),
    ['virtual', typeof given.get('virtual') === 'boolean' ? given.get('virtual') === true : null],
  ];
  return Object.fromEntries(facts) as Inventory; // every key of the type was just put in
}

function textFact(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  const text = value.slice(0, 4 * MAX_TEXT).replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g, ' ');
  const trimmed = text.trim().slice(0, MAX_TEXT);
  return trimmed === '' || BLANKS.has(trimmed.toLowerCase()) ? null : trimmed;
}

/** A count or a size is never 0 where it is known. */
function numberFact(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}
