// Code words: what the numbers of a quoted line mean, for a reader who knows no table by heart; the tables are catalog/codes.json.

import catalog from '#catalog/codes.json' with { type: 'json' };

interface Table {
  readonly name: string;
  readonly form: RegExp;
  readonly unless: RegExp | null;
  readonly codes: Readonly<Record<string, string>>;
}

const TABLES: readonly Table[] = catalog.tables.map(
  ({ name, has, unless, codes }: { name: string; has: string; unless?: string; codes: Record<string, string> }) => ({
    name,
    form: new RegExp(`${has}(0x[0-9a-f]{1,8}|\\d{1,5})\\b`, 'i'),
    unless: unless === undefined ? null : new RegExp(unless, 'i'),
    codes,
  }),
);
/** A status register of a machine check, as the kernel, mcelog and rasdaemon print it. */
const MACHINE_CHECK =
  /(?:Machine Check(?: Exception)?: (?:[0-9a-f]{1,8} )?Bank \d{1,3}: ?|\b(?:mc[ie]?_?)?status[ :=]{1,3}(?:0x)?)([0-9a-f]{16})\b/i;
const OF_CHECK = /machine check|\bmc[aei]|\bbank\b/i;
const LONGEST = 2048;

/** `status 12: the peer did not answer, …; vendor err 129: no acknowledgement in time`; null where no number of it is known. */
export function codeWords(line: string): string | null {
  const text = line.slice(0, LONGEST);
  const said = TABLES.flatMap(({ name, form, unless, codes }) => {
    const number = unless?.test(text) === true ? undefined : form.exec(text)?.[1];
    const words = number === undefined ? undefined : codes[String(Number(number))];
    return words === undefined ? [] : [`${name} ${number}: ${words}`];
  });
  const check = OF_CHECK.test(text) ? MACHINE_CHECK.exec(text)?.[1] : undefined;
  if (check !== undefined) said.push(`status: ${checkWords(BigInt(`0x${check}`))}`);
  return said.length === 0 ? null : said.join('; ');
}

/** By Intel's manual (vol. 3B, 17.3.2.2 and 17.9), of which AMD has the same bits at the top. */
function checkWords(status: bigint): string {
  const bit = (at: bigint): boolean => ((status >> at) & 1n) === 1n;
  if (!bit(63n)) return 'not valid';
  const severity = bit(61n) ? 'uncorrected' : 'corrected';
  return [severity, ...(bit(57n) ? ['the processor cannot continue'] : []), ...(bit(62n) ? ['others were lost'] : []), kindWords(Number(status & 0xffffn))] // biome-ignore format: one list
    .filter((part) => part !== '')
    .join(', ');
}

const TRANSACTIONS: readonly string[] = [
  '',
  ' at a read',
  ' at a write',
  ' of the command or address',
  ' found by scrubbing',
];

/** Of the compound codes; empty of others. */
function kindWords(code: number): string {
  // 000F 0000 1MMM CCCC: a memory controller.
  if ((code & 0xef80) === 0x80) {
    const channel = code & 0xf;
    return `memory${TRANSACTIONS[(code >> 4) & 7] ?? ''}${channel === 15 ? '' : `, channel ${channel}`}`;
  }
  if ((code & 0xe800) === 0x800) return 'bus or interconnect of the processor';
  if ((code & 0xef00) === 0x100) return 'cache of the processor';
  if ((code & 0xeff0) === 0x10) return 'TLB of the processor';
  return code === 0x400 ? 'internal timer of the processor' : '';
}
