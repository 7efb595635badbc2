// Arbitrary events and incidents for the tests of their documents.

import fc from 'fast-check';
import { ACTIONS } from '../../../src/model/action.ts';
import { COMPONENT_TYPES, type Component } from '../../../src/model/component.ts';
import { CONFIDENCE_CODES, isConfidenceCode } from '../../../src/model/confidence.ts';
import type { Evidence, FaultEvent } from '../../../src/model/event.ts';
import type { ChainLink, Incident } from '../../../src/model/incident.ts';
import { KINDS } from '../../../src/model/kind.ts';
import { SEVERITIES } from '../../../src/model/severity.ts';

const time = fc.integer({ min: 0, max: 4_102_444_800_000 });
const name = fc.string({ minLength: 1, maxLength: 20, unit: 'binary' });
const text = fc.string({ maxLength: 40, unit: 'binary' });
/** A lag, ms: documents give it to the microsecond. */
const microseconds = fc.integer({ min: -1e12, max: 1e12 }).map((us) => us / 1000);
const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
const component: fc.Arbitrary<Component> = fc.record(
  {
    type: fc.constantFrom(...COMPONENT_TYPES),
    id: name,
    host: text,
    parent: text,
    aliases: fc.array(text, { maxLength: 3 }),
  },
  { requiredKeys: ['type', 'id'], noNullPrototype: true },
);
const evidence: fc.Arbitrary<Evidence> = fc.oneof(
  fc.record({ source: text, timeMs: time, text }, { noNullPrototype: true }),
  fc.record(
    { source: text, series: text, values: fc.array(fc.tuple(time, finite), { maxLength: 4 }) },
    { noNullPrototype: true },
  ),
);
const interval = fc.record({ earliestMs: time, latestMs: time }, { noNullPrototype: true });
const kind = fc.constantFrom(...KINDS);
const code = fc.option(fc.constantFrom(...Object.keys(CONFIDENCE_CODES).filter(isConfidenceCode)));
const severity = fc.constantFrom(...SEVERITIES);
const root = { eventId: name, kind, component: fc.option(component) };

export const anyEvent: fc.Arbitrary<FaultEvent> = fc.record(
  {
    id: name,
    kind,
    component: fc.option(component),
    severity,
    timeMs: time,
    timeDigits: fc.integer({ min: 3, max: 9 }),
    interval,
    observedMs: time,
    trust: fc.constantFrom('kernel', 'driver', 'bmc', 'facility', 'system', 'tenant'),
    state: fc.constantFrom('onset', 'clear', 'point'),
    count: fc.nat(),
    source: name,
    attributes: fc.dictionary(name, fc.oneof(text, finite, fc.boolean(), fc.constant(null)), { noNullPrototype: true }),
    evidence: fc.array(evidence, { maxLength: 3 }),
  },
  { noNullPrototype: true },
);

const link: fc.Arbitrary<ChainLink> = fc.record(
  {
    ...root,
    severity,
    timeMs: time,
    timeDigits: fc.integer({ min: 3, max: 9 }),
    interval,
    causedBy: fc.array(name, { maxLength: 2 }),
    lagMs: fc.option(microseconds),
    confidence: finite,
    orderUnknown: fc.boolean(),
  },
  { noNullPrototype: true },
);

const incidentFields = fc.record(
  {
    id: name,
    host: text,
    state: fc.constantFrom('open', 'resolved'),
    revision: fc.nat(),
    openedMs: time,
    updatedMs: time,
    resolvedMs: fc.option(time),
    reopened: fc.nat({ max: 9 }),
    reopenedMs: fc.option(time),
    title: text,
    severity,
    confidence: finite,
    confidenceParts: fc.array(fc.record({ code, why: text, delta: finite }, { noNullPrototype: true }), {
      maxLength: 2,
    }),
    pattern: fc.option(text),
    rootKnown: fc.boolean(),
    unconfirmed: fc.option(fc.string()),
    root: fc.record(root, { noNullPrototype: true }),
    chain: fc.array(link, { maxLength: 3 }),
    impact: fc.array(
      fc.record(
        { component, quantity: text, before: fc.option(finite), after: fc.option(finite), unit: text, text },
        { noNullPrototype: true },
      ),
      { maxLength: 2 },
    ),
    action: fc.record(
      { kind: fc.constantFrom(...ACTIONS), target: fc.option(component), why: text },
      { noNullPrototype: true },
    ),
    alternatives: fc.array(
      fc.record(
        {
          root: fc.record({ kind, component: fc.option(component) }, { noNullPrototype: true }),
          confidence: finite,
          why: text,
        },
        { noNullPrototype: true },
      ),
      { maxLength: 2 },
    ),
    ruledOut: fc.array(fc.record({ what: text, why: text }, { noNullPrototype: true }), { maxLength: 2 }),
    evidence: fc.array(evidence, { maxLength: 2 }),
    events: fc.array(anyEvent, { maxLength: 2 }),
    mergedInto: fc.option(name),
    traceId: name,
    log: fc.constantFrom('written', 'unavailable'),
  },
  { noNullPrototype: true },
);

const outlasted = fc.record(
  { eventId: name, kind, component: fc.option(component), timeMs: time },
  { noNullPrototype: true },
);

export const anyIncident: fc.Arbitrary<Incident> = fc
  .tuple(incidentFields, fc.option(outlasted))
  .map(([fields, plan]) => (plan === null ? fields : { ...fields, outlasted: plan }));

/** As another process reads it. */
export function throughJson(document: object): unknown {
  return JSON.parse(JSON.stringify(document));
}
