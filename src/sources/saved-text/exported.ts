// Exported: what log viewers give to be saved — CSV with a column of messages, or one JSON document of records (Grafana's, Loki's and
// Elasticsearch's answers, a plain list) — as a line of JSON a record, which is read like a collector's.

/** By the last part of a column's or field's name, small: "@timestamp", "jsonPayload.message", "_source.host.name". */
const TIMES = [
  '@timestamp',
  'timestamp',
  'time',
  '_time',
  'ts',
  'date',
  'datetime',
  'timegenerated',
  'receivetimestamp',
];
const HOSTS = ['host', 'hostname', 'host.name', 'node', 'nodename', 'computer', 'instance', '_hostname', 'node_name'];
const MESSAGES = ['message', '@message', 'textpayload', 'msg', 'line', 'log', 'body', '_raw', 'content', 'logline', 'jsonpayload.message']; // biome-ignore format: one line
/** Of a record of the journal, who wrote it: by none of its words a user's line may pass for the kernel's. As journald and Elasticsearch call them. */
const WRITER = {
  _TRANSPORT: ['_transport', 'systemd.transport', 'journald.transport'],
  SYSLOG_IDENTIFIER: ['syslog_identifier', 'syslog.identifier', 'log.syslog.appname'],
  _PID: ['_pid', 'journald.pid'],
  SYSLOG_FACILITY: ['syslog_facility'],
};
/** A header has few columns, and names alone. */
const MOST_COLUMNS = 40;
const NAME = /^[\w@.:/ -]{1,64}$/;
const CELL = /(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/gy;
/** Where answers keep their records; Kubernetes' "items" are read as they are. */
const LISTS = ['_source', 'hits', 'data', 'result', 'results', 'values', 'entries', 'events', 'logs'];
/** Of lists within a document: answers have no more levels. */
const DEEPEST = 6;
/** Since 1970 in thousandths, millionths or billionths of a second, as text. */
const EPOCH = /^\d{13}(?:\d{3}){0,2}$/;

interface Columns {
  readonly time: number;
  readonly host: number;
  readonly message: number;
  readonly names: readonly string[];
}

/** Null where the text is something else. Of CSV lines keep their numbers. */
export function fromExport(lines: readonly string[]): readonly string[] | null {
  return fromCsv(lines) ?? fromDocument(lines);
}

function fromCsv(lines: readonly string[]): readonly string[] | null {
  const columns = columnsOf(lines[0]?.replace(/^\ufeff/, '') ?? '');
  if (columns === null) return null;
  const written = [''];
  let open = '';
  for (const line of lines.slice(1)) {
    open = open === '' ? line : `${open}\n${line}`;
    // A message of several lines is within its quotation marks until the last.
    const isWhole = open.split('"').length % 2 === 1;
    written.push(isWhole ? lineOf(open, columns) : '');
    if (isWhole) open = '';
  }
  return written;
}

function columnsOf(head: string): Columns | null {
  const names = cells(head).map((cell) => cell.trim());
  if (names.length < 2 || names.length > MOST_COLUMNS || !names.every((name) => NAME.test(name))) return null;
  const [time, host, message] = [TIMES, HOSTS, MESSAGES].map((known) => placeOf(names, known));
  if (time === undefined || host === undefined || message === undefined || time < 0 || message < 0) return null;
  return { time, host, message, names };
}

function placeOf(names: readonly string[], known: readonly string[]): number {
  const small = names.map((name) => name.toLowerCase());
  return known.map((name) => small.indexOf(name)).find((at) => at >= 0) ?? -1;
}

function lineOf(record: string, { time, host, message, names }: Columns): string {
  const row = cells(record.replace(/\r$/, ''));
  if (row[message] === undefined) return record;
  return recordLine(row[time], row[host], row[message], Object.fromEntries(names.map((name, at) => [name, row[at]])));
}

function cells(line: string): string[] {
  return [...line.matchAll(CELL)].map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain);
}

/** A document over one line or many; lines of JSON are read as they are. */
function fromDocument(lines: readonly string[]): readonly string[] | null {
  const text = lines.join('\n').trim();
  if (!/^[[{]\s*[[{"]/.test(text)) return null;
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return null;
  }
  const found = recordsIn(document, { time: null, host: null }, DEEPEST);
  // One object is a line of a collector, and read so.
  return found.length === 0 || (lines.length < 3 && !Array.isArray(document) && found.length < 2 && !isHit(document)) ? null : found; // biome-ignore format: one line
}

function isHit(document: unknown): boolean {
  return isObject(document) && (isObject(document._source) || isObject(document.hits) || isObject(document.data));
}

/** What is said once for all records below it. */
interface Shared {
  readonly time: string | null;
  readonly host: string | null;
}

function sharedIn(fields: Readonly<Record<string, unknown>>, above: Shared): Shared {
  return { time: textIn(fields, TIMES) ?? above.time, host: textIn(fields, HOSTS) ?? above.host };
}

function recordsIn(value: unknown, above: Shared, deep: number): string[] {
  if (deep === 0) return [];
  if (Array.isArray(value)) return value.flatMap((each) => pairLine(each, above) ?? recordsIn(each, above, deep - 1));
  if (!isObject(value)) return [];
  const fields = flat(value);
  const message = textIn(fields, MESSAGES);
  const { time, host } = sharedIn(fields, above);
  if (message !== null && time !== null) return [recordLine(time, host ?? '', message, fields)];
  const shared = isObject(value.stream) ? sharedIn(value.stream, above) : above;
  return LISTS.flatMap((name) => recordsIn(value[name], shared, deep - 1));
}

/** Loki's values: time and line. */
function pairLine(value: unknown, { host }: Shared): string[] | null {
  if (!Array.isArray(value) || value.length < 2) return null;
  const [time, line] = value;
  if (typeof time !== 'string' || !EPOCH.test(time) || typeof line !== 'string') return null;
  return [recordLine(time, host ?? '', line)];
}

function flat(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      isObject(inner)
        ? Object.entries(inner).flatMap(([below, each]) => [[`${name}.${below}`, each], ...(name === 'fields' || name === 'labels' ? [[below, each]] : [])]) // biome-ignore format: one line
        : [[name, inner]],
    ),
  );
}

function textIn(fields: Readonly<Record<string, unknown>>, known: readonly string[]): string | null {
  const small = new Map(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]));
  const found = known.map((name) => small.get(name)).find((value) => typeof value === 'string' || typeof value === 'number'); // biome-ignore format: one line
  return found === undefined ? null : String(found);
}

function recordLine(time = '', host = '', message = '', fields: Readonly<Record<string, unknown>> = {}): string {
  const at = EPOCH.test(time) ? new Date(Number(time.slice(0, 13))).toISOString() : time;
  const head = { ...(at === '' ? {} : { time: at }), ...(host === '' ? {} : { host }) };
  const writer = Object.entries(WRITER).flatMap(([name, known]) => {
    const said = textIn(fields, known);
    return said === null || said === '' ? [] : [[name, said] as const];
  });
  const isOfJournal = writer[0]?.[0] === '_TRANSPORT';
  return JSON.stringify(isOfJournal ? { ...head, ...Object.fromEntries(writer), MESSAGE: message } : { ...head, message }); // biome-ignore format: one line
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
