// The health of a Ceph cluster without a line of a log: what `ceph -s` says under its head, and what `ceph health -f json-pretty` prints.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CEPH_CHECKS } from '../../../../src/model/ceph-checks.ts';
import { readReport } from './read-report.ts';

const checksIn = (text: string) => readReport(text).findings.map(({ kind, attributes }) => [kind, attributes.check]);

function status(...said: string[]): string {
  const checks = said.map((line) => `            ${line}`);
  return ['  cluster:', '    id:     0b7a', '    health: HEALTH_WARN', ...checks, ' ', '  services:', '    osd: 6 osds: 6 up'].join('\n'); // biome-ignore format: one status
}

test('ceph -s: a check without its code, by what it says', () => {
  const said = status(
    'Degraded data redundancy: 41/8211 objects degraded (0.499%), 6 pgs degraded, 2 pgs undersized',
    'noout,norebalance flag(s) set',
  );
  assert.deepEqual(checksIn(said), [['storage.degraded', 'PG_DEGRADED']]);
  for (const { kind, example, only } of CEPH_CHECKS)
    if (only === undefined || new RegExp(only).test(example))
      assert.equal(readReport(status(example)).findings[0]?.kind, kind, example);
});

test('ceph -s: what is set on purpose, and the same words elsewhere, are no event', () => {
  assert.deepEqual(checksIn(status('noout flag(s) set', 'Reduced data availability: 4 pgs peering')), []);
  assert.deepEqual(checksIn('            Degraded data redundancy: 41/8211 objects degraded (0.499%)'), []);
  assert.deepEqual(checksIn(status().replace('WARN', 'OK')), []);
});

const asJson = (checks: object) => JSON.stringify({ status: 'HEALTH_WARN', checks, mutes: [] }, null, 4);

test('ceph health in JSON, with the message as summary and as older releases have it', () => {
  const severity = 'HEALTH_WARN';
  const checks = {
    OSD_DOWN: { severity, message: '3 osds down', detail: ['osd.4 (root=default,host=stor-2) is down'] },
    MON_DOWN: { severity, summary: { message: '1/3 mons down, quorum a,b', count: 1 }, muted: false },
    OSDMAP_FLAGS: { severity, summary: { message: 'noout flag(s) set', count: 1 }, muted: false },
  };
  assert.deepEqual(checksIn(asJson(checks)), [
    ['storage.stall', 'OSD_DOWN'],
    ['storage.degraded', 'MON_DOWN'],
  ]);
  assert.deepEqual(checksIn(asJson({})), []);
  assert.deepEqual(checksIn(asJson(checks).replace('"checks"', '"tests"')), []);
});

test('OSDs that are full are read in the form before Ceph 12 as well, which has no codes', () => {
  const { findings } = readReport(
    'HEALTH_ERR 1 nearfull osds, 1 full osds\nosd.2 is near full at 85%\nosd.3 is full at 97%\n',
  );
  assert.deepEqual(
    findings.map(({ kind, attributes }) => [kind, attributes?.part]),
    [
      ['storage.filling', 'osd.2'],
      ['storage.full', 'osd.3'],
    ],
  );
});
