// The topology as a table: what feeds what, as an asset database or a spreadsheet writes it (RFC 4180), with the place of each field.

import { readTextFile } from '../helpers/files/text-file.ts';

const MOST_ROWS = 100_000;
const MOST_FIELD = 512;

/** Where something is in the file, counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface CsvLink {
  readonly from: string;
  readonly to: string;
  readonly fromAt: Place;
  readonly toAt: Place;
}

export interface CsvTrouble extends Place {
  readonly text: string;
}

interface Field extends Place {
  readonly text: string;
}

/** Null where the file cannot be read. */
export function readTopologyCsv(path: string): { links: CsvLink[]; troubles: CsvTrouble[] } | null {
  const text = readTextFile(path);
  return text === null ? null : parseTopologyCsv(text);
}

/** Columns `from` and `to` with components; or `pdu`, `outlet`, `host`, `psu` with their names and numbers. Others are passed over. */
export function parseTopologyCsv(text: string): { links: CsvLink[]; troubles: CsvTrouble[] } {
  const [header, ...rows] = fieldsOf(text);
  const names = (header ?? []).map((field) => field.text.trim().toLowerCase());
  const at = (name: string): number => names.indexOf(name);
  const pair = at('from') >= 0 && at('to') >= 0;
  const parts = ['pdu', 'outlet', 'host', 'psu'].every((name) => at(name) >= 0);
  if (!pair && !parts) {
    const wanted = 'needs a first line with the columns from,to or pdu,outlet,host,psu';
    return { links: [], troubles: [{ line: 1, column: 1, text: wanted }] };
  }
  const links: CsvLink[] = [];
  const troubles: CsvTrouble[] = [];
  for (const row of rows.slice(0, MOST_ROWS)) {
    if (row.every((field) => field.text.trim() === '')) continue;
    const wanted = pair ? ['from', 'to'] : ['pdu', 'outlet', 'host', 'psu'];
    const missing = wanted.find((name) => (row[at(name)]?.text.trim() ?? '') === '');
    if (missing !== undefined) {
      const place = row[at(missing)] ?? row.at(-1) ?? { line: 1, column: 1 };
      troubles.push({ line: place.line, column: place.column, text: `has no ${missing}` });
      continue;
    }
    const field = (name: string): Field => row[at(name)] ?? { text: '', line: 1, column: 1 };
    const value = (name: string): string => field(name).text.trim();
    links.push({
      from: pair ? value('from') : `pdu_outlet/${value('pdu')}/${value('outlet')}`,
      to: pair ? value('to') : `psu/${value('host')}/${value('psu')}`,
      fromAt: field(pair ? 'from' : 'pdu'),
      toAt: field(pair ? 'to' : 'host'),
    });
  }
  if (rows.length > MOST_ROWS) troubles.push({ line: 1, column: 1, text: `has more than ${MOST_ROWS} lines` });
  return { links, troubles };
}

/** Rows of fields; a quoted field may hold commas, line ends and doubled quotes. */
function fieldsOf(text: string): Field[][] {
  const rows: Field[][] = [];
  let row: Field[] = [];
  let at = text.startsWith('\ufeff') ? 1 : 0;
  let line = 1;
  let lineStart = at;
  const separator = (text.split('\n', 1)[0] ?? '').includes(';') ? ';' : ',';
  while (at < text.length) {
    const start: Place = { line, column: at - lineStart + 1 };
    let field = '';
    if (text[at] === '"') {
      at += 1;
      for (; at < text.length; at += 1) {
        if (text[at] === '"' && text[at + 1] === '"') at += 1;
        else if (text[at] === '"') break;
        if (text[at] === '\n') {
          line += 1;
          lineStart = at + 1;
        }
        field += text[at];
      }
      at += 1;
    }
    while (at < text.length && text[at] !== separator && text[at] !== '\n') field += text[at++];
    row.push({ text: field.replace(/\r$/, '').slice(0, MOST_FIELD), ...start });
    if (at >= text.length || text[at] === '\n') {
      rows.push(row);
      row = [];
      line += 1;
      lineStart = at + 1;
    }
    at += 1;
  }
  return rows;
}
