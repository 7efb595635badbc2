// Ledger: what the daemon wrote down against what a collector got, by ids: nothing lost, nothing under a second id.

import assert from 'node:assert/strict';
import type { LogRecord, Span } from '../sinks/otlp/otlp-proto.ts';
import type { DaemonUnderTest, Json } from './daemon-under-test.ts';

export interface Got {
  readonly records: readonly LogRecord[];
  readonly spans: readonly Span[];
}

export interface Ledger {
  /** What the daemon wrote down that the collector has not got. */
  readonly missing: readonly string[];
  /** What the collector has under more than one id, or in two versions under one. */
  readonly doubtful: readonly string[];
  /** Incident revisions, links and incidents that were compared. */
  readonly compared: number;
}

export function ledger(daemon: DaemonUnderTest, got: Got): Ledger {
  const { records, spans } = got;
  const incidents = daemon.logged('incident');
  const wanted = [
    ...daemon.logged('event').map((event) => `event ${event.id}`),
    ...incidents.map(({ id, revision }) => `incident ${id} ${revision}`),
    ...incidents.filter(({ state }) => state === 'resolved').flatMap(spansWanted),
  ];
  const arrived = new Map<string, Set<string>>();
  const note = (key: string, id: string) => arrived.set(key, (arrived.get(key) ?? new Set()).add(id));
  for (const { attributes: a } of records) {
    const event = a['faultline.event.id'];
    if (event === undefined) note(`incident ${a['faultline.incident.id']} ${a['faultline.incident.revision']}`, uid(a));
    else note(`event ${event}`, `${event}`);
    note(
      `record ${event ?? a['faultline.incident.id']} ${a['faultline.event.count'] ?? a['faultline.incident.revision']}`,
      uid(a),
    );
  }
  const all = new Set(wanted);
  const baseless: string[] = [];
  for (const { name, traceId, spanId, parentId, attributes: a } of spans) {
    const incident = String(a['faultline.incident.id']);
    if (name.startsWith('incident/')) {
      const reopened = Number(a['faultline.incident.reopened']);
      const key = endKey(incident, reopened);
      note(key, `${traceId} ${spanId}`);
      if (!all.has(key)) baseless.push(`${key} never was`);
      if ((parentId === '') !== (reopened === 0)) baseless.push(`${key} is in the wrong place`);
    } else if (/^[a-z]/.test(name)) note(`span ${incident} ${a['faultline.event.id']}`, `${traceId} ${spanId}`);
  }
  return {
    missing: [...all].filter((key) => !arrived.has(key)),
    doubtful: [
      ...baseless,
      ...[...arrived].filter(([, ids]) => ids.size > 1).map(([key]) => key),
      ...versions(records.map(stalled(records) ? withoutLog : same), ({ attributes: a }) => uid(a)),
      ...versions(spans, ({ spanId }) => spanId),
    ],
    compared: all.size,
  };
}

/** Waits until nothing is missing, and fails where anything came under a second id. */
export async function balanced(daemon: DaemonUnderTest, got: () => Got, patienceMs = 90_000): Promise<Ledger> {
  await daemon
    .until('everything has arrived', () => ledger(daemon, got()).missing.length === 0, patienceMs)
    .catch((error: unknown) =>
      assert.fail(`${String(error)}\nmissing: ${ledger(daemon, got()).missing.slice(0, 20).join('; ')}`),
    );
  const end = ledger(daemon, got());
  assert.deepEqual(end.doubtful, []);
  return end;
}

/**
 * Whether the disk of this machine hung for a second meanwhile, as it does where others compile: what could not be kept in time goes
 * out all the same and says so (`log: unavailable`), and comes again from the log once it is there.
 */
function stalled(records: readonly LogRecord[]): boolean {
  return records.some(({ attributes: a }) => a['faultline.incident.log'] === 'unavailable');
}

/** The record without what a hung disk changes: whether it was kept, and the trace of an event whose incident was not yet. */
function withoutLog(record: LogRecord): LogRecord {
  const { 'faultline.incident.log': _, 'faultline.incident.document': document, ...rest } = record.attributes;
  const kept = document === undefined ? {} : { document: { ...(JSON.parse(String(document)) as Json), log: null } };
  return { ...record, traceId: '', spanId: '', flags: 0, attributes: { ...rest, ...kept } };
}

const same = (record: LogRecord): LogRecord => record;

function uid(attributes: Json): string {
  return String(attributes['log.record.uid']);
}

/** One span of the incident each time that it was resolved, and one of each link. */
function spansWanted({ id, reopened, chain, merged_into: merged }: Json): string[] {
  const links = merged === null ? (chain as Json[]) : []; // contracts' incident
  return [endKey(id, Number(reopened)), ...links.map((link) => `span ${id} ${link.event_id}`)];
}

function endKey(id: unknown, reopened: number): string {
  return `end ${id} after ${reopened} re-openings`;
}

/** Ids that came with two different contents: sent again is the same, whatever the number of times. */
function versions<T>(items: readonly T[], idOf: (item: T) => string): string[] {
  const first = new Map<string, string>();
  return items.flatMap((item) => {
    const text = JSON.stringify(item);
    const known = first.get(idOf(item)) ?? text;
    first.set(idOf(item), known);
    return known === text ? [] : [`two versions of ${idOf(item)}: ${difference(known, text)}`];
  });
}

/** From shortly before where two texts begin to differ. */
function difference(a: string, b: string): string {
  let at = 0;
  while (a[at] === b[at]) at += 1;
  const [one, other] = [a, b].map((text) => text.slice(Math.max(0, at - 60), at + 200));
  return `…${one}… and …${other}…`;
}
