// Not understood: what a text looks like of which no line was read as anything, so that a form that is not known, or a table with other columns, is not passed over in silence.

import catalog from '#catalog/unread-forms.json' with { type: 'json' };
import { plain } from '../../model/plain.ts';

const FORMS = catalog.forms.map(({ has, ...form }) => ({ ...form, has: new RegExp(has, 'm') }));
const FAULTS = new RegExp(catalog.faults, 'i');
const NO_FAULTS = new RegExp(catalog.no_faults, 'i');
/** So much of a text shows what it is. */
const MOST_LINES = 400;
const LONGEST_LINE = 1024;
/** Of an ordinary text fewer lines speak of a fault. */
const SHARE = 1 / 3;
/** The names of three columns at least, in capitals. */
const COLUMNS = /^ {0,24}[A-Z][A-Z0-9_:()%/-]{1,24}(?: {1,60}[A-Z][A-Z0-9_:()%/-]{1,24}){2,24} *$/;
const EXAMPLE = 100;
const MOST_COLUMNS = 6;

/** What it looks like, why it is said, and where to look instead; null where an ordinary text may be so. `head`: the text, or its beginning. */
export function notUnderstood(head: string): string | null {
  const lines = withoutKernel(head).split('\n', MOST_LINES).flatMap((line) => (line.trim() === '' ? [] : [line.trimEnd().slice(0, LONGEST_LINE)])); // biome-ignore format: one rule
  const faults = lines.filter((line) => FAULTS.test(line) && !NO_FAULTS.test(line));
  const table = columnsOf(lines);
  const areMany = faults.length > 0 && faults.length >= lines.length * SHARE;
  if (table === null && !areMany) return null;
  const form = FORMS.find(({ has }) => lines.some((line) => has.test(line)));
  const looks = form?.looks_like ?? (table === null ? null : 'a table of a tool');
  const why = areMany
    ? `${faults.length} of ${lines.length} lines speak of a fault, as "${plain(faults[0]?.trim() ?? '', EXAMPLE)}"`
    : `its columns are ${table}`;
  const instead = form?.instead ?? 'read it yourself, or describe its lines by a rule (docs/guide/rules.md)';
  return `${looks === null ? 'none of its lines is known' : `it looks like ${looks}`}; ${why}; ${instead}`;
}

/** The kernel's own lines are known, and an ordinary day has many that speak of errors. */
function withoutKernel(head: string): string {
  return head.replace(/^.{0,120}\bkernel: .*$\n?/gm, '');
}

/** The names of the columns of a table that begins the text; null where it begins with none. */
function columnsOf(lines: readonly string[]): string | null {
  const at = lines.slice(0, 4).findIndex((line) => COLUMNS.test(line));
  const names = lines[at]?.trim().split(/ +/) ?? [];
  const rows = lines.slice(at + 1).filter((line) => line.trim().split(/ +/).length >= names.length - 1);
  if (at < 0 || rows.length < 1) return null;
  return plain(names.slice(0, MOST_COLUMNS).join(', '), EXAMPLE);
}
