// The table of docs/guide/systemd.md that says what is lost without each right, as tests read it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installationRoot } from '../../src/native.ts';

export interface RightsRow {
  /** What is taken away, in the table's words. */
  readonly without: string;
  /** Column → whether it is there all the same, on this kernel. */
  readonly there: Readonly<Record<string, boolean>>;
}

const GUIDE = join(installationRoot(), 'docs/guide/systemd.md');

/** `isNew`: the kernel is Linux 6.15 or later. */
export function rightsTable(isNew: boolean): readonly RightsRow[] {
  const text = readFileSync(GUIDE, 'utf8');
  const lines = text.slice(text.indexOf('<!-- rights -->'), text.indexOf('<!-- /rights -->')).split('\n');
  const rows = lines.filter((line) => line.startsWith('| ')).map((line) => line.slice(2, -2).split(' | '));
  const [[, ...columns] = [], ...others] = rows;
  return others.map(([without = '', ...cells]) => {
    if (cells.length !== columns.length) throw new Error(`${without}: ${cells.length} cells, not ${columns.length}`);
    return { without, there: Object.fromEntries(columns.map((column, i) => [column, isThere(cells[i] ?? '', isNew)])) };
  });
}

function isThere(cell: string, isNew: boolean): boolean {
  if (cell === 'yes') return true;
  if (cell === '**no**') return false;
  if (cell === 'from Linux 6.15 on') return isNew;
  throw new Error(`${GUIDE}: a cell is yes, **no** or "from Linux 6.15 on", not ${cell}`);
}
