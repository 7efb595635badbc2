// Tests of the rack: what the timeline says is in files and reaches the PDUs at its time, and not before.

import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { Rack } from '../../../src/simulator/rack/rack.ts';
import type { SimulatedPdu } from '../../../src/simulator/rack/simulated-pdu.ts';
import { loadScenario } from '../../../src/simulator/scenario/load.ts';
import type { ScenarioPlan } from '../../../src/simulator/scenario/scenario-plan.ts';
import { ManualClock } from '../../../src/simulator/scenario-clock.ts';

class PduStub implements SimulatedPdu {
  readonly port = 4161;
  readonly volts = new Map<number, number>();
  readonly amperes = new Map<number, number>();
  silent = false;
  closed = false;
  setVoltage(phase: number, volts: number): void {
    this.volts.set(phase, volts);
  }
  setCurrent(phase: number, amperes: number): void {
    this.amperes.set(phase, amperes);
  }
  setSilent(silent: boolean): void {
    this.silent = silent;
  }
  async close(): Promise<void> {
    this.closed = true;
  }
}

let folder = '';
let clock = new ManualClock();
let pdus = new Map<string, PduStub>();
let rack: Rack | null = null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'faultline rack '));
  clock = new ManualClock();
  pdus = new Map();
});

afterEach(async () => {
  await rack?.stop();
  rmSync(folder, { recursive: true });
});

async function start(plan: ScenarioPlan): Promise<Rack> {
  rack = await Rack.start({
    folder,
    plan,
    clock,
    library: '/opt/stand-in/libnvidia-ml.so.1',
    startPdu: async (pdu) => {
      const stub = new PduStub();
      pdus.set(pdu.name, stub);
      return stub;
    },
  });
  return rack;
}

const read = (...parts: string[]) => readFileSync(join(folder, ...parts), 'utf8');
const control = () =>
  new Map(
    read('nvml', 'nvml.control')
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
  );
const limitW = (cpu: number) =>
  Number(read('sys', 'class', 'powercap', `intel-rapl:${cpu}`, 'constraint_0_power_limit_uw')) / 1e6;
const steps = () =>
  [...read('jobs', 'llama-70b.log').matchAll(/iteration \(ms\): ([\d.]+)/g)].map((match) => Number(match[1]));

test('before the timeline begins the rack is in its usual state', async () => {
  const plan = loadScenario('power-sag', 0);
  const { places } = await start(plan);
  clock.advance(60_000);
  assert.equal(readlinkSync(places.library), '/opt/stand-in/libnvidia-ml.so.1');
  assert.equal(control().get('devices'), '8');
  assert.equal(control().get('gpu.0.pci'), '0000:1b:00.0');
  assert.equal(control().get('gpu.7.reasons'), '0x0');
  assert.equal(control().get('gpu.7.power_limit_mw'), '400000');
  assert.deepEqual([limitW(0), limitW(1)], [280, 280]);
  assert.ok(Math.abs((pdus.get('pdu-b-rack-14')?.volts.get(1) ?? 0) - 121.4) < 0.2);
  assert.equal(places.pduPorts.get('pdu-a-rack-14'), 4161);
  assert.ok(steps().length > 100 && steps().every((ms) => Math.abs(ms - 412) < 5));
  assert.deepEqual(read('kmsg').trimEnd().split('\n').length, 1);
});

test('power-sag: voltage, CPU limit, reasons, GPU limit and step time change at their times', async () => {
  await start(loadScenario('power-sag', 0));
  rack?.play();
  const volts = () => pdus.get('pdu-b-rack-14')?.volts.get(1);
  clock.advance(5_999);
  assert.notEqual(volts(), 108.2);
  clock.advance(1);
  assert.equal(volts(), 108.2);
  assert.notEqual(pdus.get('pdu-b-rack-14')?.volts.get(2), 108.2);
  assert.notEqual(pdus.get('pdu-a-rack-14')?.volts.get(1), 108.2);
  assert.equal(limitW(0), 280);
  clock.advance(1_300);
  assert.deepEqual([limitW(0), limitW(1)], [180, 180]);
  clock.advance(300);
  assert.equal(control().get('gpu.3.reasons'), '0x88');
  clock.advance(1_500);
  assert.notEqual(volts(), 108.2, 'the sag is over after 3.1 s');
  clock.advance(600);
  assert.equal(control().get('gpu.3.reasons'), '0xc8', 'brake and thermal slowdown together');
  clock.advance(2_500);
  assert.equal(control().get('gpu.3.reasons'), '0x4c', 'the brake is off, the cap is on');
  assert.equal(control().get('gpu.3.power_limit_mw'), '250000');
  clock.advance(5_000);
  const last = steps().at(-1) ?? 0;
  assert.ok(Math.abs(last - 897) < 10, `step time ${last}`);
});

test('gpu-lost: the driver answers 15 and the kernel log has XID 79, for that GPU alone', async () => {
  await start(loadScenario('gpu-lost', 0));
  rack?.play();
  clock.advance(8_000);
  assert.equal(control().has('gpu.5.error'), false);
  assert.equal(pdus.get('pdu-c-rack-15')?.volts.get(2), 104.9);
  clock.advance(2_000);
  assert.equal(control().get('gpu.5.error'), '15');
  assert.equal(control().get('gpu.5.xid'), '1 79');
  assert.equal([...control().keys()].filter((key) => key.endsWith('.error')).length, 1);
  assert.match(read('kmsg'), /^4,\d+,\d+,-;NVRM: Xid \(PCI:0000:c3:00\): 79, .*GPU has fallen off the bus\.$/m);
  const before = steps().length;
  clock.advance(10_000);
  assert.ok(steps().length <= before + 1, 'the job hangs');
});

test('hung-driver: the calls of one GPU hang', async () => {
  await start(loadScenario('hung-driver', 0));
  rack?.play();
  clock.advance(12_000);
  assert.deepEqual(
    [...control()].filter(([key]) => key.endsWith('.hang')),
    [['gpu.3.hang', '1']],
  );
});

test('energy counters run with the power of the packages', async () => {
  await start(loadScenario('quiet', 0));
  const energy = () => Number(read('sys', 'class', 'powercap', 'intel-rapl:0', 'energy_uj'));
  const before = energy();
  clock.advance(10_000);
  const range = Number(read('sys', 'class', 'powercap', 'intel-rapl:0', 'max_energy_range_uj')) + 1;
  const joule = ((energy() - before + range) % range) / 1e6;
  assert.ok(Math.abs(joule - 1700) < 40, `${joule} J`);
});

test('a reader that keeps a powercap file open sees the new limit, as with the kernel', async () => {
  await start(loadScenario('power-sag', 0));
  const file = openSync(join(folder, 'sys', 'class', 'powercap', 'intel-rapl:0', 'constraint_0_power_limit_uw'), 'r');
  rack?.play();
  clock.advance(20_000);
  const bytes = Buffer.alloc(32);
  const length = readSync(file, bytes, 0, 32, 0);
  closeSync(file);
  assert.equal(bytes.toString('utf8', 0, length), '180000000\n');
});

test('the same seed writes the same files', async () => {
  const texts: string[] = [];
  for (const seed of [5, 5, 6]) {
    await start(loadScenario('power-sag', seed));
    rack?.play();
    clock.advance(20_000);
    texts.push(read('nvml', 'nvml.control'));
    await rack?.stop();
    clock = new ManualClock();
    rmSync(folder, { recursive: true });
    folder = mkdtempSync(join(tmpdir(), 'faultline rack '));
  }
  assert.equal(texts[0], texts[1]);
  assert.notEqual(texts[0], texts[2]);
});

test('a stopped rack writes nothing, closes its PDUs and leaves no unfinished file', async () => {
  await start(loadScenario('power-sag', 0));
  rack?.play();
  clock.advance(3_000);
  await rack?.stop();
  await rack?.stop();
  const before = read('jobs', 'llama-70b.log');
  clock.advance(60_000);
  assert.equal(read('jobs', 'llama-70b.log'), before);
  assert.ok([...pdus.values()].every((pdu) => pdu.closed));
  assert.deepEqual(readdirSync(join(folder, 'nvml')).sort(), ['libnvidia-ml.so.1', 'nvml.control']);
});

test('a PDU that cannot start ends those that have', async () => {
  const plan = loadScenario('power-sag', 0);
  const first = new PduStub();
  let calls = 0;
  const startPdu = async () => {
    calls += 1;
    if (calls === 2) throw new Error('no port');
    return first;
  };
  await assert.rejects(Rack.start({ folder, plan, clock, library: '/x', startPdu }), /no port/);
  assert.ok(first.closed);
});
