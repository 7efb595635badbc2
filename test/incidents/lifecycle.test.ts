import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IncidentBook } from '../../src/incidents/lifecycle.ts';
import { incidentFromDocument, wholeIncidentToDocument } from '../../src/model/documents/incident.ts';
import { incidentId } from '../../src/model/identity.ts';
import { traceIdOf } from '../../src/model/trace.ts';
import { BRAKES, explanation, SAG, T0 } from './sample.ts';

const id = incidentId('node-3', SAG.id);

test('an incident opens with an id of host and first event, and a trace of its own', () => {
  const opened = new IncidentBook('node-3', []).apply(explanation());
  assert.equal(opened?.id, id);
  assert.equal(opened?.revision, 1);
  assert.equal(opened?.state, 'open');
  assert.equal(opened?.openedMs, SAG.timeMs);
  assert.equal(opened?.updatedMs, T0 + 5000);
  assert.match(opened?.traceId ?? '', /^[0-9a-f]{32}$/);
  assert.notEqual(traceIdOf('7f3c41d2a0b1'), traceIdOf('7f3c41d2a0b2'));
});

test('the id stays when root and chain are revised', () => {
  const book = new IncidentBook('node-3', []);
  book.apply(explanation());
  const [brake] = BRAKES;
  assert.ok(brake);
  const root = { eventId: brake.id, kind: brake.kind, component: brake.component };
  const revised = book.apply(explanation({ root, asOfMs: T0 + 6000 }));
  assert.equal(revised?.id, id);
  assert.equal(revised?.revision, 2);
  assert.equal(revised?.root.eventId, brake.id);
});

test('what says nothing new is not a revision', () => {
  const book = new IncidentBook('node-3', []);
  book.apply(explanation());
  const counted = [{ ...SAG, count: 7 }, ...BRAKES];
  assert.equal(book.apply(explanation({ asOfMs: T0 + 9000 })), null);
  assert.equal(book.apply(explanation({ asOfMs: T0 + 9000, confidence: 0.9312 })), null);
  assert.equal(book.apply(explanation({ asOfMs: T0 + 9000, events: counted })), null);
  assert.equal(book.apply(explanation({ asOfMs: T0 + 9000, confidence: 0.6 }))?.revision, 2);
});

test('a drift in small steps is reported once it adds up', () => {
  const book = new IncidentBook('node-3', []);
  book.apply(explanation({ confidence: 0.93 }));
  const reported = [0.932, 0.934, 0.936].map((confidence) => book.apply(explanation({ confidence }))?.revision ?? null);
  assert.deepEqual(reported, [null, null, 2]);
});

test('an incident is resolved, opened again and resolved again under one id', () => {
  const book = new IncidentBook('node-3', []);
  const steps = [
    book.apply(explanation()),
    book.apply(explanation({ ended: true, asOfMs: T0 + 60_000 })),
    book.apply(explanation({ ended: true, asOfMs: T0 + 61_000 })),
    book.apply(explanation({ asOfMs: T0 + 70_000 })),
    book.apply(explanation({ ended: true, asOfMs: T0 + 80_000 })),
    book.apply(explanation({ asOfMs: T0 + 90_000 })),
  ].map((each) => each && [each.id, each.revision, each.state, each.resolvedMs, each.reopened, each.reopenedMs]);
  assert.deepEqual(steps, [
    [id, 1, 'open', null, 0, null],
    [id, 2, 'resolved', T0 + 60_000, 0, null],
    null,
    [id, 3, 'open', null, 1, T0 + 70_000],
    [id, 4, 'resolved', T0 + 80_000, 1, T0 + 70_000],
    [id, 5, 'open', null, 2, T0 + 90_000],
  ]);
});

test('a revision of a resolved incident keeps when it was resolved', () => {
  const book = new IncidentBook('node-3', []);
  book.apply(explanation({ ended: true, asOfMs: T0 + 60_000 }));
  const late = book.apply(explanation({ ended: true, asOfMs: T0 + 65_000, confidence: 0.5 }));
  assert.deepEqual([late?.revision, late?.resolvedMs, late?.updatedMs], [2, T0 + 60_000, T0 + 65_000]);
});

test('a merged incident names the older one and is over', () => {
  const book = new IncidentBook('node-3', []);
  book.apply(explanation());
  const merged = book.apply(explanation({ mergedInto: 'an-older-event' }));
  assert.equal(merged?.mergedInto, incidentId('node-3', 'an-older-event'));
  assert.equal(merged?.state, 'resolved');
  assert.deepEqual(book.open(), []);
});

test('time never runs back within an incident', () => {
  const book = new IncidentBook('node-3', []);
  book.apply(explanation({ asOfMs: T0 + 9000 }));
  assert.equal(book.apply(explanation({ asOfMs: T0 + 3000, title: 'late news' }))?.updatedMs, T0 + 9000);
});

test('the same explanations give the same documents', () => {
  const run = (): unknown[] => {
    const book = new IncidentBook('node-3', []);
    const reported = [
      explanation(),
      explanation({ title: 'other' }),
      explanation({ ended: true, asOfMs: T0 + 60_000 }),
    ];
    return reported.map((each) => book.apply(each));
  };
  assert.deepEqual(run(), run());
});

test('after a restart a restored incident continues: nothing new is not a revision, news is the next', () => {
  const opened = new IncidentBook('node-3', []).apply(explanation());
  assert.ok(opened);
  const restored = incidentFromDocument(JSON.parse(JSON.stringify(wholeIncidentToDocument(opened))));
  assert.ok(restored);
  const book = new IncidentBook('node-3', [restored]);
  assert.deepEqual(book.open(), [opened]);
  assert.equal(book.apply(explanation({ asOfMs: T0 + 9000 })), null);
  const ended = book.apply(explanation({ asOfMs: T0 + 9000, ended: true }));
  assert.deepEqual([ended?.id, ended?.revision, ended?.openedMs], [id, 2, opened.openedMs]);
});

test('the order of a component’s fields is not news', () => {
  const book = new IncidentBook('node-3', []);
  book.apply(explanation());
  const action = explanation().action;
  const turned = Object.fromEntries(Object.entries(action.target ?? {}).reverse());
  assert.equal(
    book.apply(explanation({ action: { ...action, target: { type: 'pdu_phase', id: '', ...turned } } })),
    null,
  );
});

test('a restored incident that nothing will end can be resolved', () => {
  const book = new IncidentBook('node-3', []);
  book.apply(explanation());
  const resolved = book.resolve(id, T0 + 90_000);
  assert.deepEqual([resolved?.state, resolved?.revision, resolved?.resolvedMs], ['resolved', 2, T0 + 90_000]);
  assert.equal(book.resolve(id, T0 + 91_000), null);
});

test('memory is bounded: resolved incidents leave, the newest can still be opened again', () => {
  const book = new IncidentBook('node-3', []);
  const events = (number: number) => [{ ...SAG, id: `event-${number}` }];
  for (let number = 0; number < 5000; number += 1) book.apply(explanation({ events: events(number), ended: true }));
  assert.equal(book.open().length, 0);
  assert.equal(book.apply(explanation({ events: events(4999) }))?.revision, 2);
  assert.equal(book.apply(explanation({ events: events(0) }))?.revision, 1);
});
