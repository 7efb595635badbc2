// One entry of a BMC's log, or one event that it sends: the same facts by other names. Pure; any JSON gives an answer or null.

import { at, linkAt, listAt, textAt, textUpTo } from '../decode/json.ts';

const MOST_ARGUMENTS = 8;
const MOST_TEXT = 400;
/** A clock that was never set shows the epoch, or the day its firmware was built for: no time at all. */
const SET_SINCE_MS = Date.UTC(2015, 0, 1);
const ZONE = /(?:Z|[+-]\d\d:?\d\d)$/i;

export interface LogEntry {
  /** Tells it from all others of its log: ids are used again after a log was cleared. */
  readonly key: string;
  readonly id: string;
  /** Epoch ms of the BMC's clock; null where it has none that was set. */
  readonly createdMs: number | null;
  readonly severity: string | null;
  /** "IDRAC.2.8.PSU0003" */
  readonly messageId: string | null;
  readonly text: string;
  readonly args: readonly string[];
  /** Of an entry in IPMI's form: "Power Supply". */
  readonly sensorType: string | null;
  /** It reports that something is over. */
  readonly deasserted: boolean;
  /** What it is about. */
  readonly origin: string | null;
}

/** `zone`: of the log, for times without one of their own ("-05:00"). Null for what is only a link, or says nothing. */
export function decodeEntry(body: unknown, zone: string | null): LogEntry | null {
  const text = textUpTo(MOST_TEXT, body, 'Message') ?? textUpTo(MOST_TEXT, body, 'Description') ?? '';
  const messageId = textAt(body, 'MessageId');
  if (text === '' && messageId === null) return null;
  const stamp = textAt(body, 'EventTimestamp') ?? textAt(body, 'Created');
  const id = textAt(body, 'Id') ?? textAt(body, 'EventId') ?? textAt(body, 'MemberId') ?? '';
  const code = textAt(body, 'EntryCode') ?? '';
  return {
    key: `${id} ${stamp ?? ''}`,
    id,
    createdMs: timeOf(stamp, zone),
    severity: textAt(body, 'MessageSeverity') ?? textAt(body, 'Severity'),
    messageId,
    text,
    args: listAt(body, 'MessageArgs')
      .slice(0, MOST_ARGUMENTS)
      .map((_, i) => textAt(body, 'MessageArgs', i) ?? ''),
    sensorType: textAt(body, 'SensorType'),
    deasserted: /^deassert/i.test(code) || /\bde-?asserted\b/i.test(text),
    origin: linkAt(body, 'OriginOfCondition') ?? linkAt(body, 'Links', 'OriginOfCondition'),
  };
}

/** Entries of an event as the service sends it: one document, several events. */
export function entriesOfEvent(body: unknown): LogEntry[] {
  const events = at(body, 'Events') === undefined ? [body] : listAt(body, 'Events');
  return events.map((event) => decodeEntry(event, null)).filter((entry) => entry !== null);
}

function timeOf(stamp: string | null, zone: string | null): number | null {
  if (stamp === null) return null;
  // Without a zone JavaScript would take our own, which the BMC knows nothing of.
  const offset = zone !== null && ZONE.test(zone) ? zone : 'Z';
  const ms = Date.parse(ZONE.test(stamp) ? stamp : `${stamp}${offset}`);
  return Number.isNaN(ms) || ms < SET_SINCE_MS ? null : ms;
}
