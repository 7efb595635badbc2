// Logs of BMCs as their own tools write them: `racadm getsel` and `lclog view`, field by field, what iDRAC exports as XML, and the records
// of iLO's command line; its log exported as CSV, and entries as an exporter of metrics has them. Each becomes what the Redfish service would say of it.

import { isListedLog, listedBodies } from './listed-log.ts';

/** "Record:      1", "SeqNumber       = 812", "SequenceNumber = 812", "number=1" of iLO: the first field of a record. */
const FIRST = /^\s{0,4}(?:Record|Seq(?:uence ?)?Number|number)\s{0,20}[:=]\s{0,20}(\d{1,9})\s*$/;
/** Without blanks at its end. */
const FIELD = /^\s{0,4}([A-Za-z][A-Za-z/ ]{1,20}?(?:\s{1,4}\d{1,2})?)\s{0,20}[:=]\s{0,20}(.{0,400})$/;
const IS_RECORDS =
  /^\s{0,4}(?:Record|Seq(?:uence ?)?Number)\s{0,20}[:=]\s{0,20}\d{1,9}\s{0,4}$[\s\S]{1,600}^\s{0,4}(?:Date\/Time|Message ID|Timestamp)\s{0,20}[:=]/m;
const IS_ILO = /^\s{0,4}number=\d{1,9}\s{0,4}$[\s\S]{1,300}^\s{0,4}description=/m;
/** At its begin: in another log it is what someone wrote. */
const IS_XML = /^\ufeff?\s{0,64}(?:<\?xml [^>]{0,200}>\s{0,64})?<(?:LCLogEvents|Event AgentID="|lclog:)/;
const XML_EVENT = /^<Event ([^>]{1,400})>([\s\S]{1,4000})<\/Event>$/;
/** Of an event with its marks. */
const MOST_EVENT = 4500;
const MOST_LINE = 1024;
/** What a record may be called, in the words of Redfish. */
const NAMES: Readonly<Record<string, string | undefined>> = {
  record: 'Id',
  seqnumber: 'Id',
  number: 'Id',
  'message id': 'MessageId',
  severity: 'Severity',
  timestamp: 'Created',
  'date/time': 'Created',
  description: 'Message',
  message: 'Message',
};
/** What else it has; the text of the first two is of the message. */
const MORE = /^(?:message arg|fqdd|date$|time$)/i;
/** A BMC keeps some thousand of them. */
const MOST = 20_000;
/** Other lines, of a record: what iLO prints around it. Of more, the text is of something else. */
const MOST_OTHER = 20;
const RULE = /^[-=\s]*$/;

/** "Critical,702,20118,0x0002,Machine Environment,0x0017,Hardware,01/30/2021 22:15:04,301: Fan Failure (Fan 5, Location System)" of iLO. */
const IML =
  /^(Critical|Caution|Repaired|Informational),\d{1,9},(\d{1,9}),0x[0-9a-f]{4},[\w ]{1,40},0x[0-9a-f]{4},[\w ]{1,40},(\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d),(?:\d{1,6}: )?(.{3,400})$/i;
/** "idrac_events_log_entry{id="21",message="…",severity="Critical"} 1.770990112e+09": its time is its value. */
const METRIC = /^idrac_(?:events_log|sel)_entry\{([^\n]{1,900})\} (\d(?:\.\d{1,12})?e\+09|\d{10})$/;
const HAS_LINES = /^(?:(?:Critical|Caution),\d{1,9},\d{1,9},0x[0-9a-f]{4},|idrac_(?:events_log|sel)_entry\{)/im;

export function isWrittenLog(head: string): boolean {
  return HAS_LINES.test(head) || IS_RECORDS.test(head) || IS_ILO.test(head) || IS_XML.test(head) || isListedLog(head);
}

/** Bodies as a Redfish service would give them, in the order of the text. */
export function writtenBodies(text: string): object[] {
  if (IS_XML.test(text.slice(0, 4096))) return ofXml(text);
  if (HAS_LINES.test(text.slice(0, 4096))) return ofLines(text);
  return isListedLog(text.slice(0, 4096)) ? listedBodies(text) : ofRecords(text);
}

/** An entry a line. What iLO has marked as repaired is over. */
function ofLines(text: string): object[] {
  const bodies: object[] = [];
  let others = 0;
  for (const written of text.split('\n')) {
    const line = written.trimEnd();
    const body = line.length > MOST_LINE ? null : (ofCsv(line) ?? ofMetric(line));
    if (body === null) others += line === '' || line.startsWith('#') ? 0 : 1;
    else if (bodies.length < MOST) bodies.push(body);
  }
  return others > MOST_OTHER * (bodies.length + 1) ? [] : bodies;
}

function ofCsv(line: string): object | null {
  const [, severity, id, stamp = '', message] = IML.exec(line) ?? [];
  if (severity === undefined) return null;
  const isOver = /^repaired$/i.test(severity);
  return { Id: id, Created: stampOf(stamp), Severity: severity, Message: isOver ? 'Repaired' : message };
}

function ofMetric(line: string): object | null {
  const [, labels = '', seconds] = METRIC.exec(line) ?? [];
  if (seconds === undefined) return null;
  const label = (name: string): string | undefined =>
    new RegExp(`(?:^|,)${name}="((?:[^"\\\\]|\\\\.){0,400})"`).exec(labels)?.[1]?.replace(/\\(.)/g, '$1');
  const created = new Date(Number(seconds) * 1000).toISOString();
  return { Id: label('id') ?? '', Created: created, Severity: label('severity'), Message: label('message') ?? '' };
}

function ofRecords(text: string): object[] {
  const bodies: Record<string, unknown>[] = [];
  let body: Record<string, unknown> | null = null;
  let args: string[] = [];
  let others = 0;
  for (const written of text.split('\n')) {
    const line = written.trimEnd();
    if (RULE.test(line)) continue;
    const first = line.length > MOST_LINE ? undefined : FIRST.exec(line)?.[1];
    if (first !== undefined) {
      if (bodies.length >= MOST) break;
      args = [];
      body = { Id: first, MessageArgs: args };
      bodies.push(body);
      continue;
    }
    const [, name = '', value = ''] = line.length > MOST_LINE ? [] : (FIELD.exec(line) ?? []);
    const key = NAMES[name.toLowerCase()];
    if (key === undefined && !MORE.test(name)) others += 1;
    if (body === null) continue;
    if (key === 'Created') body.Created = stampOf(value);
    else if (key !== undefined) body[key] = value;
    else if (/^(?:message arg|fqdd)/i.test(name)) args.push(value);
    else if (name === 'date') body.Created = stampOf(`${value} ${String(body.time ?? '00:00')}`);
    else if (name === 'time') body.Created = stampOf(`${String(body.date ?? '')} ${value}`);
    if (name === 'date' || name === 'time') body[name] = value;
  }
  return others > MOST_OTHER * (bodies.length + 1) ? [] : bodies;
}

function ofXml(text: string): object[] {
  return [...eventsIn(text)].slice(0, MOST).map(([, attributes = '', inside = '']) => {
    const attribute = (name: string): string | undefined =>
      new RegExp(`\\b${name}="([^"]{1,80})"`).exec(attributes)?.[1];
    const element = (name: string): string => plainOf(new RegExp(`<${name}>([^<]{0,400})</${name}>`).exec(inside)?.[1]);
    return {
      Id: attribute('Sequence') ?? '',
      Created: stampOf(attribute('Timestamp') ?? ''),
      Severity: attribute('Severity'),
      MessageId: attribute('MessageID') ?? element('MessageID'),
      Message: element('Message'),
      MessageArgs: [...inside.matchAll(/<Arg>([^<]{0,96})<\/Arg>/g)]
        .map(([, arg]) => plainOf(arg))
        .concat(element('FQDD')),
    };
  });
}

/** In one pass, whatever is not closed. */
function* eventsIn(text: string): Generator<RegExpExecArray> {
  for (let end = text.indexOf('</Event>'), from = 0; end >= 0; end = text.indexOf('</Event>', from)) {
    const to = end + '</Event>'.length;
    const since = text.slice(Math.max(from, to - MOST_EVENT), to);
    const found = XML_EVENT.exec(since.slice(Math.max(0, since.lastIndexOf('<Event '))));
    if (found !== null) yield found;
    from = to;
  }
}

const SIGNS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function plainOf(text = ''): string {
  return text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => SIGNS[name] ?? '').trim();
}

/** "05/01/2024 10:00:00", "2024-05-01 10:00:00", "2024-05-01T10:00:00-0500" as ISO 8601, the zone left out where it is. */
function stampOf(text: string): string {
  const [, month, day, year, clock] = /^(\d\d)\/(\d\d)\/(\d{4}) +(\d\d:\d\d(?::\d\d)?)/.exec(text) ?? [];
  if (year !== undefined) return `${year}-${month}-${day}T${clock?.length === 5 ? `${clock}:00` : clock}`;
  const [, date, time, zone = ''] = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(Z|[+-]\d\d:?\d\d)?/.exec(text) ?? [];
  return date === undefined ? '' : `${date}T${time}${zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')}`;
}
