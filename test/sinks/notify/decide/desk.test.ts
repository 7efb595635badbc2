// What is sent and what is not: once, in order, with what changed; quiet hours, silences, limits, groups, escalations.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Incident } from '../../../../src/model/incident.ts';
import { parseMatcher } from '../../../../src/model/matcher.ts';
import { type Ack, NOTHING_SAID, type Silence } from '../../../../src/model/note.ts';
import type { Whose } from '../../../../src/model/whose.ts';
import { Budget } from '../../../../src/sinks/notify/decide/budget.ts';
import { type Decided, Desk } from '../../../../src/sinks/notify/decide/desk.ts';
import { SentBook } from '../../../../src/sinks/notify/decide/sent-book.ts';
import type { NotifyConfig } from '../../../../src/sinks/notify/settings.ts';
import { ack } from '../../../incidents/sample.ts';
import { channel, config, incident, later, over, route } from '../harness.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Noon, UTC. */
const NOON = Date.UTC(2026, 10, 27, 12);

class World {
  nowMs = NOON;
  silence: Silence | null = null;
  readonly acks = new Map<string, Ack>();
  readonly held: string[] = [];
  readonly book: SentBook;
  readonly budget: Budget;
  readonly desk: Desk;

  constructor(more: Partial<NotifyConfig> = {}, book = new SentBook(new Map())) {
    const settings = config(
      [channel('ops', 'slack', 'https://x.example'), channel('boss', 'pagerduty', 'https://x.example')],
      {
        routes: [route(['ops'])],
        ...more,
      },
    );
    this.book = book;
    this.budget = new Budget(settings.limitADay, '2026-11-27');
    this.desk = new Desk({
      config: settings,
      book,
      budget: this.budget,
      host: 'node-3',
      silenced: () => this.silence,
      said: (id) => ({ ...NOTHING_SAID, acknowledged: this.acks.get(id) ?? null }),
      onHeld: (_, name, why) => this.held.push(`${name}: ${why}`),
    });
  }

  take(one: Incident): string[] {
    return this.desk.take(one, this.nowMs).map(text);
  }

  after(ms: number): string[] {
    this.nowMs += ms;
    return this.desk.due(this.nowMs).map(text);
  }
}

function text({ channel: name, what, reason }: Decided): string {
  return `${name} ${what}${reason === null ? '' : ` (${reason})`}`;
}

const job = (name: string): Whose => ({
  job: name,
  aliases: [],
  manager: 'slurm',
  name: null,
  user: 'alice',
  account: null,
  queue: null,
  attempt: null,
  pods: [],
  ranks: [],
  by: 'device',
});

const SILENCE = { id: 'abc', by: 'anna' } as Silence; // all that is used of it

test('opened, revised where a word changes, worse at once, resolved; each under a key of its own', () => {
  const world = new World();
  const first = incident(1, { title: 'GPU lost on gpu 1, 3 times' });
  const keys = new Set<string>();
  const send = (one: Incident) => {
    const decided = world.desk.take(one, world.nowMs);
    for (const { key } of decided) keys.add(key);
    return decided.map(text);
  };
  assert.deepEqual(send(first), ['ops opened']);
  assert.deepEqual(send(later(first, { title: 'GPU lost on gpu 1, 17 times', confidence: 0.99 })), [], 'only a number');
  assert.deepEqual(send(later(first, { severity: 'critical' })), ['ops revised (error → critical)']);
  const renamed = later(first, { severity: 'critical', title: 'Riser of gpu 1 is loose' });
  assert.deepEqual(send(renamed), [], 'a minute has not passed');
  assert.deepEqual(world.after(121_000), ['ops revised (more is known)']);
  assert.deepEqual(send(over(renamed)), ['ops resolved']);
  assert.deepEqual(send(later(over(renamed), { state: 'open', resolvedMs: null, reopened: 1 })), [
    'ops opened (opened again)',
  ]);
  assert.equal(keys.size, 4);
});

test('an incident that flaps between two words for a day is sent a few times, not a thousand', () => {
  const world = new World();
  const first = incident(7);
  world.take(first);
  let sent = 0;
  for (let minute = 0; minute < 1440; minute += 1) {
    const severity = minute % 2 === 0 ? 'critical' : 'warning';
    sent += world.take(later(first, { severity, title: `Link ${minute % 2 === 0 ? 'down' : 'up'}` })).length;
    sent += world.after(MINUTE).filter((each) => each.startsWith('ops revised')).length;
  }
  assert.ok(sent > 3 && sent < 20, `${sent}`);
});

test('a warning is not sent where errors are asked for; when it becomes one it is', () => {
  const world = new World();
  const first = incident(2, { severity: 'warning' });
  assert.deepEqual(world.take(first), []);
  assert.deepEqual(world.take(later(first, { severity: 'error' })), ['ops opened']);
  assert.deepEqual(world.take(later(first, { severity: 'warning' })), [], 'within a minute');
  assert.deepEqual(world.take(over(first)), ['ops resolved'], 'whoever heard of it hears of its end');
});

test('routes go by severity, kind, component, job, user and confidence; all that fit count', () => {
  const match = (...texts: string[]) =>
    texts.map((each) => parseMatcher(each)).flatMap((each) => ('error' in each ? [] : [each]));
  const world = new World({
    routes: [
      route(['ops'], { matchers: match('kind=~"gpu[.].*"', 'job=llama', 'user=alice') }),
      route(['boss'], { severity: 'critical', minConfidence: 0.9, matchers: match('component_type=gpu', 'rack=r14') }),
    ],
  });
  assert.deepEqual(world.take(incident(3, { whose: [job('llama')] })), ['ops opened']);
  assert.deepEqual(world.take(incident(4, { whose: [job('other')] })), []);
  const critical = incident(5, { severity: 'critical', confidence: 0.95, whose: [job('llama')] });
  assert.deepEqual(world.take(critical).sort(), ['boss opened', 'ops opened']);
  assert.deepEqual(world.take(incident(6, { severity: 'critical', confidence: 0.5 })), []);
});

test('a silence holds back what is new, not the end of what was sent; when it ends, what is still open is sent', () => {
  const world = new World();
  const heard = incident(10);
  world.take(heard);
  world.silence = SILENCE;
  const [stays, goes] = [incident(11), incident(12)];
  assert.deepEqual(
    [...world.take(stays), ...world.take(goes), ...world.take(later(heard, { severity: 'critical' }))],
    [],
  );
  assert.deepEqual([...world.take(over(heard)), ...world.take(over(goes))], ['ops resolved']);
  assert.deepEqual(world.held, ['ops: silence abc by anna', 'ops: silence abc by anna']);
  world.silence = null;
  assert.deepEqual(world.after(1000), ['ops opened']);
  const digest = world.desk.due(NOON + 24 * HOUR).find(({ what }) => what === 'digest')?.digest;
  assert.deepEqual(
    digest?.listed.map(({ short, state, why }) => [short, state, why]),
    [[goes.id.slice(0, 6), 'resolved', 'silence abc by anna']],
  );
});

test('quiet hours hold back all but what is worse than they allow; at their end what is open is sent, the rest is in the digest', () => {
  const quiet = { fromMinute: 22 * 60, toMinute: 7 * 60, except: 'critical' } as const;
  const world = new World({ routes: [route(['ops'], { quiet })] });
  world.nowMs = NOON + 11 * HOUR;
  const [stays, goes, worse] = [incident(20), incident(21), incident(22)];
  assert.deepEqual([...world.take(stays), ...world.take(goes), ...world.take(worse)], []);
  assert.deepEqual(world.take(later(worse, { severity: 'critical' })), ['ops opened']);
  world.take(over(goes));
  assert.deepEqual(world.after(7 * HOUR), [], 'six in the morning');
  assert.deepEqual(world.after(HOUR), ['ops opened']);
  const decided = world.desk.due(NOON + 20 * HOUR);
  assert.deepEqual(decided.map(text), ['ops digest']);
  assert.equal(decided[0]?.digest?.count, 1);
  assert.deepEqual(world.desk.due(NOON + 21 * HOUR), [], 'once');
});

test('a limit a day: the first beyond it is said once, the others are in one digest; the next day counts again', () => {
  const world = new World({ limitADay: 3 });
  const sent = Array.from({ length: 40 }, (_, number) => world.take(incident(30 + number))).flat();
  assert.deepEqual(sent, ['ops opened', 'ops opened', 'ops opened', 'ops held']);
  assert.deepEqual(world.take(over(incident(30))), ['ops resolved'], 'an end is not a page');
  assert.deepEqual(world.take(over(incident(50))), []);
  const [digest] = world.desk.due(NOON + 21 * HOUR);
  assert.equal(digest?.what, 'digest');
  assert.equal(digest?.digest?.count, 37);
  assert.equal((digest?.digest?.listed.length ?? 0) + (digest?.digest?.more ?? 0), 37);
  world.nowMs = NOON + 22 * HOUR;
  assert.deepEqual(world.take(incident(90)), ['ops opened']);
});

test('grouped by job they are one conversation: one page, one thread, over when the last is', () => {
  const world = new World({ routes: [route(['ops'], { groupBy: ['job'] })], limitADay: 1 });
  const [a, b] = [incident(40, { whose: [job('991')] }), incident(41, { whose: [job('991')] })];
  const first = world.desk.take(a, world.nowMs);
  const second = world.desk.take(b, world.nowMs);
  assert.deepEqual([...first, ...second].map(text), ['ops opened', 'ops revised (more of the same)']);
  assert.equal(second[0]?.conversation, first[0]?.conversation);
  assert.deepEqual(world.take(over(a)), ['ops revised (one is over, 1 still open)']);
  assert.deepEqual(world.take(over(b)), ['ops resolved']);
});

test('not acknowledged it is repeated and escalated; acknowledged it is neither, and that is said', () => {
  const routes = [route(['ops'], { repeatMs: 4 * HOUR, escalate: { afterMs: 15 * MINUTE, to: ['boss'] } })];
  const world = new World({ routes });
  world.take(incident(50));
  assert.deepEqual(world.after(14 * MINUTE), []);
  assert.deepEqual(world.after(2 * MINUTE), ['boss escalated']);
  assert.deepEqual(world.after(MINUTE), []);
  assert.deepEqual(world.after(4 * HOUR), ['ops repeated']);
  world.acks.set(incident(50).id, ack(incident(50).id, world.nowMs));
  assert.deepEqual(world.after(MINUTE).sort(), ['boss acknowledged (by anna)', 'ops acknowledged (by anna)']);
  assert.deepEqual(world.after(9 * HOUR), []);
  const calm = new World({ routes });
  calm.take(incident(51));
  calm.acks.set(incident(51).id, ack(incident(51).id, NOON));
  assert.deepEqual(calm.after(MINUTE), ['ops acknowledged (by anna)']);
  assert.deepEqual(calm.after(5 * HOUR), []);
  assert.deepEqual(world.take(over(incident(50))).sort(), ['boss resolved', 'ops resolved']);
});

test('after a restart it continues where it was: nothing twice, nothing forgotten, the same keys', () => {
  const world = new World();
  const [stays, goes] = [incident(60), incident(61)];
  const key = world.desk.take(stays, world.nowMs)[0]?.key;
  world.take(goes);
  const parts = new Map(world.book.takeUnnoted(9).map(({ incidentId, part }) => [incidentId, new Set([part])]));
  const next = new World({}, new SentBook(parts));
  next.desk.restore(stays);
  assert.deepEqual(next.after(1000), []);
  assert.deepEqual(next.take(over(goes)), ['ops resolved']);
  const again = new World();
  assert.equal(again.desk.take(stays, NOON)[0]?.key, key, 'decided again after a kill');
  assert.deepEqual(again.take(over(incident(62))), ['ops resolved'], 'what came and went unheard is sent once');
});
