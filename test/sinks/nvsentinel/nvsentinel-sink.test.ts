import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { checkConfig } from '../../../src/daemon/config.ts';
import type { Incident } from '../../../src/model/incident.ts';
import type { Silence } from '../../../src/model/note.ts';
import type { SinkContext } from '../../../src/sinks/define-sink.ts';
import { Backoff } from '../../../src/sinks/delivery/send/backoff.ts';
import { createNvsentinelSink, type NvsentinelSink } from '../../../src/sinks/nvsentinel/nvsentinel-sink.ts';
import type { NvsentinelConfig } from '../../../src/sinks/nvsentinel/settings.ts';
import { event, gpu, link, incident as sampleIncident, T0 } from '../../incidents/sample.ts';
import { until } from '../../until.ts';
import { sinkContext } from '../context.ts';
import { later, over } from '../notify/harness.ts';
import { Connector, status } from './connector.ts';
import { config } from './harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'fl-nvs-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function lost(id: string, index: number, more: Partial<Incident> = {}): Incident {
  const { alias, ...device } = { ...gpu(index), alias: '' };
  const root = event(
    `e-${id}`,
    'gpu.lost',
    { ...device, aliases: ['gpu 0', 'GPU-0aaa0bbb-0000'] },
    {
      severity: 'critical',
      attributes: { xid: 79 },
      evidence: [
        { source: 'kernel-log', timeMs: T0, text: 'NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus.' },
      ],
    },
  );
  return sampleIncident(id, {
    severity: 'critical',
    title: `GPU lost on gpu ${index}`,
    confidence: 0.95,
    root: { eventId: root.id, kind: 'gpu.lost', component: root.component },
    events: [root],
    chain: [link(root)],
    action: { kind: 'drain_reset_gpu', target: root.component, why: '' },
    ...more,
  });
}

async function started(name: string, settings: NvsentinelConfig, more: Partial<SinkContext> = {}) {
  const context = sinkContext(join(folder, name), more);
  const sink: NvsentinelSink = await createNvsentinelSink(settings, context, {
    backoff: () => new Backoff(() => 0, 20, 50),
  });
  sink.start(new AbortController().signal);
  return { sink, context };
}

async function connector(name: string): Promise<Connector> {
  const made = await new Connector(join(folder, `${name}.sock`)).start();
  after(() => made.stop());
  return made;
}

test('an incident is an unhealthy event with device, code, action and trace, and at its end a healthy one of the same check', async () => {
  const there = await connector('one');
  const { sink } = await started('one', config(there.socket));
  const open = lost('aaaaaaaaaaaa', 0);
  sink.incident(open);
  await until(() => there.heard.length === 1);
  sink.incident(later(open, { confidence: 0.96 }));
  sink.incident(over(later(open, { confidence: 0.96 })));
  await until(() => there.heard.length === 2);
  const [bad, good] = there.heard;
  assert.deepEqual(
    [
      bad?.version,
      bad?.agent,
      bad?.componentClass,
      bad?.checkName,
      bad?.isFatal,
      bad?.isHealthy,
      bad?.recommendedAction,
      bad?.errorCode,
      bad?.nodeName,
      bad?.processingStrategy,
    ],
    [
      1,
      'faultline',
      'GPU',
      'FaultlineGpuLost',
      true,
      false,
      'COMPONENT_RESET',
      ['79'],
      'worker-7',
      'EXECUTE_REMEDIATION',
    ],
  );
  const entities = [
    { entityType: 'PCI', entityValue: '0000:1b:00.0' },
    { entityType: 'GPU_UUID', entityValue: 'GPU-0aaa0bbb-0000' },
  ];
  assert.deepEqual(bad?.entitiesImpacted, entities);
  assert.deepEqual(
    [bad?.metadata.trace_id, bad?.metadata.incident_id, bad?.metadata.kind],
    [open.traceId, open.id, 'gpu.lost'],
  );
  assert.match(bad?.message ?? '', /drain the jobs from node-3 gpu 0.*faultline explain aaaaaa/);
  assert.equal(bad?.generatedTimestamp.seconds, Math.floor(open.updatedMs / 1000));
  assert.deepEqual(
    [good?.checkName, good?.isHealthy, good?.isFatal, good?.recommendedAction, good?.entitiesImpacted],
    ['FaultlineGpuLost', true, false, 'NONE', entities],
  );
  await sink.stop();
});

test('never fatal: what is unconfirmed, unsure, without a root, injected, or less severe; never more than asked for', async () => {
  const there = await connector('fatal');
  const { sink } = await started('fatal', config(there.socket));
  sink.incident(lost('bbbbbbbbbb01', 1, { unconfirmed: 'the kernel log' }));
  sink.incident(lost('bbbbbbbbbb02', 2, { confidence: 0.5 }));
  sink.incident(lost('bbbbbbbbbb03', 3, { rootKnown: false }));
  sink.incident(lost('bbbbbbbbbb04', 4, { made: 'injected' }));
  sink.incident(lost('bbbbbbbbbb05', 5, { severity: 'error' }));
  sink.incident(lost('bbbbbbbbbb06', 6, { severity: 'warning' }));
  sink.incident(lost('bbbbbbbbbb07', 7, { action: { kind: 'check_power_feed', target: null, why: '' } }));
  await until(() => there.heard.length === 6);
  const short = there.heard.map((one) => [
    one.isFatal,
    one.recommendedAction,
    one.customRecommendedAction,
    one.processingStrategy,
  ]);
  assert.deepEqual(short, [
    [false, 'NONE', '', 'STORE_ONLY'],
    [false, 'NONE', '', 'STORE_ONLY'],
    [false, 'NONE', '', 'STORE_ONLY'],
    [false, 'COMPONENT_RESET', '', 'STORE_ONLY'],
    [false, 'COMPONENT_RESET', '', 'EXECUTE_REMEDIATION'],
    [true, 'CUSTOM', 'CHECK_POWER_FEED', 'EXECUTE_REMEDIATION'],
  ]);
  await sink.stop();
});

test('a root that is revised clears the check of before; two incidents of one check are cleared with the last', async () => {
  const there = await connector('revised');
  const { sink } = await started('revised', config(there.socket));
  const first = lost('cccccccccc01', 0);
  const twin = lost('cccccccccc02', 0);
  sink.incident(first);
  sink.incident(twin);
  sink.incident(over(twin));
  const other = { ...first.root, kind: 'pcie.link_down' as const };
  const revised = later(first, { root: other });
  await until(() => there.heard.length === 2);
  sink.incident(revised);
  // The end of the twin may still be on its way and clear the check once more, by then rightly.
  const checks = () => [...there.state()].map(([check, isHealthy]) => `${check.split(' ')[0]} ${isHealthy}`).sort();
  await until(() => checks().join() === 'FaultlineGpuLost true,FaultlinePcieLinkDown false');
  sink.incident(over(revised));
  await until(() => [...there.state().values()].every((isHealthy) => isHealthy));
  await sink.stop();
});

test('a connector that is not there, hangs, is busy, fails and refuses: all arrives, and what is over by then is for the record alone', async () => {
  const there = new Connector(join(folder, 'down.sock'));
  after(() => there.stop());
  const { sink, context } = await started('down', config(there.socket, { timeoutMs: 150 }));
  const [gone, stays] = [lost('dddddddddd01', 1), lost('dddddddddd02', 2)];
  for (const one of [gone, stays, over(gone)]) sink.incident(one);
  await until(() => context.logged.some(({ code }) => code === 'FL3541'));
  const bad = [
    status.UNAVAILABLE,
    status.RESOURCE_EXHAUSTED,
    status.INTERNAL,
    status.UNAUTHENTICATED,
    'silent',
  ] as const;
  there.react = (number) => bad[number - 1] ?? null;
  await there.start();
  await until(() => there.heard.length === 3, {
    seen: () => JSON.stringify([there.asked, context.logged, sink.counts(), there.heard]),
  });
  assert.deepEqual(
    there.heard.map(({ metadata, isHealthy, isFatal, processingStrategy }) => [
      metadata.incident_id,
      isHealthy,
      isFatal,
      processingStrategy,
    ]),
    [
      [gone.id, false, false, 'STORE_ONLY'],
      [stays.id, false, true, 'EXECUTE_REMEDIATION'],
      [gone.id, true, false, 'EXECUTE_REMEDIATION'],
    ],
  );
  there.react = () => status.INVALID_ARGUMENT;
  sink.incident(over(stays));
  await until(() => context.logged.some(({ code }) => code === 'FL3544'));
  await sink.stop();
});

test('restarted: nothing twice, what ended meanwhile is cleared, what opened meanwhile is sent', async () => {
  const there = await connector('again');
  const settings = config(there.socket);
  const [ends, stays, opens] = [lost('eeeeeeeeee01', 1), lost('eeeeeeeeee02', 2), lost('eeeeeeeeee03', 3)];
  const first = await started('again', settings);
  for (const one of [ends, stays]) first.sink.incident(one);
  await until(() => there.heard.length === 2);
  await first.sink.stop();
  const known = [over(ends), stays, opens];
  const second = await started('again', settings, { restored: [stays, opens], known });
  await until(() => there.heard.length === 4);
  assert.deepEqual(
    there.heard.slice(2).map(({ metadata, isHealthy }) => [metadata.incident_id, isHealthy]),
    [
      [ends.id, true],
      [opens.id, false],
    ],
  );
  await second.sink.stop();
  assert.equal(there.heard.length, 4);
});

test('a silence holds back what is new; the token is read for each call', async () => {
  const there = await connector('token');
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, 'first\n', { mode: 0o600 });
  const silence = { kind: 'silence' } as Silence; // which one it is does not matter here
  const { sink } = await started('token', config(there.socket, { tokenFile }), {
    silenced: (labels) => (labels.component?.includes('gpu/0000:1c:00.0') === true ? silence : null),
  });
  sink.incident(lost('ffffffffff01', 1));
  sink.incident(lost('ffffffffff02', 2));
  await until(() => there.heard.length === 1);
  writeFileSync(tokenFile, 'second\n');
  sink.incident(lost('ffffffffff03', 3));
  await until(() => there.heard.length === 2);
  assert.deepEqual(
    there.metadata.map((each) => each.get('authorization')),
    [['Bearer first'], ['Bearer second']],
  );
  await sink.stop();
});

test('from the configuration: off without a socket, safe by default', async () => {
  const around = { environment: {}, uid: 0, home: '/', hostname: 'node-3' };
  const off = await checkConfig('host: node-3', 'faultline.yaml', around);
  assert.equal(off.config.nvsentinel, null);
  const on = await checkConfig(
    'nvsentinel: {socket: "unix:///var/run/nvsentinel.sock"}',
    '/etc/faultline.yaml',
    around,
  );
  const { socket, processing, fatal, minConfidence, nodeName } = on.config.nvsentinel ?? {};
  assert.deepEqual(
    [socket, processing, fatal, minConfidence, nodeName],
    ['/var/run/nvsentinel.sock', 'store_only', 'critical', 0.8, null],
  );
});
