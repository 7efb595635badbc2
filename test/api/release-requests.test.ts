// Release requests: whoever asks from a trace gets the release as a span of it, with the reason where nothing is released.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../src/api/caller.ts';
import { ReleaseRequests } from '../../src/api/release-requests.ts';
import type { EventInput } from '../../src/model/record.ts';
import { parseTraceparent, type TraceContext } from '../../src/model/trace.ts';
import type { RequestWork, Work } from '../../src/model/work.ts';
import type { Notice } from '../../src/native.ts';
import { notice } from '../model/raw-notice.ts';

const ALICE: Caller = { pid: 4711, uid: 1004, gid: 100, user: 'alice' };
const PARENT: TraceContext = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', sampled: true };

function make(released = true) {
  const clock = { nowMs: 1000 };
  const asked: (string | undefined)[] = [];
  const lines: [object, string][] = [];
  const reported: Work[] = [];
  const events: EventInput[] = [];
  const requests = new ReleaseRequests({
    host: 'node-3',
    release: (_durationMs, traceparent) => {
      asked.push(traceparent);
      return released;
    },
    now: () => clock.nowMs,
    onWork: () => (work) => reported.push(work),
    log: (fields, text) => lines.push([fields, text]),
    emit: (event) => events.push(event),
  });
  return { requests, clock, asked, lines, reported, events };
}

function answer(traceparent: string | undefined, timeMs: number, text = ''): Notice {
  return notice({ name: 'released', text, timeMs, ...(traceparent === undefined ? {} : { traceparent }) });
}

test('the release is a span of the caller from the request to the moment that nothing is held', () => {
  const { requests, asked, lines, reported } = make();
  assert.deepEqual(requests.ask(90_000, PARENT, ALICE), { released: true, forMs: 90_000 });
  const own = parseTraceparent(asked[0]);
  assert.equal(own?.traceId, PARENT.traceId);
  assert.notEqual(own?.spanId, PARENT.spanId);
  assert.deepEqual(reported, [], 'not before it is done');
  requests.notices([answer(undefined, 1010), answer(asked[0], 1042.5), answer(asked[0], 1050)]);
  const spanId = own?.spanId ?? '';
  assert.deepEqual(reported, [{ name: 'VendorChild/Release', parent: PARENT, spanId, startMs: 1000, endMs: 1042.5 }]);
  for (const [fields] of lines) {
    const { trace_id, span_id, trace_flags } = fields as Record<string, string>; // what the lines are to carry
    assert.deepEqual([trace_id, span_id, trace_flags], [PARENT.traceId, spanId, '01']);
  }
  assert.equal(lines.length, 2);
});

test('devices that a hanging child keeps are reported as the failure that they are', () => {
  const { requests, asked, reported } = make();
  requests.ask(1000, PARENT, ALICE);
  requests.notices([answer(asked[0], 1100, 'a child that hangs in the driver keeps its devices')]);
  assert.equal(reported[0]?.error, 'a child that hangs in the driver keeps its devices');
});

test('without a device, and when overtaken, the span says why nothing was done', () => {
  const none = make(false);
  none.requests.ask(1000, PARENT, ALICE);
  assert.equal(none.reported[0]?.skipped, 'no source holds a device');
  const { requests, clock, asked, reported } = make();
  requests.ask(1000, PARENT, ALICE);
  clock.nowMs = 1200;
  requests.ask(2000, PARENT, ALICE);
  requests.notices([answer(asked[0], 1300), answer(asked[1], 1400)]);
  assert.deepEqual(
    (reported as RequestWork[]).map(({ skipped, endMs }) => [skipped, endMs]), // only requests are reported here
    [
      ['a later request overtook this one', 1200],
      [undefined, 1400],
    ],
  );
});

test('a request without a trace is reported to no one', () => {
  const { requests, asked, lines, reported } = make();
  requests.ask(1000, null, null);
  requests.notices([answer(undefined, 1100)]);
  assert.deepEqual(
    [asked, reported, lines.map(([fields]) => fields)],
    [[undefined], [], [{ for_ms: 1000, asked_by: null }]],
  );
});

test('the log and an event name the caller; where nothing was let go of there is no event', () => {
  const { requests, lines, events } = make();
  requests.ask(90_000, null, ALICE);
  const [fields, text] = lines[0] ?? [];
  assert.equal(text, 'alice (uid 1004, pid 4711) asked to let go of the devices');
  assert.deepEqual(fields, { for_ms: 90_000, asked_by: { uid: 1004, user: 'alice', pid: 4711 } });
  const [event] = events;
  assert.deepEqual(
    [event?.kind, event?.component, event?.attributes],
    ['agent.devices_released', { type: 'host', id: 'node-3' }, { by: 'alice', uid: 1004, pid: 4711, for_ms: 90_000 }],
  );
  const none = make(false);
  none.requests.ask(90_000, null, ALICE);
  assert.deepEqual(none.events, []);
  assert.match(none.lines[0]?.[1] ?? '', /^alice .*no source holds any$/);
});
