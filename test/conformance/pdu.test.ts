// Recorded PDUs and a UPS, served by snmpsim, read as their expected readings say. Needs ../shared/data and snmpsim in .tools/venv.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { probePdu } from '../../src/commands/probe/probe-pdu.ts';
import type { ReadingsDocument } from '../../src/model/documents/readings.ts';
import { installationRoot } from '../../src/native.ts';
import type { DiscoverOptions } from '../../src/sources/pdu/discover.ts';
import { PduSource } from '../../src/sources/pdu/pdu-source.ts';
import { readPdu } from '../../src/sources/pdu/read-pdu.ts';
import type { PduSettings } from '../../src/sources/pdu/settings.ts';
import { pduConfig, Recorder, USER, until } from '../sources/pdu/support.ts';
import { imbalances, MODEL_READINGS, type ModelReading } from './pdu-models.ts';

const RECORDINGS = join(installationRoot(), '..', 'shared', 'data', 'snmprec');
const SNMPSIM = join(installationRoot(), '.tools', 'venv', 'bin', 'snmpsim-command-responder');
const DEVICES = ['apc-ap8853', 'apc-ap8641'] as const;
const MODELS = Object.keys(MODEL_READINGS);
const skip = !existsSync(RECORDINGS)
  ? 'the recordings are not on this machine'
  : !existsSync(SNMPSIM)
    ? 'snmpsim is not installed: python3 -m venv .tools/venv && .tools/venv/bin/pip install snmpsim pysmi'
    : false;

interface ExpectedRow {
  readonly index: string;
  readonly loadState?: string | null;
  readonly currentA?: number;
  readonly voltageV?: number;
  readonly powerW?: number;
  readonly apparentVA?: number;
  readonly powerFactor?: number;
  readonly energyKWh?: number;
  readonly phase?: number;
  readonly bank?: number;
}
interface Expected {
  readonly devices: ExpectedRow[];
  readonly phases: ExpectedRow[];
  readonly banks: ExpectedRow[];
  readonly outlets: ExpectedRow[];
  readonly rpdu1: ExpectedRow[];
}

let child: ChildProcess | null = null;
let folder = '';
let port = 0;

before(async () => {
  if (skip !== false) return;
  folder = mkdtempSync(join(tmpdir(), 'snmpsim-'));
  mkdirSync(join(folder, 'data'));
  for (const device of [...DEVICES, ...MODELS])
    copyFileSync(join(RECORDINGS, `${device}.snmprec`), join(folder, 'data', `${device}.snmprec`));
  const probe = dgram.createSocket('udp4').bind(0, '127.0.0.1');
  await once(probe, 'listening');
  port = probe.address().port;
  probe.close();
  await once(probe, 'close');
  // As root snmpsim insists on the name of the user to become; its modules may be readable by root only.
  const user = process.getuid?.() === 0 ? ['--process-user=root', '--process-group=root'] : [];
  child = spawn(
    SNMPSIM,
    [
      `--data-dir=${join(folder, 'data')}`,
      `--cache-dir=${join(folder, 'cache')}`,
      `--agent-udpv4-endpoint=127.0.0.1:${port}`,
      `--v3-user=${USER.name}`,
      `--v3-auth-key=${USER.authKey}`,
      '--v3-auth-proto=SHA256',
      `--v3-priv-key=${USER.privKey}`,
      '--v3-priv-proto=AES',
      ...user,
    ],
    { stdio: 'ignore' },
  );
  await answering();
});

after(async () => {
  if (child && child.exitCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  if (folder !== '') rmSync(folder, { recursive: true });
});

/** Resolves once the simulator answers; gives up after a minute. */
async function answering(): Promise<void> {
  for (let left = 60; left > 0; left -= 1) {
    if (child?.exitCode !== null) throw new Error('snmpsim ended before it answered');
    try {
      await read('apc-ap8853', { timeoutMs: 1000 });
      return;
    } catch (error) {
      if (left === 1) throw error;
    }
  }
}

function read(
  community: string,
  more: Partial<PduSettings> = {},
  options: DiscoverOptions = {},
): Promise<ReadingsDocument> {
  return readPdu(pduConfig(port, { name: 'x', community, timeoutMs: 3000, retries: 2, ...more }), Date.now, options);
}

function expected(device: string): Expected {
  const all: unknown = JSON.parse(readFileSync(join(RECORDINGS, 'expected.json'), 'utf8'));
  return (all as Record<string, Expected>)[device] as Expected; // the shape that its README describes
}

/** Every expected figure of a row against the reading of its component. */
function assertRow(document: ReadingsDocument, component: string, row: ExpectedRow, stateOf: string): void {
  const reading = (quantity: string) =>
    document.readings.find((r) => r.component === component && r.quantity === quantity);
  const figures: readonly (readonly [string, number | undefined])[] = [
    ['current', row.currentA],
    ['voltage', row.voltageV],
    ['power', row.powerW],
    ['apparent_power', row.apparentVA],
    ['power_factor', row.powerFactor],
    ['energy', row.energyKWh === undefined ? undefined : Math.round(row.energyKWh * 3_600_000)],
  ];
  for (const [quantity, value] of figures) {
    if (value !== undefined) assert.equal(reading(quantity)?.value, value, `${component} ${quantity}`);
  }
  if (row.loadState !== undefined)
    assert.equal(reading(stateOf)?.state ?? null, row.loadState, `${component} load state`);
}

function assertDevice(document: ReadingsDocument, device: Expected): void {
  const count = (type: string) =>
    new Set(document.readings.map((r) => r.component).filter((c) => c.startsWith(`${type}/`))).size;
  assert.equal(count('pdu'), device.devices.length);
  assert.equal(count('pdu_phase'), device.phases.length);
  assert.equal(count('pdu_outlet'), device.outlets.length);
  for (const row of device.devices) assertRow(document, 'pdu/x', row, 'power');
  for (const row of device.phases) assertRow(document, `pdu_phase/x/${row.index}`, row, 'current');
  for (const row of device.outlets) assertRow(document, `pdu_outlet/x/${row.index}`, row, 'current');
  const banks = device.banks.length > 0 ? device.banks : device.rpdu1.filter((row) => row.bank !== 0);
  assert.equal(count('pdu_branch'), banks.length);
  for (const row of banks) assertRow(document, `pdu_branch/x/${row.bank ?? row.index}`, row, 'current');
}

for (const device of DEVICES) {
  for (const version of ['1', '2c'] as const) {
    test(`${device} over v${version} reads as expected`, { skip }, async () => {
      assertDevice(await read(device, { version }), expected(device));
    });
  }

  test(`${device}: the rows of the older table read as expected`, { skip }, async () => {
    const document = await read(device, {}, { modules: ['rPDU'] });
    for (const row of expected(device).rpdu1) {
      assertRow(document, row.bank === 0 ? `pdu_phase/x/${row.phase}` : `pdu_branch/x/${row.bank}`, row, 'current');
    }
  });
}

/** By the command, as an operator reads it. */
async function probe(device: string): Promise<ReadingsDocument> {
  const out: string[] = [];
  const error: string[] = [];
  const io = { out: (text: string) => void out.push(text), error: (text: string) => void error.push(text), env: {} };
  const status = await probePdu(`127.0.0.1:${port}`, { community: device, name: 'x', timeout: '3000', json: true }, io);
  assert.equal(status, 0, error.join(''));
  return JSON.parse(out.join('')) as ReadingsDocument; // the contract of the command
}

for (const device of MODELS) {
  test(`${device} reads as expected, and its readings fit each other`, { skip }, async () => {
    const document = await probe(device);
    const all: unknown = JSON.parse(readFileSync(join(RECORDINGS, 'expected.json'), 'utf8'));
    const wanted = MODEL_READINGS[device]?.((all as Record<string, never>)[device] as never) ?? []; // as its README describes
    assert.ok(wanted.length > 5);
    for (const { component, quantity, value, state } of wanted satisfies readonly ModelReading[]) {
      const reading = document.readings.find((r) => r.component === component && r.quantity === quantity);
      const word = document.states.find((r) => r.component === component && r.name === quantity)?.value;
      assert.deepEqual(reading === undefined ? word : reading.value, value, `${component} ${quantity}`);
      if (state !== undefined) assert.equal(reading?.state, state, `${component} ${quantity}`);
    }
    const types = (type: string) =>
      wanted.filter(({ component }) => component.startsWith(`${type}/`)).map(({ component }) => component);
    for (const type of ['pdu_phase', 'pdu_branch']) {
      const parts = new Set(document.readings.map((r) => r.component).filter((c) => c.startsWith(`${type}/`)));
      for (const part of parts) assert.ok(types(type).includes(part), `${part} is not of this device`);
    }
    assert.deepEqual(imbalances(document), []);
  });
}

for (const device of DEVICES) {
  test(`${device}: its readings fit each other`, { skip }, async () => {
    assert.deepEqual(imbalances(await probe(device)), []);
  });
}

test('the source reads what probe reads, of all recordings at once', { skip }, async () => {
  const all = [...DEVICES, ...MODELS];
  const wanted = new Map<string, number>();
  for (const device of all) {
    for (const { component, quantity, value } of (await read(device)).readings) {
      if (value === null || quantity === 'rated_current') continue;
      wanted.set(`${component.replace('/x', `/${device}`)}#${quantity}`, value);
    }
  }
  const configs = all.map((device) =>
    pduConfig(port, { name: device, community: device, timeoutMs: 3000, retries: 2, intervalMs: 1000 }),
  );
  const source = new PduSource(configs, { now: Date.now });
  const seen = new Recorder();
  source.start(seen, new AbortController().signal);
  try {
    const keys = () => new Set(seen.batches.flatMap((batch) => batch.keys));
    await until(() => {
      const have = keys();
      return [...wanted.keys()].every((key) => have.has(key));
    });
    for (const [key, value] of wanted) assert.equal(seen.values(key)[0], value, key);
    // What is left up to a rating is made of what was read.
    assert.deepEqual(
      [...keys()].filter((key) => !wanted.has(key) && !/#current_(?:headroom|share)$/.test(key)),
      [],
    );
    assert.deepEqual(
      seen.events.map(({ kind, component }) => `${kind} ${component?.id}`),
      ['power.overload eaton-epdu-ema114/1'],
      'the one that its recording has',
    );
  } finally {
    await source.stop();
  }
});

test('identity comes from the identification table, or from the description where that is missing', {
  skip,
}, async () => {
  assert.deepEqual((await read('apc-ap8641')).identity, {
    vendor: 'APC',
    model: 'AP8641',
    serial: '3F3452A52295',
    firmware: '6.7.2',
  });
  assert.deepEqual((await read('apc-ap8853')).identity, {
    vendor: 'APC',
    model: 'AP8853',
    serial: 'ZA2001002384',
    firmware: 'v6.8.0',
  });
});

test('a column that the device does not answer is a warning, not a reading', { skip }, async () => {
  const document = await read('apc-ap8853');
  assert.ok(document.warnings.some((warning) => /rPDULoadStatus.*load_state/.test(warning)));
});

test('SNMPv3 authPriv with a wrong key is told apart from an unknown user', { skip }, async () => {
  const wrong = (user: Partial<typeof USER>) => read('', { version: '3', user: { ...USER, ...user } });
  await assert.rejects(wrong({ authKey: 'not-the-key' }), /FL2103/);
  await assert.rejects(wrong({ name: 'unknown' }), /FL2102/);
});
