// Log records: events and incident revisions in the form that the OTLP serialiser takes.

import type { AnyValue, Attributes } from '@opentelemetry/api';
import { TraceFlags } from '@opentelemetry/api';
import type { ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer';
import type { Resource } from '@opentelemetry/resources';
import { wholeVerdict } from '../../../correlation/patterns/verdict.ts';
import { componentText } from '../../../model/component.ts';
import { incidentToDocument } from '../../../model/documents/incident.ts';
import type { Evidence, FaultEvent } from '../../../model/event.ts';
import { stableId } from '../../../model/identity.ts';
import type { Incident } from '../../../model/incident.ts';
import { kindInfo } from '../../../model/kind.ts';
import { madeAttributes, madeOf } from '../../../model/made.ts';
import { severityNumber } from '../../../model/severity.ts';
import { formatTime } from '../../../model/time.ts';
import { spanIdOf } from '../../../model/trace.ts';
import { componentValues, loggedTime, present, short, type Values } from '../values.ts';
import { gpuValues, hintValues, whoseValues } from '../whose-values.ts';
import type { TraceContext } from './context-book.ts';

export type LogRecord = Parameters<typeof ProtobufLogsSerializer.serializeRequest>[0][number];

export interface Origin {
  readonly resource: Resource;
  readonly scope: { readonly name: string; readonly version: string };
}

const MOST_ATTRIBUTES = 64;
const MOST_EVIDENCE = 8;
const MOST_DOCUMENT = 64 * 1024;

/** `sampled`: whether the trace that the record names is exported too. */
export function eventRecord(
  event: FaultEvent,
  context: TraceContext | null,
  sampled: boolean,
  origin: Origin,
): LogRecord {
  const { attributes, dropped } = eventAttributes(event);
  return record(origin, {
    hrTime: loggedTime(event.timeMs),
    hrTimeObserved: loggedTime(event.observedMs),
    eventName: `faultline.${event.kind}`,
    severityNumber: severityNumber(event.severity),
    severityText: event.severity,
    body: eventText(event),
    attributes,
    droppedAttributesCount: dropped,
    ...spanContext(context, sampled),
  });
}

/** Made from the incident alone: the record of a revision is the same, whichever run of the daemon sends it. */
export function incidentRecord(incident: Incident, sampled: boolean, origin: Origin): LogRecord {
  const context = { traceId: incident.traceId, spanId: spanIdOf(incident.id) };
  return record(origin, {
    hrTime: loggedTime(incident.revision === 1 ? incident.openedMs : incident.updatedMs),
    hrTimeObserved: loggedTime(incident.updatedMs),
    eventName: `faultline.incident.${incidentTurn(incident)}`,
    severityNumber: severityNumber(incident.severity),
    severityText: incident.severity,
    body: short(incident.title),
    attributes: incidentAttributes(incident),
    droppedAttributesCount: 0,
    ...spanContext(context, sampled),
  });
}

/** What this host knows of a job's flight-recorder dumps; whoever has those of all hosts can join them (`faultline fr`). */
export function summaryRecord(job: string, text: string, timeMs: number, origin: Origin): LogRecord {
  return record(origin, {
    hrTime: loggedTime(timeMs),
    hrTimeObserved: loggedTime(timeMs),
    eventName: 'faultline.flight_recorder.summary',
    severityNumber: severityNumber('info'),
    severityText: 'info',
    body: text,
    attributes: { 'log.record.uid': stableId('record', job, text), 'faultline.job': short(job, 128) },
    droppedAttributesCount: 0,
  });
}

function incidentTurn({ mergedInto, state, revision }: Incident): string {
  if (mergedInto !== null) return 'merged';
  if (state === 'resolved') return 'resolved';
  return revision === 1 ? 'opened' : 'revised';
}

function record(origin: Origin, own: Omit<LogRecord, 'resource' | 'instrumentationScope'>): LogRecord {
  return { ...own, resource: origin.resource, instrumentationScope: origin.scope };
}

function spanContext(context: TraceContext | null, sampled: boolean): Pick<LogRecord, 'spanContext'> {
  if (context === null) return {};
  return { spanContext: { ...context, traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE } };
}

function eventText(event: FaultEvent): string {
  const { kind, component, state } = event;
  const where = component === null ? '' : ` on ${short(componentText(component), 300)}`;
  const made = madeOf(event);
  return `${made === null ? '' : `[${made}] `}${kindInfo(kind).title}${where}${state === 'clear' ? ': over' : ''}`;
}

function eventAttributes(event: FaultEvent): { attributes: Attributes; dropped: number } {
  const values: Values = {
    // The same event comes again as its repeats add up: a record of its own each time, the event's id stays.
    'log.record.uid': stableId('record', event.id, event.count),
    'faultline.event.id': event.id,
    'faultline.event.kind': event.kind,
    'faultline.event.state': event.state,
    'faultline.event.count': event.count,
    'faultline.event.source': short(event.source, 128),
    'faultline.event.trust': event.trust,
    'faultline.event.time_earliest': formatTime(event.interval.earliestMs, 6),
    'faultline.event.time_latest': formatTime(event.interval.latestMs, 6),
    ...madeAttributes(madeOf(event)),
    ...componentValues(event.component),
    ...gpuValues(event.component, event.attributes),
    ...hintValues(event.kind, event.attributes),
    ...whoseValues(event.whose),
  };
  const own = Object.entries(event.attributes).filter(([, value]) => value !== null);
  for (const [name, value] of own.slice(0, MOST_ATTRIBUTES)) {
    values[`faultline.event.attributes.${short(name, 128)}`] = typeof value === 'string' ? short(value) : value;
  }
  if (event.evidence.length > 0) {
    values['faultline.event.evidence'] = event.evidence.slice(0, MOST_EVIDENCE).map(evidenceText);
  }
  return { attributes: present(values), dropped: Math.max(own.length - MOST_ATTRIBUTES, 0) };
}

function evidenceText(evidence: Evidence): AnyValue {
  if ('text' in evidence) return short(evidence.text);
  const values = evidence.values.slice(-4).map(([, value]) => Number(value.toPrecision(6)));
  return short(`${evidence.series}: ${evidence.values.length} samples, the last ${values.join(', ')}`);
}

function incidentAttributes(incident: Incident): Attributes {
  return present({
    'log.record.uid': stableId('record', incident.id, incident.revision),
    'faultline.incident.id': incident.id,
    'faultline.incident.state': incident.state,
    'faultline.incident.revision': incident.revision,
    'faultline.incident.reopened': incident.reopened,
    'faultline.incident.confidence': incident.confidence,
    'faultline.incident.root.kind': incident.root.kind,
    'faultline.incident.root.event_id': incident.root.eventId,
    'faultline.incident.root.known': incident.rootKnown,
    'faultline.incident.confirmed': incident.unconfirmed === null,
    'faultline.incident.pattern': incident.pattern ?? undefined,
    ...verdictValues(incident),
    'faultline.incident.action': incident.action.kind,
    'faultline.incident.action.target':
      incident.action.target === null ? undefined : componentText(incident.action.target),
    'faultline.incident.merged_into': incident.mergedInto ?? undefined,
    'faultline.incident.log': incident.log,
    'faultline.incident.event_ids': incident.chain.slice(0, 256).map((link) => link.eventId),
    'faultline.incident.document': documentText(incident),
    ...madeAttributes(incident.made),
    ...componentValues(incident.root.component),
    ...gpuValues(incident.root.component),
    ...hintValues(incident.root.kind),
    ...whoseValues(incident.whose),
  });
}

/** Under the names that Tracecore gave them (catalog/pattern-verdict.schema.json). */
function verdictValues(incident: Incident): Values {
  const verdict = wholeVerdict(incident);
  if (verdict === null) return {};
  const { evidence_trail: _, ...named } = verdict;
  return { ...named, 'pattern.verdict_json': JSON.stringify(verdict) };
}

/** The document `faultline/incident/1` as JSON; without its evidence where it is too long, absent where it still is. */
function documentText(incident: Incident): string | undefined {
  const document = incidentToDocument(incident);
  for (const shown of [document, { ...document, evidence: [] }]) {
    const text = JSON.stringify(shown);
    if (text.length <= MOST_DOCUMENT) return text.toWellFormed();
  }
  return undefined;
}
