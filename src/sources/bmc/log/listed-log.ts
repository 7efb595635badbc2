// Logs of BMCs that have an entry a line, as their pages export them and people paste them: iDRAC's lines, and the CSV of Supermicro, iLO, XCC
// and iDRAC, in whatever order their columns are. Each becomes what the Redfish service would say of it.

/** A BMC keeps some thousand of them. */
const MOST = 20_000;
const MOST_LINE = 1024;
const MOST_FIELDS = 16;
/** Lines in which the first entry must stand: others are headings. */
const FIRST_LINES = 4;
const STAMP =
  /^(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d|\d\d\/\d\d\/\d{4} +\d\d:\d\d(?::\d\d)?)(?:[.,]\d{1,6})?(Z|[+-]\d\d:?\d\d)?$/;
const SEVERITY =
  /^(?:Critical|Fatal|Non-?Critical|Warning|Caution|Error|Major|Minor|Informational|Information|Info|OK|Ok|Repaired)$/i;
/** "MEM0001" of Dell, "FQXSFMA0011G" of Lenovo. */
const MESSAGE_ID = /^(?:[A-Z]{3}\d{3,4}|FQX[A-Z]{4}\d{4}[A-Z])$/;
/** "[MEM-0011] Uncorrectable ECC error @ DIMMG1(CPU2) - Assertion" of Supermicro. */
const BRACKETED = /^\[[A-Z]{3,5}-\d{4}\] /;
const EDGE = / ?- ?(de)?assert(?:ed|ion)$/i;
const QUOTED = /^(?:"[^"]{0,400}",){3}/;
/** "2026-11-28 12:00:00 MEM0001 Critical Multi-bit memory errors detected on a memory device at location(s) DIMM_A1." */
const SPACED =
  /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{0,6})\s{1,4}([A-Z]{3}\d{3,4})\s{1,4}(?:(Critical|Warning|Informational)\s{1,4})?(\S.{3,400})$/;
const OVER = /^repaired$/i;

/** By its first lines: what is somewhere in another log is what someone wrote. */
export function isListedLog(head: string): boolean {
  const lines = head.split('\n', 4 * FIRST_LINES).filter((line) => line.trim() !== '');
  return lines.slice(0, FIRST_LINES).some((line) => listedBody(line) !== null);
}

/** In the order of the text; none where most of it is something else. */
export function listedBodies(text: string): object[] {
  const bodies: object[] = [];
  let others = 0;
  for (const line of text.split('\n')) {
    const body = listedBody(line);
    if (body === null) others += line.trim() === '' ? 0 : 1;
    else if (bodies.length < MOST) bodies.push(body);
  }
  return others > bodies.length + FIRST_LINES ? [] : bodies;
}

function listedBody(written: string): object | null {
  const line = written.trim();
  if (line.length > MOST_LINE) return null;
  const [, at, key, how, said] = SPACED.exec(line) ?? [];
  if (at !== undefined) return { Created: stampOf(at), MessageId: key, Severity: how, Message: said };
  const fields = fieldsOf(line);
  const stamp = fields.find((field) => STAMP.test(field));
  const severity = fields.find((field) => SEVERITY.test(field));
  const id = fields.find((field) => MESSAGE_ID.test(field));
  const rest = fields.filter((field) => field !== stamp && field !== severity && field !== id);
  const text = rest.reduce((longest, field) => (field.length > longest.length ? field : longest), '');
  const isMarked =
    id !== undefined || BRACKETED.test(text) || EDGE.test(text) || (severity !== undefined && QUOTED.test(line));
  if (stamp === undefined || !isMarked || text.length < 4) return null;
  const edge = EDGE.exec(text);
  return {
    Id: /^\d{1,9}$/.test(fields[0] ?? '') ? fields[0] : '',
    Created: stampOf(stamp),
    Severity: severity,
    ...(id === undefined ? {} : { MessageId: id }),
    ...(edge?.[1] === undefined ? {} : { EntryCode: 'Deassert' }),
    Message: OVER.test(severity ?? '') ? 'Repaired' : text.replace(BRACKETED, '').replace(EDGE, ''),
  };
}

/** Parted by commas, with or without quotes, by tabs or by bars. */
function fieldsOf(line: string): string[] {
  const mark = line.includes('\t') ? '\t' : line.includes(' | ') ? ' | ' : ',';
  if (mark !== ',') return line.split(mark, MOST_FIELDS).map((field) => field.trim());
  return (line.match(/"[^"]{0,600}"|[^,"]{1,600}/g) ?? [])
    .slice(0, MOST_FIELDS)
    .map((field) => field.replace(/^"|"$/g, '').trim());
}

/** As ISO 8601, the zone left out where it is. */
function stampOf(text: string): string {
  const [, stamp = '', zone = ''] = STAMP.exec(text) ?? [];
  const [, month, day, year, clock = ''] = /^(\d\d)\/(\d\d)\/(\d{4}) +(\S+)$/.exec(stamp) ?? [];
  const iso = year === undefined ? stamp.replace(/\//g, '-').replace(' ', 'T') : `${year}-${month}-${day}T${clock}`;
  return `${iso}${iso.length === 16 ? ':00' : ''}${zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')}`;
}
