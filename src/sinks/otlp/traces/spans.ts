// Spans: an incident, the links of its chain and our own work on it, in the form that the OTLP serialiser takes.

import { type Attributes, type Link, type SpanContext, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import type { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { patternVerdict } from '../../../correlation/patterns/verdict.ts';
import { componentText } from '../../../model/component.ts';
import type { ChainLink, Incident } from '../../../model/incident.ts';
import { madeAttributes } from '../../../model/made.ts';
import { compareSeverity } from '../../../model/severity.ts';
import type { Stage } from '../../../model/stage.ts';
import { parseTraceparent, spanIdOf, type TraceContext, traceIdOf } from '../../../model/trace.ts';
import type { IncidentWork, RequestWork } from '../../../model/work.ts';
import type { Origin } from '../logs/log-records.ts';
import { componentValues, loggedTime, present, short } from '../values.ts';
import { gpuValues, hintValues, whoseValues } from '../whose-values.ts';
import type { EndedCall } from './ended-call.ts';

export type Span = Parameters<typeof ProtobufTraceSerializer.serializeRequest>[0][number];

const MOST_LINKS = 32;
const MOST_ATTRIBUTES = 16;

export function incidentContext(incidentId: string, part = ''): SpanContext {
  return { traceId: traceIdOf(incidentId), spanId: spanIdOf(incidentId, part), traceFlags: TraceFlags.SAMPLED };
}

interface Draft {
  readonly name: string;
  readonly context: SpanContext;
  readonly parent?: SpanContext;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly links?: Link[];
  /** Left out: within the daemon. */
  readonly kind?: SpanKind;
  /** Set where the span reports a failure. */
  readonly failure?: string | undefined;
}

function spanOf(draft: Draft, origin: Origin): Span {
  const startTime = loggedTime(draft.startMs);
  const endTime = loggedTime(Math.max(draft.endMs, draft.startMs));
  const seconds = endTime[0] - startTime[0] - (endTime[1] < startTime[1] ? 1 : 0);
  const { failure } = draft;
  return {
    name: draft.name,
    kind: draft.kind ?? SpanKind.INTERNAL,
    spanContext: () => draft.context,
    ...(draft.parent === undefined ? {} : { parentSpanContext: draft.parent }),
    startTime,
    endTime,
    duration: [seconds, (endTime[1] - startTime[1] + 1e9) % 1e9],
    ended: true,
    status:
      failure === undefined
        ? { code: SpanStatusCode.UNSET }
        : { code: SpanStatusCode.ERROR, message: short(failure, 256) },
    attributes: draft.attributes,
    links: draft.links ?? [],
    events: [],
    resource: origin.resource,
    instrumentationScope: origin.scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Which span is that of an incident that was opened again this often: the first one, 0 times, is the root of its trace. */
export function spanPart(reopened: number): string {
  return reopened === 0 ? '' : `again ${reopened}`;
}

/**
 * The span over the whole incident until it was resolved. An incident that was opened again continues in a further span: a
 * child of the first one, linked to the one before.
 */
export function incidentSpan(incident: Incident, startMs: number, endMs: number, origin: Origin): Span {
  const { mergedInto, action, root, reopened } = incident;
  const merged = mergedInto === null ? [] : [linkTo(incidentContext(mergedInto), 'merged_into')];
  const before = reopened === 0 ? [] : [linkTo(incidentContext(incident.id, spanPart(reopened - 1)), 'continues')];
  return spanOf(
    {
      name: `incident/${root.kind}`,
      context: incidentContext(incident.id, spanPart(reopened)),
      ...(reopened === 0 ? {} : { parent: incidentContext(incident.id) }),
      startMs,
      endMs,
      links: [...before, ...merged, ...worstTraces(incident)],
      failure: compareSeverity(incident.severity, 'error') >= 0 ? incident.title : undefined,
      attributes: {
        'faultline.incident.id': incident.id,
        'faultline.incident.title': short(incident.title),
        'faultline.incident.severity': incident.severity,
        'faultline.incident.confidence': incident.confidence,
        'faultline.incident.revision': incident.revision,
        'faultline.incident.reopened': reopened,
        'faultline.incident.root.kind': root.kind,
        'faultline.incident.root.known': incident.rootKnown,
        'faultline.incident.confirmed': incident.unconfirmed === null,
        'faultline.incident.action': action.kind,
        ...(action.target === null
          ? {}
          : { 'faultline.incident.action.target': short(componentText(action.target), 300) }),
        ...(incident.pattern === null ? {} : { 'faultline.incident.pattern': short(incident.pattern, 128) }),
        ...patternVerdict(incident),
        ...madeAttributes(incident.made),
        ...componentValues(root.component),
        ...present({ ...gpuValues(root.component), ...whoseValues(incident.whose) }),
      },
    },
    origin,
  );
}

/** The slowest and failed requests to the services that it hit: their traces say where the time went. */
function worstTraces({ impact }: Incident): Link[] {
  const traces = impact.flatMap(({ traces = [] }) => traces).slice(0, MOST_LINKS);
  return traces.map((trace) => linkTo(remoteContext({ ...trace, sampled: true }), 'worst_trace'));
}

/**
 * One link of the chain: child of its first cause, with a span link to every cause, and to the trace in which it was seen
 * where the samples came with one.
 */
export function chainSpan(incident: Incident, link: ChainLink, endMs: number, origin: Origin): Span {
  const inChain = new Set(incident.chain.map(({ eventId }) => eventId));
  const causes = link.causedBy.filter((cause) => inChain.has(cause) && cause !== link.eventId);
  const [first] = causes;
  const event = incident.events.find(({ id }) => id === link.eventId);
  const seenIn = parseTraceparent(event?.attributes.traceparent);
  const type = link.component?.type ?? 'host';
  return spanOf(
    {
      name: `${type}/${link.kind}`,
      context: incidentContext(incident.id, link.eventId),
      parent: incidentContext(incident.id, first ?? ''),
      startMs: link.interval.earliestMs,
      endMs: Math.max(endMs, link.interval.latestMs),
      links: [
        ...causes.slice(0, MOST_LINKS).map((cause) => linkTo(incidentContext(incident.id, cause), 'caused_by')),
        ...(seenIn === null ? [] : [linkTo(remoteContext(seenIn), 'seen_in')]),
      ],
      failure: compareSeverity(link.severity, 'error') >= 0 ? link.kind : undefined,
      attributes: {
        'faultline.incident.id': incident.id,
        'faultline.event.id': link.eventId,
        'faultline.event.kind': link.kind,
        'faultline.event.severity': link.severity,
        'faultline.event.time_uncertainty_ms': link.interval.latestMs - link.interval.earliestMs,
        'faultline.link.confidence': link.confidence,
        'faultline.link.order_unknown': link.orderUnknown,
        ...(link.lagMs === null ? {} : { 'faultline.link.lag_ms': link.lagMs }),
        ...madeAttributes(incident.made),
        ...componentValues(link.component),
        ...present({
          ...gpuValues(link.component, event?.attributes),
          ...hintValues(link.kind, event?.attributes),
          ...whoseValues(event?.whose),
        }),
      },
    },
    origin,
  );
}

/** The part of an incident's trace that is this stage. */
export function stagePart({ id }: Stage): string {
  return `stage ${id}`;
}

/** A stage of its life that is over: a child of the incident's span, linked to the stage before. */
export function stageSpan(incident: Incident, stage: Stage, origin: Origin): Span {
  const { name, action, by, source, beganMs, endedMs, waitMs, outcome, reason, error, component } = stage;
  const { stages = [] } = incident;
  const before = stages[stages.indexOf(stage) - 1];
  const links = before === undefined ? [] : [linkTo(incidentContext(incident.id, stagePart(before)), 'follows')];
  const attributes = {
    'faultline.incident.id': incident.id,
    'faultline.stage.name': name,
    'faultline.stage.action': action,
    'faultline.stage.outcome': outcome,
    'faultline.stage.source': source,
    'faultline.stage.wait_ms': Math.round(waitMs),
    ...(by === null ? {} : { 'faultline.stage.by': short(by, 128) }),
    ...reasonOf(outcome, reason),
    ...(error === null ? {} : { 'error.type': short(error.type, 64), 'error.message': short(error.message, 256) }),
    ...madeAttributes(incident.made),
    ...componentValues(component),
  };
  const failure = error === null || outcome !== 'failed' ? undefined : error.message;
  const context = incidentContext(incident.id, stagePart(stage));
  return spanOf(
    { name: `stage/${name}`, context, parent: incidentContext(incident.id), startMs: beganMs, endMs: endedMs ?? beganMs, links, failure, attributes },
    origin,
  ); // biome-ignore format: one record
}

function reasonOf(outcome: Stage['outcome'], reason: string | null): Attributes {
  if (reason === null) return {};
  const name = { skipped: 'skip', cancelled: 'cancel' }[outcome as string] ?? 'stage';
  return { [`faultline.${name}.reason`]: short(reason, 256) };
}

/**
 * Our own work: in the incident's trace, linked to what it worked on, because it ran in parallel and not inside. `link` is
 * the event id of that link of the chain; an event outside of it has no span, and its work is linked to the incident.
 */
export function workSpan(work: IncidentWork, link: string | undefined, origin: Origin, made?: Incident['made']): Span {
  const { incidentId, eventId, revision, skipped, error } = work;
  const about = incidentContext(incidentId, link);
  return spanOf(
    {
      name: work.name,
      context: incidentContext(
        incidentId,
        `${work.name} ${eventId ?? ''} ${revision ?? ''} ${work.startMs.toFixed(3)}`,
      ),
      parent: incidentContext(incidentId),
      startMs: work.startMs,
      endMs: work.endMs,
      links: [linkTo(about, 'works_on')],
      failure: error,
      attributes: {
        'faultline.incident.id': incidentId,
        ...(eventId === undefined ? {} : { 'faultline.event.id': eventId }),
        ...(revision === undefined ? {} : { 'faultline.incident.revision': revision }),
        ...(skipped === undefined ? {} : { 'faultline.skip.reason': short(skipped, 256) }),
        ...madeAttributes(made),
      },
    },
    origin,
  );
}

/** Work that a caller asked for: a child of the caller's span, in its trace. */
export function requestSpan(
  { name, parent, spanId, startMs, endMs, skipped, error }: RequestWork,
  origin: Origin,
): Span {
  return spanOf(
    {
      name,
      context: { ...remoteContext(parent), spanId, isRemote: false },
      parent: remoteContext(parent),
      startMs,
      endMs,
      failure: error,
      attributes: skipped === undefined ? {} : { 'faultline.skip.reason': short(skipped, 256) },
    },
    origin,
  );
}

/** A call out. `left`: how many before it were left out, because they were too many. */
export function callSpan(
  { traceId, spanId, parent, start, how, startMs, endMs }: EndedCall,
  left: number,
  origin: Origin,
): Span {
  const context = { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
  const values = Object.entries({ ...start.attributes, ...how.attributes }).slice(0, MOST_ATTRIBUTES);
  return spanOf(
    {
      name: short(start.name, 128),
      kind: SpanKind.CLIENT,
      context,
      ...(parent === null ? {} : { parent: { ...parent, traceFlags: TraceFlags.SAMPLED } }),
      startMs,
      endMs,
      failure: how.error,
      attributes: {
        ...Object.fromEntries(
          values.map(([name, value]) => [name, typeof value === 'string' ? short(value, 512) : value]),
        ),
        ...(how.error === undefined ? {} : { 'error.type': short(how.error, 64) }),
        ...(left === 0 ? {} : { 'faultline.calls.left_out': left }),
      },
    },
    origin,
  );
}

function remoteContext({ traceId, spanId, sampled }: TraceContext): SpanContext {
  return { traceId, spanId, traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
}

function linkTo(
  context: SpanContext,
  relation: 'caused_by' | 'merged_into' | 'continues' | 'works_on' | 'seen_in' | 'follows' | 'worst_trace',
): Link {
  return { context, attributes: { 'faultline.link.relation': relation } };
}
