// Coolant units and leak detectors over real HTTPS: readings, what happens to coolant, whose it is, and what a unit cannot show.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { componentText } from '../../../src/model/component.ts';
import { SimulatedBmc } from '../../../src/simulator/bmc/simulated-bmc.ts';
import { BmcSource } from '../../../src/sources/bmc/bmc-source.ts';
import { unitNames } from '../../../src/sources/bmc/discover-cooling.ts';
import { readBmc } from '../../../src/sources/bmc/read-bmc.ts';
import { addUnit, setDetector, setLoop, setPump, UNIT } from './cooling-tree.ts';
import { bmcConfig, Recorder, until } from './support.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function unit(withHost = false): Promise<SimulatedBmc> {
  const bmc = await SimulatedBmc.start();
  closing.push(() => bmc.close());
  addUnit(bmc, withHost);
  return bmc;
}

const named = (bmc: SimulatedBmc) => bmcConfig(bmc.url, { host: 'cdu-1' });

function watch(bmc: SimulatedBmc): { source: BmcSource; seen: Recorder } {
  const source = new BmcSource([named(bmc)], { now: () => Date.now() });
  const seen = new Recorder();
  source.start(seen, new AbortController().signal);
  closing.push(() => source.stop());
  return { source, seen };
}

/** Until every part was read some times more. */
async function looks(bmc: SimulatedBmc): Promise<void> {
  const before = bmc.requests;
  await until(() => bmc.requests > before + 100);
}

/** "cooling.leak onset warning cdu/cdu-1: leak detector …", without a severity where it is that of the kind. */
const cooling = ({ events }: Recorder) =>
  events.flatMap(({ kind, state, severity, component, evidence: [first] = [] }) => {
    if (!kind.startsWith('cooling.') || !component || first === undefined || !('text' in first)) return [];
    const words = [kind, state, ...(severity === undefined ? [] : [severity]), componentText(component)];
    return [`${words.join(' ')}: ${first.text}`];
  });

test('a unit with a service of its own is a cdu of the name that was given, with its readings in SI', async () => {
  const document = await readBmc(named(await unit()), Date.now);
  const values = document.readings.filter(({ component }) => component === 'cdu/cdu-1');
  assert.deepEqual(
    values.map(({ quantity, value, unit }) => `${quantity} ${value} ${unit}`),
    [
      'secondary_flow 0.7 L/s',
      'secondary_supply_temperature 29 Cel',
      'secondary_return_temperature 50 Cel',
      'secondary_supply_pressure 108000 Pa',
      'secondary_heat_power 26360 W',
      `primary_flow ${41 / 60} L/s`,
      'primary_supply_temperature 28 Cel',
      'primary_return_temperature 50 Cel',
      'primary_supply_pressure 108000 Pa',
      'primary_heat_power 26360 W',
      'pump_1_speed_ratio 0.385 1',
      'pump_2_speed_ratio 0.385 1',
    ],
  );
  const states = document.states.filter(({ component }) => component === 'cdu/cdu-1');
  assert.deepEqual(
    states.map(({ name, value }) => `${name} ${value}`),
    [
      'leak_moisture OK',
      'leak_tray OK',
      'pump_1_health OK',
      'pump_1 Enabled',
      'pump_2_health OK',
      'pump_2 Enabled',
      'reservoir_1_level OK',
    ],
  );
  assert.deepEqual([document.identity.vendor, document.identity.model], ['Contoso', 'LCOOL6000']);
});

test('a leak, a flow that is lost, warm coolant and pumps that fail are events of the unit, and end', async () => {
  const bmc = await unit();
  const { seen } = watch(bmc);
  const { extra } = bmc;
  await looks(bmc);
  assert.deepEqual(cooling(seen), []);
  setDetector(extra, 'Tray', 'Critical');
  setLoop(extra, 'Secondary', { flow: 2, supply: 46 });
  setPump(extra, '1', { State: 'Enabled', Health: 'Critical' });
  await until(() => cooling(seen).length === 4);
  setPump(extra, '2', { State: 'Enabled', Health: 'Critical' });
  await until(() => cooling(seen).length === 5);
  assert.deepEqual(cooling(seen).toSorted(), [
    'cooling.flow_low onset cdu/cdu-1: pump Pump 2: health Critical, state Enabled; 0 of 1 others work',
    'cooling.flow_low onset cdu/cdu-1: secondary loop (Secondary Side Connector 1): flow 2 L/min, under 3.5 L/min',
    'cooling.flow_low onset warning cdu/cdu-1: pump Pump 1: health Critical, state Enabled; 1 of 1 others work',
    'cooling.inlet_overtemp onset cdu/cdu-1: secondary loop (Secondary Side Connector 1): supply 46 °C, critical from 45 °C',
    'cooling.leak onset cdu/cdu-1: leak detector Tray detector: Critical',
  ]);
  setDetector(extra, 'Tray', 'OK');
  setLoop(extra, 'Secondary', { flow: 42, supply: 29 });
  for (const pump of ['1', '2']) setPump(extra, pump, { State: 'Enabled', Health: 'OK' });
  await until(
    () => seen.events.filter(({ kind, state }) => kind.startsWith('cooling.') && state === 'clear').length === 5,
  );
});

test('a detector that is itself degraded tells no leak; a warning is reported as one', async () => {
  const bmc = await unit();
  const { seen } = watch(bmc);
  await looks(bmc);
  setDetector(bmc.extra, 'Tray', 'Critical', { State: 'Degraded', Health: 'Critical' });
  await looks(bmc);
  assert.deepEqual(cooling(seen), []);
  setDetector(bmc.extra, 'Moisture', 'Warning');
  await until(() => cooling(seen).length > 0);
  assert.deepEqual(cooling(seen), ['cooling.leak onset warning cdu/cdu-1: leak detector Moisture detector: Warning']);
});

test('a loop that never flowed, and values that are no numbers, are no fault', async () => {
  const bmc = await unit();
  setLoop(bmc.extra, 'Secondary', { flow: 0, supply: 29 });
  const path = `${UNIT}/PrimaryCoolantConnectors/1`;
  bmc.extra.set(path, { ...bmc.extra.get(path), FlowLitersPerMinute: { Reading: 'Out of range' } });
  const { seen } = watch(bmc);
  await looks(bmc);
  assert.deepEqual(cooling(seen), []);
  assert.ok(seen.values('cdu/cdu-1#secondary_flow').every((value) => value === 0));
  assert.deepEqual(seen.values('cdu/cdu-1#primary_flow'), []);
});

test('a unit that a host’s BMC lists cools it; one of its own holds what the service tells, and misses no supplies', async () => {
  const listed = watch(await unit(true));
  await until(() => listed.seen.discoveries.some(({ component }) => component.type === 'cdu'));
  const links = (seen: Recorder) =>
    seen.discoveries
      .filter(({ component }) => component.type === 'cdu')
      .flatMap((one) => one.links.map((l) => `${componentText(l.from)} ${l.relation} ${componentText(l.to)}`));
  assert.deepEqual(links(listed.seen), ['cdu/cdu-1/1 feeds host/cdu-1']);
  const bmc = await unit();
  bmc.state.supplies.splice(0);
  bmc.extra.set(`${UNIT}/LeakDetection`, { Id: 'LeakDetection' });
  const own = watch(bmc);
  await until(() => own.source.health()[0]?.status === 'works');
  assert.deepEqual(links(own.seen), ['host/cdu-1 contains cdu/cdu-1']);
  const notes = own.source.health()[0]?.notes ?? [];
  assert.ok(notes.includes('it shows no leak detector, so that no leak is seen'), notes.join('\n'));
  assert.ok(!notes.some((note) => note.includes('consumption')), notes.join('\n'));
});

test('hosts that share a unit ask it once: its controller has one session, and each host sees the leak', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fl-shared-unit-'));
  closing.push(async () => rmSync(folder, { recursive: true }));
  const bmc = await unit();
  const both = ['node-1', 'node-2'].map((host) => {
    const source = new BmcSource([{ ...named(bmc), sharedFolder: folder }], { now: () => Date.now(), host });
    const seen = new Recorder();
    source.start(seen, new AbortController().signal);
    closing.push(() => source.stop());
    return { source, seen };
  });
  await until(() => both.every(({ seen }) => seen.values('cdu/cdu-1#secondary_flow').length > 3));
  setDetector(bmc.extra, 'Tray', 'Critical');
  await until(() => both.every(({ seen }) => cooling(seen).length > 0));
  for (const { seen } of both)
    assert.deepEqual(cooling(seen), ['cooling.leak onset cdu/cdu-1: leak detector Tray detector: Critical']);
  assert.equal(bmc.sessions.open, 1);
  assert.ok(both.every(({ seen }) => seen.discoveries.some(({ component }) => component.type === 'cdu')));
});

test('a leak detector inside a host, by its summary, is the host’s', async () => {
  const bmc = await SimulatedBmc.start();
  closing.push(() => bmc.close());
  const place = '/redfish/v1/Chassis/Sled/ThermalSubsystem';
  const detection = (DetectorState: string) =>
    bmc.extra.set(`${place}/LeakDetection`, {
      Id: 'LeakDetection',
      LeakDetectorGroups: [{ Detectors: [{ DataSourceUri: `${place}/LeakDetection/LeakDetectors/ColdPlate_0`, DeviceName: 'Cold plate 0', DetectorState }] }], // biome-ignore format: one line
    });
  bmc.extra.set(place, { LeakDetection: { '@odata.id': `${place}/LeakDetection` } });
  detection('OK');
  const { seen } = watch(bmc);
  await looks(bmc);
  detection('Critical');
  await until(() => cooling(seen).length > 0);
  assert.deepEqual(cooling(seen), ['cooling.leak onset host/cdu-1: leak detector Cold plate 0: Critical']);
});

test('units have different names, whatever paths a service lists them by', () => {
  const unit = (path: string, Id = '1') => ({ path, body: { Id } });
  const long = 'x'.repeat(80);
  for (const units of [
    [unit('/a/CDUs/1'), unit('/a/HeatExchangers/1')],
    [unit('/a/CDUs/1'), unit('/a/CDUs/1'), unit('/b/CDUs/1')],
    [unit(`/a/CDUs/${long}1`), unit(`/a/CDUs/${long}2`)],
    [unit('/a/CDUs/1'), unit('/a/CDUs/1'), unit('/a/CDUs/1-2')],
  ]) {
    const names = unitNames(units, false);
    assert.deepEqual([names.length, new Set(names).size], [units.length, units.length], JSON.stringify(names));
    assert.ok(names.every((name) => name.length <= 64));
  }
  assert.deepEqual(unitNames([unit('/a/CDUs/1')], true), ['']);
});
