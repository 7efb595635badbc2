// Logs of BMCs that have an entry a line, as their pages export them and people paste them: iDRAC's lines, the CSV of Supermicro, iLO, XCC
// and iDRAC, in whatever order their columns are, and what hplog and check_redfish print. Each becomes what the Redfish service would say of it.

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
/** "1346 Critical       04:07  11/05/2018 04:07  11/05/2018 0001" of hplog: when it was first and last; what it was is in the next line. */
const HPLOG =
  /^(\d{4,6}) {1,4}(Critical|Caution|Repaired|Informational|Information) {1,16}\d\d:\d\d {1,4}\d\d\/\d\d\/\d{4} {1,4}(\d\d:\d\d) {1,4}(\d\d\/\d\d\/\d{4}) {1,4}\d{1,6} LOG: (.{3,400})$/;
const SAID_BELOW = /\s{0,4}\nLOG: /g;
/** "[WARNING]: 2026-11-28T12:00:00Z: Slot 0 Smart Array - Logical drive status changed to rebuilding" of check_redfish. */
const CHECKED = /^\[(OK|WARNING|CRITICAL)\]: (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)?): {1,4}(\S.{3,400})$/;

/** By its first lines: what is somewhere in another log is what someone wrote. */
export function isListedLog(head: string): boolean {
  const lines = linesOf(head, 4 * FIRST_LINES).filter((line) => line.trim() !== '');
  return lines.slice(0, FIRST_LINES).some((line) => listedBody(line) !== null);
}

/** In the order of the text; none where most of it is something else. */
export function listedBodies(text: string): object[] {
  const bodies: object[] = [];
  let others = 0;
  for (const line of linesOf(text)) {
    const body = listedBody(line);
    if (body === null) others += line.trim() === '' ? 0 : 1;
    else if (bodies.length < MOST) bodies.push(body);
  }
  return others > bodies.length + FIRST_LINES ? [] : bodies;
}

function linesOf(text: string, most?: number): string[] {
  return text.replace(SAID_BELOW, ' LOG: ').split('\n', most);
}

function listedBody(written: string): object | null {
  const line = written.trim();
  if (line.length > MOST_LINE) return null;
  const [, at, key, how, said] = SPACED.exec(line) ?? [];
  if (at !== undefined) return { Created: stampOf(at), MessageId: key, Severity: how, Message: said };
  const [, number, grade = '', clock, day, logged] = HPLOG.exec(line) ?? [];
  if (number !== undefined)
    return { Id: number, Created: stampOf(`${day} ${clock}`), Severity: grade, Message: OVER.test(grade) ? 'Repaired' : logged }; // biome-ignore format: one entry
  const [, state, when = '', checked] = CHECKED.exec(line) ?? [];
  if (state !== undefined) return { Created: when, Severity: state, Message: checked };
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

/** "Error      Power    2026-11-28T02:10:14.220   FQXSPPW0002L   PSU 3 has Failed." of XCC's table. */
const WIDE = /^\w{1,16} {2,}\S/;

/** Parted by commas, with or without quotes, by tabs, by bars, or as the columns of a table. */
function fieldsOf(line: string): string[] {
  if (WIDE.test(line)) return line.split(/ {2,}/, MOST_FIELDS);
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
