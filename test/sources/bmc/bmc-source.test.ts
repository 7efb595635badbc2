// The BMC source against the simulated BMC: events, sessions, failures, and that one BMC never waits for another.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SimulatedBmc, type SimulatedBmcOptions } from '../../../src/simulator/bmc/simulated-bmc.ts';
import { BmcSource } from '../../../src/sources/bmc/bmc-source.ts';
import type { BmcSettings } from '../../../src/sources/bmc/settings.ts';
import { bmcConfig, Recorder, until } from './support.ts';

interface Setup {
  readonly bmc: SimulatedBmc;
  readonly source: BmcSource;
  readonly recorder: Recorder;
}

async function watching(
  options: SimulatedBmcOptions,
  config: (bmc: SimulatedBmc) => BmcSettings,
  run: (setup: Setup) => Promise<void>,
): Promise<void> {
  const bmc = await SimulatedBmc.start(options);
  const source = new BmcSource([config(bmc)], { now: () => Date.now() });
  const recorder = new Recorder();
  try {
    source.start(recorder, new AbortController().signal);
    await run({ bmc, source, recorder });
  } finally {
    await source.stop();
    await bmc.close();
  }
}

const insecure = (bmc: SimulatedBmc) => bmcConfig(bmc.url);
const works = (source: BmcSource) => source.health().every(({ status }) => status === 'works');

test('another version of the firmware is an update, reported once, before what is read afterwards', async () => {
  await watching({ model: 'new' }, insecure, async ({ bmc, source, recorder }) => {
    await until(() => works(source) && recorder.values('psu/node-3/1#output_power').length >= 3);
    bmc.state.firmware = '2.4.1';
    await until(() => recorder.of('firmware.updated', 'point') !== undefined);
    const { requests } = bmc;
    await until(() => bmc.requests > requests + 20);
    const updates = recorder.events.filter(({ kind }) => kind === 'firmware.updated');
    assert.deepEqual(
      updates.map(({ component, attributes }) => [component?.id, attributes?.before, attributes?.after]),
      [['node-3', '1.0.0', '2.4.1']],
    );
  });
});

for (const model of ['new', 'old'] as const) {
  describe(`a BMC of the ${model} model`, () => {
    test('a supply that loses its input: lost, load moved, redundancy lost, and all of it over again', async () => {
      await watching({ model, clockOffsetMs: 90_000 }, insecure, async ({ bmc, source, recorder }) => {
        await until(() => works(source) && recorder.values('psu/node-3/1#output_power').length >= 3);
        const beforeMs = Date.now();
        const [first] = bmc.state.supplies;
        assert.ok(first);
        first.fed = false;
        bmc.settle();
        await until(() => recorder.of('psu.redundancy_lost', 'onset') !== undefined);
        await until(() => recorder.of('psu.failover', 'onset') !== undefined);
        const lost = recorder.of('psu.input_lost', 'onset');
        assert.equal(lost?.component?.id, 'node-3/1');
        assert.deepEqual(
          [lost?.attributes?.quantity, lost?.attributes?.before, lost?.attributes?.after],
          ['input_voltage', 230, 0],
        );
        assert.ok((lost?.interval?.latestMs ?? 0) >= beforeMs, 'after it happened');
        assert.ok((lost?.interval?.earliestMs ?? Number.POSITIVE_INFINITY) <= beforeMs, 'not surely later than it was');
        const moved = recorder.of('psu.failover', 'onset');
        assert.equal(moved?.component?.id, 'node-3/1');
        assert.deepEqual([moved?.attributes?.before, moved?.attributes?.after], [1900, 0]);
        assert.equal(moved?.attributes?.taken_by, 'psu/node-3/2');
        assert.deepEqual([moved?.attributes?.also_before, moved?.attributes?.also_after], [1900, 3800]);
        assert.equal(recorder.of('psu.failure', 'onset'), undefined, 'its input explains why it is down');
        first.fed = true;
        bmc.settle();
        for (const kind of ['psu.input_lost', 'psu.failover', 'psu.redundancy_lost'] as const) {
          await until(() => recorder.of(kind, 'clear') !== undefined);
        }
        assert.equal(recorder.events.length, 6, 'each once');
        const offset = Number(recorder.of('psu.input_lost', 'clear')?.attributes?.bmc_clock_offset_s);
        assert.ok(Math.abs(offset - 90) <= 1, `offset ${offset}`);
      });
    });

    test('a failed fan, a failed supply and a lowered limit are events; a supply in standby is none', async () => {
      await watching({ model, supplies: 3, limitWatts: 6000 }, insecure, async ({ bmc, source, recorder }) => {
        await until(() => works(source) && recorder.values('fan/node-3/2#fan_speed').length >= 2);
        const [one, two, three] = bmc.state.supplies;
        const fan = bmc.state.fans[1];
        assert.ok(one && two && three && fan);
        three.standby = true;
        await until(() => recorder.values('psu/node-3/3#output_power').at(-1) === 0);
        fan.failed = true;
        bmc.state.limitWatts = 5000;
        await until(() => recorder.of('host.fan_failure', 'onset') !== undefined);
        await until(() => recorder.of('host.power_cap', 'onset') !== undefined);
        assert.equal(recorder.of('host.fan_failure', 'onset')?.component?.id, 'node-3/2');
        assert.deepEqual(
          recorder.events.filter(({ kind }) => kind.startsWith('psu.')),
          [],
        );
        two.failed = true;
        await until(() => recorder.of('psu.failure', 'onset') !== undefined);
        assert.equal(recorder.of('psu.failure', 'onset')?.component?.id, 'node-3/2');
        assert.equal(recorder.of('host.power_cap', 'onset')?.attributes?.limit_state, 'lowered');
      });
    });
  });
}

test('it discovers supplies that feed the host and fans that sit in it', async () => {
  await watching({}, insecure, async ({ source, recorder }) => {
    await until(() => works(source) && recorder.discoveries.some(({ component }) => component.type === 'fan'));
    const [feed] = recorder.discoveries.find(({ component }) => component.id === 'node-3/2')?.links ?? [];
    assert.deepEqual([feed?.from.id, feed?.relation, feed?.to.id], ['node-3/2', 'feeds', 'node-3']);
    const ids = recorder.discoveries.map(({ component }) => `${component.type}/${component.id}`);
    assert.equal(new Set(ids).size, ids.length, 'each once');
  });
});

describe('sessions', () => {
  test('what its supplies have left is a series, and the share that is used while all of them work', async () => {
    await watching({ supplies: 2, hostWatts: 3800 }, insecure, async ({ bmc, recorder }) => {
      await until(() => recorder.values('host/node-3#power_share').length >= 2);
      // It draws 3800 W and the losses of two supplies of 5000 W each.
      const share = recorder.values('host/node-3#power_share')[0] ?? 0;
      assert.ok(share > 0.38 && share < 0.42, `${share}`);
      assert.ok(Math.abs((recorder.values('host/node-3#power_headroom')[0] ?? 0) - 10_000 * (1 - share)) < 1);
      const [, second] = bmc.state.supplies;
      assert.ok(second);
      second.fed = false;
      bmc.settle();
      await until(() => (recorder.values('host/node-3#power_headroom').at(-1) ?? 0) < 1200);
      const shares = recorder.values('host/node-3#power_share').length;
      const looks = recorder.values('host/node-3#power_headroom').length;
      await until(() => recorder.values('host/node-3#power_headroom').length > looks + 3);
      assert.equal(recorder.values('host/node-3#power_share').length, shares);
    });
  });

  test('a session that the BMC forgot is made again, once, and nothing is missed', async () => {
    await watching({}, insecure, async ({ bmc, source, recorder }) => {
      await until(() => works(source));
      assert.equal(bmc.sessions.logins, 1);
      bmc.sessions.forget();
      const read = recorder.values('host/node-3#power').length;
      await until(() => recorder.values('host/node-3#power').length > read + 3);
      assert.equal(bmc.sessions.logins, 2);
      assert.deepEqual(recorder.events, []);
    });
  });

  test('stopping ends the session on the BMC', async () => {
    await watching({}, insecure, async ({ bmc, source }) => {
      await until(() => works(source));
      assert.equal(bmc.sessions.open, 1);
      await source.stop();
      assert.equal(bmc.sessions.open, 0);
    });
  });

  test('a BMC without room for a session is read with Basic', async () => {
    await watching({}, insecure, async ({ bmc, source, recorder }) => {
      await until(() => works(source));
      for (let i = 0; i < 8; i += 1) bmc.sessions.create({ UserName: 'faultline', Password: 'simulated' });
      await source.stop();
      bmc.sessions.create({ UserName: 'faultline', Password: 'simulated' });
      assert.equal(bmc.sessions.open, 8);
      const second = new BmcSource([bmcConfig(bmc.url)], { now: () => Date.now() });
      second.start(recorder, new AbortController().signal);
      await until(() => works(second));
      await second.stop();
      assert.equal(bmc.sessions.open, 8, 'no other session was ended');
    });
  });

  test('a wrong password is reported with its remedy, and is not tried again and again', async () => {
    await watching(
      {},
      (bmc) => bmcConfig(bmc.url, { password: 'not it' }),
      async ({ bmc, source }) => {
        await until(() => source.health()[0]?.status === 'no_permission');
        const [health] = source.health();
        assert.match(health?.detail ?? '', /^FL2304 .*rejects user "faultline"/);
        assert.match(health?.remedy ?? '', /password file/);
        assert.doesNotMatch(JSON.stringify(health), /not it/);
        const requests = bmc.requests;
        await until(() => bmc.requests > requests + 2);
        assert.equal(bmc.sessions.refusals, 1, 'the account is not locked out');
      },
    );
  });
});

describe('certificates', () => {
  test('an unknown one is refused and the remedy reported', async () => {
    await watching(
      {},
      (bmc) => bmcConfig(bmc.url, { insecure: false }),
      async ({ bmc, source }) => {
        await until(() => source.health()[0]?.status === 'failed');
        assert.match(source.health()[0]?.detail ?? '', /^FL2303 /);
        assert.match(source.health()[0]?.remedy ?? '', /ca_file/);
        assert.equal(bmc.sessions.logins, 0, 'no password was sent');
      },
    );
  });

  test("the BMC's own certificate as ca_file is enough, whatever name it has", async () => {
    const named = (bmc: SimulatedBmc) =>
      bmcConfig(bmc.url.replace('127.0.0.1', 'localhost'), { insecure: false, ca: bmc.certificate });
    await watching({}, named, async ({ source }) => {
      await until(() => works(source));
    });
  });
});

describe('a BMC that fails', () => {
  test('silence is a failed source of severity info that says nothing of power, and its end is reported', async () => {
    const quick = (bmc: SimulatedBmc) => bmcConfig(bmc.url, { timeoutMs: 40 });
    await watching({ plain: true }, quick, async ({ bmc, source, recorder }) => {
      await until(() => works(source));
      bmc.faults.silent = true;
      await until(() => recorder.of('agent.source_failed', 'onset') !== undefined);
      const failed = recorder.of('agent.source_failed', 'onset');
      assert.equal(failed?.severity, 'info');
      assert.equal(failed?.attributes?.code, 'FL2301');
      assert.equal(source.health()[0]?.status, 'failed');
      bmc.faults.silent = false;
      await until(() => recorder.of('agent.source_failed', 'clear') !== undefined);
      assert.ok(works(source));
      assert.deepEqual([...new Set(recorder.events.map(({ kind }) => kind))], ['agent.source_failed']);
    });
  });

  test('a resource that answers 500 leaves a gap; the rest is read', async () => {
    await watching({}, insecure, async ({ bmc, source, recorder }) => {
      await until(() => works(source));
      bmc.faults.failing.push('PSU1');
      const read = recorder.values('psu/node-3/1#input_voltage').length;
      const other = recorder.values('psu/node-3/2#input_voltage').length;
      await until(() => recorder.values('psu/node-3/2#input_voltage').length > other + 3);
      assert.ok(recorder.values('psu/node-3/1#input_voltage').length <= read + 1);
      assert.ok(works(source));
      assert.deepEqual(recorder.events, []);
    });
  });

  test('something else than Redfish is reported as such', async () => {
    const bmc = await SimulatedBmc.start({ plain: true });
    const source = new BmcSource([bmcConfig(bmc.url)], { now: () => Date.now() });
    bmc.faults.missing.push('/redfish/v1');
    source.start(new Recorder(), new AbortController().signal);
    await until(() => source.health()[0]?.status === 'failed');
    assert.match(source.health()[0]?.detail ?? '', /^FL2306 /);
    await source.stop();
    await bmc.close();
  });
});

test('one request at a time goes to a BMC', async () => {
  await watching({ plain: true }, insecure, async ({ bmc, source }) => {
    await until(() => works(source));
    assert.equal(bmc.mostAtOnce, 1);
  });
});

test('a BMC that never answers delays no other and does not hold up the stop', async () => {
  const [stuck, well] = [await SimulatedBmc.start(), await SimulatedBmc.start()];
  const configs = [bmcConfig(stuck.url, { host: 'node-1', timeoutMs: 600_000 }), bmcConfig(well.url)];
  const source = new BmcSource(configs, { now: () => Date.now() });
  const recorder = new Recorder();
  stuck.faults.silent = true;
  source.start(recorder, new AbortController().signal);
  await until(() => recorder.values('host/node-3#power').length >= 5);
  assert.equal(source.health()[0]?.status, 'absent');
  await source.stop(); // would wait ten minutes for the stuck one
  const reported = recorder.batches.length;
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(recorder.batches.length, reported, 'nothing after the stop');
  await Promise.all([stuck.close(), well.close()]);
});

test('nothing configured is off', () => {
  assert.equal(new BmcSource([], { now: () => 0 }).health()[0]?.status, 'off');
});
