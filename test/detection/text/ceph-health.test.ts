// Checks of a Ceph cluster by catalog/ceph-health.json: each is read by its code in every form that Ceph prints, begins and ends by itself, and has words of its own.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareFindings } from '../../../src/detection/text/programs/program-rows.ts';
import { ProgramLog } from '../../../src/detection/text/report/program-log.ts';
import { CEPH_CHECKS, cephCheck, ORDINARY_CHECKS } from '../../../src/model/ceph-checks.ts';
import { isKind } from '../../../src/model/kind.ts';
import { SEVERITIES } from '../../../src/model/severity.ts';

const HEAD = 'mon.stor-01 (mon.0) 8811 : cluster';

for (const { codes, kind, severity, example, title, do: does, now } of CEPH_CHECKS) {
  for (const code of codes.map((each) => each.replace('[A-Z]{3,12}', 'HOST')))
    test(`${code} is ${kind} in the log of a cluster, and in what ceph prints`, () => {
      assert.ok(isKind(kind) && (severity === undefined || SEVERITIES.includes(severity)));
      for (const line of [
        `${HEAD} [WRN] Health check failed: ${example} (${code})`,
        `${HEAD} [ERR] Health check update: ${example} (${code})`,
        `cluster [WRN] Health check failed: ${example} (${code})`,
        `0 log_channel(cluster) log [WRN] : Health check failed: ${example} (${code})`,
        `[WRN] ${code}: ${example}`,
        `${code} ${example}`,
      ]) {
        const found = bareFindings(line, 'node-1') ?? [];
        assert.deepEqual([found.map((each) => each.kind), found[0]?.attributes.check], [[kind], code], line);
        assert.equal(found[0]?.component?.id, line.startsWith('mon.') ? 'stor-01' : 'node-1', line);
        assert.equal(found[0]?.state, undefined);
      }
      const [over] = bareFindings(`${HEAD} [INF] Health check cleared: ${code} (was: ${example})`, 'node-1') ?? [];
      assert.deepEqual([over?.kind, over?.state, over?.discriminator], [kind, 'clear', code]);
    });

  test(`"${title}" says what to do in few words, and names no host`, () => {
    assert.ok(`${does} ${now}`.split(' ').length < 80, now);
    assert.doesNotMatch(`${does} ${now}`, /@/);
  });
}

test('what an operator set, groups that peer and codes that are not known are no event', () => {
  for (const code of ORDINARY_CHECKS) assert.equal(cephCheck(code), null, code);
  for (const line of [
    `${HEAD} [WRN] Health check failed: noout flag(s) set (OSDMAP_FLAGS)`,
    `${HEAD} [WRN] Health check failed: Reduced data availability: 4 pgs peering (PG_AVAILABILITY)`,
    `${HEAD} [WRN] Health check failed: 2 things are odd (ODD_THINGS)`,
    `${HEAD} [INF] Cluster is now healthy`,
    'see "Health check failed: 1 osds down (OSD_DOWN)" in the log',
    'FOO_BAR 12 of 14 tests passed',
  ])
    assert.equal(bareFindings(line, 'node-1'), null, line);
});

test('the head of what ceph health prints is its own, whatever follows', () => {
  for (const line of ['HEALTH_WARN 1/3 mons down, quorum a,c', '    health: HEALTH_ERR', 'HEALTH_OK'])
    assert.deepEqual(new ProgramLog('node-1').take(line)?.findings, [], line);
});
