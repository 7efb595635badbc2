// Following with filters: of what comes while it follows only what fits is printed, a document a line, from the revision on that fits.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Incident } from '../../../src/model/incident.ts';
import { openLog } from '../../incidents/log/folder.ts';
import { incident, T0 } from '../../incidents/sample.ts';
import { until } from '../../until.ts';
import { logOf, start } from '../incident-command.ts';

const NOW = T0 + 107_000;
const rooted = (id: string, more: Partial<Incident>): Incident => incident(id, { chain: [], events: [], impact: [], openedMs: NOW, updatedMs: NOW, ...more }); // biome-ignore format: one line
const GPU = { type: 'gpu', id: '0000:9b:00.0', host: 'node-3' } as const;
const lost = rooted('1111aaaaaaaa', { severity: 'critical', root: { eventId: 'e', kind: 'gpu.lost', component: GPU } });
const hang = rooted('2222aaaaaaaa', { severity: 'warning', root: { eventId: 'e', kind: 'job.hang', component: { type: 'job', id: 'llama' } } }); // biome-ignore format: one line
const graver: Incident = { ...hang, revision: 2, severity: 'error' };
/** Closes the log for the reader: whatever the filter is, this one is shown. */
const last = rooted('ffffaaaaaaaa', { severity: 'critical', root: { eventId: 'e', kind: 'gpu.lost', component: GPU }, impact: [{ component: { type: 'job', id: 'llama' }, quantity: 'step time', before: 1, after: 2, unit: 's', text: 'llama step time 1 → 2 s' }] }); // biome-ignore format: one line

const followed: readonly (readonly [string, readonly string[]])[] = [
  ['--severity error', ['1111 1', '2222 2']],
  ['--kind gpu.*', ['1111 1']],
  ['--component gpu/0000:9b:00.0', ['1111 1']],
  ['--job llama', ['2222 1', '2222 2']],
  ['--since 1h', ['1111 1', '2222 1', '2222 2']],
];
for (const [options, expected] of followed) {
  test(`--follow --json ${options} prints ${expected.join(', ')}`, async (t) => {
    const directory = await logOf(t);
    const { ran, stop, done } = start(['incidents', '--follow', '--json', ...options.split(' '), '--log-directory', directory]); // biome-ignore format: one call
    const { log } = openLog(directory, { maxBytes: 1_000_000, maxFiles: 100 });
    for (const each of [lost, hang, graver, last]) await log.append(each);
    await until(() => ran.stdout.includes(last.id), { what: 'the last one', seen: () => `${ran.stdout}${ran.stderr}` });
    await log.close();
    stop.abort();
    await done;
    const lines = ran.stdout.trimEnd().split('\n').map((line) => JSON.parse(line)); // biome-ignore format: one line
    assert.deepEqual(lines.map(({ id, revision }) => `${id.slice(0, 4)} ${revision}`), [...expected, 'ffff 1']); // biome-ignore format: one line
  });
}
