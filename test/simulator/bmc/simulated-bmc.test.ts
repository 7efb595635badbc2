// Tests of the simulated BMC: its certificate, its logins, its two models, and how the world's changes reach it.

import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { selfSignedCertificate } from '../../../src/simulator/bmc/certificate.ts';
import { Sessions } from '../../../src/simulator/bmc/sessions.ts';
import { SimulatedBmc } from '../../../src/simulator/bmc/simulated-bmc.ts';
import { type BmcState, isRedundant, supplyReadings } from '../../../src/simulator/bmc/state.ts';
import { updateBmc } from '../../../src/simulator/rack/bmc.ts';
import { randomStream } from '../../../src/simulator/random.ts';
import { loadScenario } from '../../../src/simulator/scenario/load.ts';
import type { PlannedChange } from '../../../src/simulator/scenario/planned-change.ts';

test('the certificate is one that others can read, check and match to its key', () => {
  const { key, certificate } = selfSignedCertificate('bmc.simulated', '127.0.0.1');
  const read = new X509Certificate(certificate);
  assert.equal(read.subject, 'CN=bmc.simulated');
  assert.equal(read.subjectAltName, 'DNS:bmc.simulated, IP Address:127.0.0.1');
  assert.ok(read.verify(read.publicKey), 'signed by itself');
  assert.ok(read.checkPrivateKey(createPrivateKey(key)));
  assert.ok(read.checkIP('127.0.0.1'));
  assert.ok(read.validFromDate.getTime() < Date.now() && Date.now() < read.validToDate.getTime());
});

test('sessions end by themselves, on request, and are not endless', () => {
  let nowMs = 0;
  const sessions = new Sessions('u', 'p', () => nowMs);
  sessions.timeoutMs = 1000;
  assert.equal(sessions.create({ UserName: 'u', Password: 'x' }), 'refused');
  assert.equal(sessions.create(null), 'refused');
  const made = sessions.create({ UserName: 'u', Password: 'p' });
  assert.ok(typeof made === 'object');
  assert.ok(sessions.allows({ 'x-auth-token': made.token }));
  assert.ok(!sessions.allows({ 'x-auth-token': 'other' }));
  assert.ok(sessions.end(made.id) && !sessions.end(made.id));
  for (let i = 0; i < 8; i += 1) sessions.create({ UserName: 'u', Password: 'p' });
  assert.equal(sessions.create({ UserName: 'u', Password: 'p' }), 'full');
  nowMs = 2000;
  assert.equal(typeof sessions.create({ UserName: 'u', Password: 'p' }), 'object');
});

const state = (): BmcState => ({
  hostWatts: 3000,
  limitWatts: null,
  supplies: [1, 2, 3].map(() => ({ inputVoltage: 230, fed: true, failed: false, standby: false, absent: false })),
  fans: [],
  inletC: 24,
});

test('the load is shared by the supplies that deliver', () => {
  const all = state();
  assert.deepEqual(
    supplyReadings(all).map(({ outputWatts }) => outputWatts),
    [1000, 1000, 1000],
  );
  const [one, two] = all.supplies;
  assert.ok(one && two);
  one.fed = false;
  two.standby = true;
  assert.deepEqual(
    supplyReadings(all).map(({ outputWatts }) => outputWatts),
    [0, 0, 3000],
  );
  assert.deepEqual(
    supplyReadings(all).map(({ line }) => line),
    ['LossOfInput', 'Normal', 'Normal'],
  );
  assert.ok(isRedundant(all));
  two.failed = true;
  assert.ok(!isRedundant(all));
});

test('changes of the world reach supplies, fans and limits, and end with them', async () => {
  const { world } = loadScenario('power-sag', 0);
  const bmc = await SimulatedBmc.start({ supplies: 2, fans: 6 });
  const update = (...changes: PlannedChange[]) => updateBmc(world, bmc, changes, randomStream(0, 'bmc'), 0);
  try {
    update();
    const usual = bmc.state.hostWatts;
    assert.equal(usual, 600 + 8 * 385 + 2 * 170);
    assert.deepEqual(
      bmc.state.supplies.map(({ inputVoltage }) => inputVoltage),
      [121.4, 121.4],
      'that of their phase',
    );
    update(
      { type: 'pdu_voltage', pdu: 'pdu-b-rack-14', phase: 1, to: 104 },
      { type: 'psu_input_lost', supply: 1 },
      { type: 'psu_failed', supply: 2 },
      { type: 'fan_failed', fan: 3 },
      { type: 'host_power_limit', to: 4000 },
      { type: 'inlet_temperature', to: 44 },
      { type: 'gpu_power', gpus: [0, 1, 2, 3, 4, 5, 6, 7], to: 240 },
      { type: 'cpu_power_limit', package: 'all', to: 100 },
      { type: 'bmc_silent' },
    );
    assert.equal(bmc.state.supplies[0]?.inputVoltage, 104);
    assert.deepEqual(
      bmc.state.supplies.map(({ fed, failed }) => [fed, failed]),
      [
        [false, false],
        [true, true],
      ],
    );
    assert.deepEqual(
      bmc.state.fans.flatMap(({ failed }, i) => (failed ? [i + 1] : [])),
      [3],
    );
    assert.deepEqual([bmc.state.limitWatts, bmc.state.inletC, bmc.faults.silent], [4000, 44, true]);
    assert.equal(bmc.state.hostWatts, 600 + 8 * 240 + 2 * 100);
    update();
    assert.equal(bmc.state.hostWatts, usual);
    assert.deepEqual([bmc.state.limitWatts, bmc.state.inletC, bmc.faults.silent], [null, 24, false]);
    assert.ok(bmc.state.supplies.every(({ fed, failed }) => fed && !failed));
  } finally {
    await bmc.close();
  }
});
