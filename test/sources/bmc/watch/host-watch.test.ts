// Tests of what is seen of the host through its BMC: limit, fans, temperatures, redundancy, health.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fan, Health, Part, Redundancy, Temperature } from '../../../../src/sources/bmc/decode/parts.ts';
import { decodePower } from '../../../../src/sources/bmc/decode/power.ts';
import { NO_QUIRKS } from '../../../../src/sources/bmc/decode/quirks.ts';
import { Edges } from '../../../../src/sources/bmc/watch/bmc-event.ts';
import { HostWatch } from '../../../../src/sources/bmc/watch/host-watch.ts';
import { at } from '../support.ts';

/** Events of polls ten seconds apart, as "kind state". */
function watch(...polls: readonly (readonly Part[])[]): string[] {
  const host = new HostWatch('n', new Edges());
  return polls.flatMap((poll, i) => {
    const nowMs = 1_000_000 + i * 10_000;
    const events = host.observe(
      poll.map((one) => at(nowMs, one)),
      nowMs,
    );
    return events.map(({ kind, state, attributes }) => `${kind} ${state} ${attributes?.limit_state ?? ''}`.trim());
  });
}

const watts = (value: number): Part => ({ part: 'power', watts: value });
const limit = (value: number | null): Part => ({ part: 'limit', watts: value });
const fan = (more: Partial<Fan>): Part => ({
  part: 'fan', slot: '1', name: 'Fan 1', state: 'Enabled', health: 'OK', rpm: 8000, percent: null, lowerCritical: 500, ...more,
}); // biome-ignore format: one line of facts
const temperature = (celsius: number, more: Partial<Temperature> = {}): Part => ({
  part: 'temperature', quantity: 'inlet_temperature', name: 'Inlet', celsius, health: null, upperCritical: 42, upperCaution: null, ...more,
}); // biome-ignore format: one line of facts
const redundancy = (health: string | null): Redundancy => ({
  part: 'redundancy', name: 'supplies', health, state: 'Enabled', mode: 'N+m', needed: 1, supported: 2,
}); // biome-ignore format: one line of facts
const health = (rollup: string | null): Health => ({ part: 'health', of: 'system', id: '1', rollup, powerState: 'On' });

test('the first answer after a silence is believed when the second one says so too', () => {
  const host = new HostWatch('n', new Edges());
  const look = (seconds: number, one: Part): string[] =>
    host
      .observe([at(seconds * 1000, one)], seconds * 1000)
      .map(({ kind, state, interval }) => `${kind} ${state} ${interval?.latestMs}`);
  const still = fan({ rpm: 0, health: 'Critical' });
  for (const seconds of [0, 5, 10]) assert.deepEqual(look(seconds, fan({})), []);
  // The BMC was reset: its first answer has a fan that does not turn.
  assert.deepEqual(look(100, still), []);
  assert.deepEqual(look(105, fan({})), []);
  assert.deepEqual(look(200, still), []);
  assert.deepEqual(look(205, still), ['host.fan_failure onset 200000']);
  assert.deepEqual(look(210, fan({})), ['host.fan_failure clear 210000']);
  // Without a silence its word counts at once.
  assert.deepEqual(look(215, still), ['host.fan_failure onset 215000']);
});

test('a BMC that is asked seldom is not silent between two answers', () => {
  const host = new HostWatch('n', new Edges());
  const seen = [fan({}), fan({}), fan({ rpm: 0, health: 'Critical' })].flatMap((one, i) =>
    host.observe([at(i * 600_000, one)], i * 600_000),
  );
  assert.deepEqual(
    seen.map(({ kind }) => kind),
    ['host.fan_failure'],
  );
});

test('a limit that is merely set is not an event, however low the draw', () => {
  assert.deepEqual(watch([watts(614), limit(1205)], [watts(614), limit(1205)]), []);
});

test('a limit that is lowered is a cap until it is back', () => {
  const polls = [limit(1200), limit(800), limit(800), limit(1200)].map((one) => [watts(600), one]);
  assert.deepEqual(watch(...polls), ['host.power_cap onset lowered', 'host.power_cap clear restored']);
});

test('a limit that is raised or set for the first time is none', () => {
  assert.deepEqual(watch([limit(null)], [limit(1200)], [limit(1500)], [limit(null)]), []);
});

test('a draw held at its limit for two polls is a cap that is applied', () => {
  const drawn = [500, 1190, 1195, 1150, 900].map((one) => [watts(one), limit(1200)]);
  assert.deepEqual(watch(...drawn), ['host.power_cap onset applied', 'host.power_cap clear configured']);
  assert.deepEqual(watch([watts(500), limit(1200)], [watts(1199), limit(1200)], [watts(500), limit(1200)]), []);
});

test('a draw at a limit that was not lowered is expected, and explains slower steps only where it rose to it', () => {
  const seen = (...drawn: readonly number[]) => {
    const host = new HostWatch('n', new Edges());
    return drawn
      .flatMap((one, i) => {
        const nowMs = 1_000_000 + i * 10_000;
        return host.observe([at(nowMs, watts(one)), at(nowMs, limit(1600))], nowMs);
      })
      .map(({ state, severity, attributes }) => [state, severity, attributes?.may_explain === true]);
  };
  assert.deepEqual(seen(1638, 1638, 1637), [['onset', 'info', false]]);
  assert.deepEqual(seen(900, 1590, 1595, 900), [
    ['onset', 'info', true],
    ['clear', 'info', false],
  ]);
});

test('a fan that its BMC calls critical fails at once, one that only reads slow after two polls', () => {
  assert.deepEqual(watch([fan({})], [fan({ health: 'Critical', rpm: 0 })], [fan({})]), [
    'host.fan_failure onset',
    'host.fan_failure clear',
  ]);
  assert.deepEqual(watch([fan({})], [fan({ rpm: 100 })], [fan({})]), []);
  assert.deepEqual(watch([fan({})], [fan({ rpm: 100 })], [fan({ rpm: 90 })]), ['host.fan_failure onset']);
});

test('a fan that does not turn and is called well is idle', () => {
  assert.deepEqual(watch([fan({ rpm: 0, lowerCritical: null })], [fan({ rpm: 0, lowerCritical: null })]), []);
});

test('too warm for two polls is an event, and over when it is cooler by more than a flicker', () => {
  const polls = [30, 43, 43, 41, 39].map((celsius) => [temperature(celsius)]);
  assert.deepEqual(watch(...polls), ['host.overtemp onset', 'host.overtemp clear']);
  assert.deepEqual(watch(...[30, 43, 30, 43].map((celsius) => [temperature(celsius)])), []);
});

test('without a threshold the health of the sensor decides', () => {
  const bad = temperature(60, { upperCritical: null, health: 'Critical' });
  const good = temperature(40, { upperCritical: null, health: 'OK' });
  assert.deepEqual(watch([good], [bad], [bad], [good]), ['host.overtemp onset', 'host.overtemp clear']);
});

test('redundancy that was never there is not a loss', () => {
  assert.deepEqual(watch([redundancy('Warning')], [redundancy('Warning')]), []);
  assert.deepEqual(watch([redundancy('OK')], [redundancy('Warning')], [redundancy(null)], [redundancy('OK')]), [
    'psu.redundancy_lost onset',
    'psu.redundancy_lost clear',
  ]);
});

test('critical health that nothing explains is reported; explained, or there from the start, it is not', () => {
  assert.deepEqual(watch([health('OK')], [health('Critical')], [health('Critical')]), ['host.degraded onset']);
  assert.deepEqual(watch([health('Critical')], [health('Critical')], [health('Critical')]), []);
  assert.deepEqual(watch([health('OK')], [health('Warning')], [health('Warning')]), []);
  const broken = [fan({ health: 'Critical', rpm: 0 }), health('Critical')];
  assert.deepEqual(watch([fan({}), health('OK')], broken, broken, broken), ['host.fan_failure onset']);
});

test('two redundancy groups without a name are two, and one that is lost does not come and go', () => {
  const group = (Health: string) => ({ Mode: 'N+m', Status: { State: 'Enabled', Health } });
  const read = (...groups: string[]) =>
    decodePower({ Redundancy: groups.map(group) }, NO_QUIRKS, { supplies: true, power: true, limit: true });
  const host = new HostWatch('n', new Edges());
  const seen = [read('OK', 'OK'), ...Array.from({ length: 4 }, () => read('OK', 'Critical'))].flatMap(
    (parts, i) =>
    host.observe(parts.map((part) => at(i * 1000, part)), i * 1000), // biome-ignore format: one line
  );
  assert.deepEqual(
    seen.map(({ kind, state, discriminator }) => `${kind} ${state} ${discriminator}`),
    ['psu.redundancy_lost onset power supplies 2'],
  );
});

test('a group that goes offline with a good health is lost', () => {
  const offline: Part = { ...redundancy('OK'), state: 'UnavailableOffline' };
  assert.deepEqual(watch([redundancy('OK')], [offline], [redundancy('OK')]), [
    'psu.redundancy_lost onset',
    'psu.redundancy_lost clear',
  ]);
});

test('a chassis or system that is merely warned about makes no event, for whatever reason', () => {
  const watch = new HostWatch('n', new Edges());
  for (const [i, rollup] of ['OK', 'Warning', 'Warning', 'Warning'].entries()) {
    for (const what of ['system', 'chassis'] as const) {
      const health = at(i * 10_000, { part: 'health' as const, of: what, id: '1', rollup, powerState: 'On' });
      assert.deepEqual(watch.observe([health], i * 10_000), []);
    }
  }
});
