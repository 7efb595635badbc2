// Incidents and alerts as programs ask for them: conditions, parts of a list, groups, statistics, notifications.

import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type ApiServer, startApi } from '../../src/api/api-server.ts';
import type { FaultEvent } from '../../src/model/event.ts';
import { makeEvent } from '../../src/model/make-event.ts';
import type { Whose } from '../../src/model/whose.ts';
import { incident, link } from '../incidents/sample.ts';
import { get, TestBackend, temporaryFolder } from './helpers.ts';

const T0 = 1_700_000_000_000;
const GPU = { type: 'gpu', id: '0000:9b:00.0', host: 'node-3' } as const;

function seen(kind: FaultEvent['kind'], second: number, more: Partial<FaultEvent> = {}): FaultEvent {
  const timeMs = T0 + second * 1000;
  const base = { kind, component: GPU, timeMs, observedMs: timeMs, trust: 'kernel', source: 'kernel-log' } as const;
  return { ...makeEvent('node-3', { ...base, evidence: [] }), state: 'onset', ...more };
}

const LOST = seen('gpu.lost', 10);
const WHOSE: Whose = {
  job: '4711',
  aliases: ['llama'],
  manager: 'slurm',
  name: 'llama-70b',
  user: 'anna',
  account: null,
  queue: null,
  attempt: null,
  pods: [],
  ranks: [],
  by: 'device',
};

describe('incidents and alerts that are asked for', () => {
  let backend: TestBackend;
  let api: ApiServer;
  beforeEach(async () => {
    backend = new TestBackend();
    const hot = seen('gpu.thermal_throttle', 0, { whose: [WHOSE] });
    backend.recent = [
      hot,
      LOST,
      seen('gpu.thermal_throttle', 30, { state: 'clear' }),
      seen('gpu.thermal_throttle', 60),
      seen('host.clock_jump', 61, { state: 'point', component: null }),
    ];
    const root = { eventId: LOST.id, kind: LOST.kind, component: GPU };
    const own = {
      openedMs: T0 + 10_000,
      updatedMs: T0 + 40_000,
      root,
      chain: [link(LOST), link(hot)],
      events: [LOST, hot],
      impact: [],
    };
    backend.known = [
      incident('aaaaaaaaaaaa', { ...own, severity: 'critical', whose: [WHOSE] }),
      incident('bbbbbbbbbbbb', { ...own, openedMs: T0 + 20_000, state: 'resolved', resolvedMs: T0 + 30_000, severity: 'warning', chain: [], updatedMs: T0 + 30_000 }),
      incident('cccccccccccc', { ...own, openedMs: T0 + 20_000, mergedInto: 'aaaaaaaaaaaa', chain: [] }),
    ]; // biome-ignore format: one each
    api = await startApi(backend, join(temporaryFolder(), 'run'));
  });
  afterEach(() => api.close());

  async function ask(path: string, expected = 200) {
    const { status, body } = await get(api.path, path);
    assert.equal(status, expected, body);
    return JSON.parse(body);
  }

  const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id[0]).join('');
  const incidents: readonly [string, string][] = [
    ['', 'abc'],
    ['state=open', 'a'],
    ['state=resolved', 'bc'],
    ['severity=critical', 'a'],
    ['kind=gpu.*', 'abc'],
    ['kind=gpu.thermal_throttle', 'a'],
    ['kind=nic.*,power.*', ''],
    ['component=gpu/0000:9b:00.0', 'abc'],
    ['component=gpu/9B:00', 'abc'],
    ['component=host/node-3', 'abc'],
    ['component=gpu/0000:1b:00.0', ''],
    ['job=llama-70b', 'a'],
    ['job=llama', 'a'],
    ['user=anna', 'a'],
    ['user=ann', ''],
    ['until=2023-11-14T22:13:35Z', 'a'],
    ['since=65s', 'ac'], // now is 100 s after T0: resolved at 30 s is out
    ['order=newest', 'cba'],
    ['log=written', 'abc'],
    ['log=unavailable', ''],
  ];
  for (const [query, expected] of incidents) {
    test(`incidents with "${query}": ${expected || 'none'}`, async () => {
      const order = query.includes('order=') ? '' : '&order=oldest';
      const { incidents: found, total } = await ask(`/v1/incidents?${query}${order}`);
      assert.deepEqual([ids(found), total], [expected, expected.length]);
    });
  }

  for (const query of ['kind=', 'state=firing', 'component=x', 'since=yesterday', 'severity=bad', 'limit=0', 'limit=501', 'cursor=%21', 'cursor=aGFsbG8', 'order=up']) {
    test(`refuses "${query}"`, async () => {
      assert.equal((await ask(`/v1/incidents?${query}`, 400)).code, 'FL4103');
    });
  } // biome-ignore format: a list

  test('a list in parts is whole, in either order, though it grows meanwhile', async () => {
    for (const order of ['oldest', 'newest']) {
      let found = '';
      let cursor: string | null = '';
      while (cursor !== null) {
        const part = await ask(`/v1/incidents?order=${order}&limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`);
        found += ids(part.incidents);
        cursor = part.next_cursor;
        if (found.length === 1) backend.known.push(incident(`d${order}`, { openedMs: T0 + 5_000 }));
      }
      assert.equal(found.replaceAll('d', ''), order === 'oldest' ? 'abc' : 'cba');
    }
  });

  test('the newest come first, a hundred of them, where nothing else is asked for', async () => {
    backend.known = Array.from({ length: 101 }, (_, i) => incident(`i${i}`, { openedMs: T0 + i }));
    const { incidents: found, total, next_cursor: next } = await ask('/v1/incidents');
    assert.deepEqual([found.length, found[0].id, total], [100, 'i100', 101]);
    assert.deepEqual((await ask(`/v1/incidents?cursor=${next}`)).incidents.map(({ id }: { id: string }) => id), ['i0']);
  }); // biome-ignore format: one line

  for (const [format, says] of [
    ['text', /^INCIDENT aaaaaa/],
    ['markdown', /^## voltage sag/],
  ] as const) {
    test(`explains an incident as ${format}`, async () => {
      const { status, body } = await get(api.path, `/v1/incidents/aaaaaaaaaaaa/report?format=${format}`);
      assert.equal(status, 200);
      assert.match(body, says);
      assert.equal((await ask('/v1/incidents/aaaaaaaaaaaa/report?format=pdf', 400)).code, 'FL4103');
    });
  }

  test('one incident, and none', async () => {
    assert.equal((await ask('/v1/incidents/aaaaaaaaaaaa')).id, 'aaaaaaaaaaaa');
    assert.equal((await ask('/v1/incidents/ffffffffffff', 404)).code, 'FL4122');
    assert.equal((await ask('/v1/incidents/aaaaaaaaaaaa/x', 404)).code, 'FL4101');
    assert.equal((await ask('/v1/incidents/%ff', 404)).code, 'FL4101');
  });

  test('what lasts is one alert from its beginning to its end, with the incident that it is part of', async () => {
    const { alerts } = await ask('/v1/alerts?order=oldest');
    assert.deepEqual(
      alerts.map((one: { kind: string; state: string; incident: string; is_root: boolean }) => [one.kind, one.state, one.incident, one.is_root]),
      [
        ['gpu.thermal_throttle', 'resolved', 'aaaaaaaaaaaa', false],
        ['gpu.lost', 'firing', 'aaaaaaaaaaaa', true],
        ['gpu.thermal_throttle', 'firing', null, false],
        ['host.clock_jump', 'resolved', null, false],
      ],
    ); // biome-ignore format: a table
    assert.equal(alerts[0].ends_at, '2023-11-14T22:13:50.000Z');
    assert.equal((await ask('/v1/alerts?state=firing&kind=gpu.lost')).alerts.length, 1);
    assert.equal((await ask('/v1/alerts?user=anna')).alerts.length, 1);
    assert.equal((await ask('/v1/alerts?limit=3')).alerts.length, 3);
  });

  test('one alert comes with its incident and the alerts that have the same cause', async () => {
    const { incident: of, correlated } = await ask(`/v1/alerts/${LOST.id}`);
    assert.deepEqual(
      [of.id, correlated.map(({ kind }: FaultEvent) => kind)],
      ['aaaaaaaaaaaa', ['gpu.thermal_throttle']],
    );
    assert.equal((await ask('/v1/alerts/none', 404)).code, 'FL4122');
  });

  test('groups have the alerts of an incident and what it took up', async () => {
    const { groups } = await ask('/v1/correlations?state=open');
    assert.deepEqual([groups.length, groups[0].root_alert, groups[0].alerts.length, groups[0].merged], [1, LOST.id, 2, ['cccccccccccc']]);
  }); // biome-ignore format: one line

  test('a group of which memory has no alerts any more has those of its incident, over with it', async () => {
    backend.recent = [];
    const [of] = backend.known.splice(0);
    backend.known = [incident('aaaaaaaaaaaa', { ...of, state: 'resolved', resolvedMs: T0 + 90_000 })];
    const { groups } = await ask('/v1/correlations');
    assert.equal(groups[0].root_alert, LOST.id);
    assert.deepEqual(
      groups[0].alerts.map(({ state, ends_at }: { state: string; ends_at: string }) => [state, ends_at]),
      Array(2).fill(['resolved', '2023-11-14T22:14:50.000Z']),
    );
  });

  test('statistics count what the conditions leave', async () => {
    const { incidents: own, alerts } = await ask('/v1/statistics');
    assert.deepEqual([own.total, own.open, own.by_severity.critical, own.by_job['4711'], own.median_duration_s], [3, 1, 1, 1, 10]);
    assert.deepEqual([alerts.total, alerts.firing, alerts.in_no_incident], [4, 2, 2]);
    assert.equal((await ask('/v1/statistics?user=anna')).incidents.total, 1);
  }); // biome-ignore format: one line

  test('a following client hears only of what it asks for', async () => {
    const { status, body } = await get(api.path, '/v1/incidents?state=nothing&follow=1');
    assert.equal(status, 400, body);
  });

  test('notifications by channel, state and incident', async () => {
    const one = { key: 'k1', atMs: T0, channel: 'slack', what: 'opened', severity: 'error', incidentId: 'aaaaaaaaaaaa', reason: null, state: 'sent', stateMs: T0, detail: null } as const; // biome-ignore format: one line
    backend.sent = [one, { ...one, key: 'k2', channel: 'mail', state: 'held', detail: 'silence 1 by anna' }];
    assert.deepEqual((await ask('/v1/notifications?state=held')).notifications.map(({ key }: { key: string }) => key), ['k2']);
    assert.equal((await ask('/v1/notifications?channel=slack&incident=aaaaaaaaaaaa')).total, 1);
    assert.equal((await ask('/v1/notifications?incident=bbbbbbbbbbbb')).total, 0);
    assert.deepEqual((await ask('/v1/statistics')).notifications.by_state, { sent: 1, held: 1 });
  }); // biome-ignore format: one line

  test('an incident is served as a page that the server lets run and load nothing, whatever is in its evidence', async () => {
    const hostile = '</pre><script>alert(1)</script><img src=//x>';
    const evidence = [{ source: 'kernel-log', timeMs: T0, text: hostile }];
    backend.known = [incident('aaaaaaaaaaaa', { ...backend.known[0], evidence })];
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const path = '/v1/incidents/aaaaaaaaaaaa/report';
      request({ socketPath: api.path, path, agent: false }, resolve).on('error', reject).end();
    });
    const page = await text(response);
    assert.equal(response.statusCode, 200, page);
    assert.equal(response.headers['content-type'], 'text/html; charset=utf-8');
    const policy = String(response.headers['content-security-policy']);
    assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+'; .*frame-ancestors 'none'; sandbox$/);
    assert.deepEqual(
      ['x-content-type-options', 'x-frame-options', 'referrer-policy', 'cache-control'].map(
        (name) => response.headers[name],
      ),
      ['nosniff', 'DENY', 'no-referrer', 'no-store'],
    );
    assert.ok(page.includes('&lt;script&gt;alert(1)') && !page.includes('<script') && !page.includes('<img'));
    assert.equal((await get(api.path, '/v1/incidents/dddddddddddd/report')).status, 404);
    assert.equal((await get(api.path, '/v1/incidents/aaaaaaaaaaaa/report', 'POST')).status, 405);
  });
});
