// What `incidents` lists by its options, and the exit status that health checks and prologues act on.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Component } from '../../../src/model/component.ts';
import type { Incident } from '../../../src/model/incident.ts';
import type { Kind } from '../../../src/model/kind.ts';
import { incident, T0 } from '../../incidents/sample.ts';
import { logOf, run } from '../incident-command.ts';

const root = (kind: Kind, component: Component): Pick<Incident, 'root' | 'chain' | 'impact'> => ({
  root: { eventId: 'e', kind, component },
  chain: [],
  impact: [],
});
const GPU: Component = { type: 'gpu', id: '0000:9b:00.0', host: 'node-3' };
const LOST = incident('1111aaaaaaaa', { severity: 'critical', ...root('gpu.lost', GPU) });
const HANG = incident('2222aaaaaaaa', { severity: 'error', ...root('job.hang', { type: 'rank', id: 'llama/3' }) });
const OVER = incident('3333aaaaaaaa', {
  severity: 'critical',
  state: 'resolved',
  resolvedMs: T0,
  ...root('power.voltage_sag', { type: 'pdu_phase', id: 'pdu-b/1' }),
});

const listed: readonly (readonly [string, string])[] = [
  ['', '1111 2222 3333'],
  ['--open', '1111 2222'],
  ['--severity critical', '1111 3333'],
  ['--severity error --open', '1111 2222'],
  ['--kind gpu.lost', '1111'],
  ['--kind gpu.* --kind job.*', '1111 2222'],
  ['--component gpu/9B:00', '1111'],
  ['--component gpu/0000:9b:00.0', '1111'],
  ['--component host/node-3', '1111'],
  ['--component pdu/pdu-b', '3333'],
  ['--component job/llama', '2222'],
  ['--job llama', '2222'],
  ['--job lla', ''],
];
for (const [options, expected] of listed) {
  test(`incidents ${options} lists ${expected === '' ? 'nothing' : expected}`, async (t) => {
    const directory = await logOf(t, LOST, HANG, OVER);
    const words = options.split(' ').filter((word) => word !== '');
    const { stdout, status } = await run('incidents', ...words, '--log-directory', directory);
    assert.equal(
      stdout
        .split('\n')
        .map((line) => line.slice(0, 4))
        .join(' ')
        .trim(),
      expected,
    );
    assert.equal(status, 0);
  });
}

test('what was looked for is said where nothing was found', async (t) => {
  const directory = await logOf(t, OVER);
  const { stderr } = await run(
    'incidents',
    '--open',
    '--severity',
    'error',
    '--kind',
    'gpu.*',
    '--log-directory',
    directory,
  );
  assert.equal(stderr, `no incidents in ${directory} that are open of severity error or worse of kind gpu.*\n`);
});

test('a kind or a component that there is not ends with status 2 and the nearest', async (t) => {
  const directory = await logOf(t, LOST);
  const kind = await run('incidents', '--kind', 'gpu.lsot', '--log-directory', directory);
  assert.deepEqual(
    [kind.status, kind.stderr],
    [2, 'FL3128 --kind "gpu.lsot": there is no such kind. Did you mean: gpu.lost\n'],
  );
  const component = await run('incidents', '--component', 'gpu', '--log-directory', directory);
  assert.equal(component.status, 2);
  assert.match(component.stderr, /^FL3129 .*write type\/id/);
});

const failing: readonly (readonly [string, readonly Incident[], number])[] = [
  ['--fail-on critical', [LOST], 1],
  ['--fail-on warning', [HANG], 1],
  ['--fail-on critical', [HANG, OVER], 0],
  ['--fail-on info', [], 0],
  ['--fail-on critical --kind gpu.*', [LOST], 1],
  ['--fail-on error --kind gpu.*', [HANG], 0],
  ['--fail-on critical', [{ ...LOST, made: 'injected' }], 0],
  ['--fail-on critical', [{ ...LOST, unconfirmed: 'a line of the kernel log' }], 0],
  ['--fail-on critical', [{ ...LOST, mergedInto: HANG.id }], 0],
  ['--fail-on critical', [{ ...LOST, ...root('gpu.lost', { ...GPU, host: 'node-9' }) }], 0],
];
for (const [options, incidents, expected] of failing) {
  const names = incidents.map(({ id, made, mergedInto, root: { component } }) =>
    [id.slice(0, 4), made ?? '', mergedInto === null ? '' : 'merged', component?.host ?? ''].join(' '),
  );
  test(`${options} with ${names.join(', ') || 'an empty log'} ends with ${expected}`, async (t) => {
    const directory = await logOf(t, ...incidents);
    const { status } = await run('incidents', ...options.split(' '), '--log-directory', directory);
    assert.equal(status, expected);
  });
}

test('--fail-on and --follow exclude each other', async (t) => {
  const directory = await logOf(t, LOST);
  const { status, stderr } = await run('incidents', '--follow', '--fail-on', 'error', '--log-directory', directory);
  assert.equal(status, 2);
  assert.match(stderr, /^FL1200 --follow does not end/);
});

test('--until leaves out what opened later, --pattern what is another', async (t) => {
  const directory = await logOf(
    t,
    incident('aaaa00000001', { pattern: 'gpu_fell_off_bus', openedMs: T0 - 7_200_000 }),
    incident('aaaa00000002', { pattern: 'feed_voltage_sag' }),
    incident('aaaa00000003'),
  );
  const ids = async (...words: string[]): Promise<string[]> => {
    const { stdout } = await run('incidents', '--json', ...words, '--log-directory', directory);
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : [String(JSON.parse(line).id).at(-1) ?? '']));
  };
  assert.deepEqual(await ids('--until', '1h'), ['1']);
  assert.deepEqual(await ids('--pattern', 'feed_*'), ['2']);
  assert.deepEqual(await ids('--pattern', 'gpu_fell_off_bus'), ['1']);
  const wrong = await run('incidents', '--pattern', 'gpu_fell_of_bus', '--log-directory', directory);
  assert.match(wrong.stderr, /^FL3131 .*Did you mean: gpu_fell_off_bus/);
  const late = await run('incidents', '--until', 'tomorrow', '--log-directory', directory);
  assert.match(late.stderr, /^FL3123 --until "tomorrow" is not a time/);
  assert.deepEqual([wrong.status, late.status], [2, 2]);
});
