// What is in force: defaults, units, paths, variables, topology, and where the file is looked for.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the configuration are what is tested

import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { checkConfig, loadConfigIfAllowed, readConfig } from '../../src/daemon/config.ts';
import { UNCHANGED } from '../../src/detection/user-rules/in-force.ts';
import { componentText } from '../../src/model/component.ts';
import { asAnybody } from '../as-anybody.ts';
import { load, surroundings } from './helpers.ts';

describe('without a file', () => {
  test('the defaults are in force', async () => {
    const { config } = await checkConfig('', null, surroundings());
    assert.deepEqual(config, {
      file: null,
      host: 'node-3',
      roots: { proc: '/proc', sys: '/sys' },
      directories: {
        state: '/home/u/.local/state/faultline',
        log: '/home/u/.local/state/faultline/log',
        runtime: '/home/u/.local/state/faultline/run',
      },
      api: { tcp: null, writeGroup: null },
      detection: { rules: [], detectors: UNCHANGED },
      sources: {
        gpu: {
          enabled: 'auto',
          library: 'libnvidia-ml.so.1',
          poll: true,
          intervalMs: 500,
          burstIntervalMs: 100,
          callDeadlineMs: 2000,
        },
        cpu: { enabled: 'auto', intervalMs: 500, fastIntervalMs: null },
        'kernel-log': { enabled: 'auto', path: '/dev/kmsg', userLines: false },
        system: { enabled: 'auto', intervalMs: 10_000, filesystems: ['/'], shm: '/dev/shm' },
        nic: { enabled: 'auto', intervalMs: 5_000, fabric: [] },
        hwmon: { enabled: 'auto', intervalMs: 5_000 },
        drm: { enabled: 'auto', intervalMs: 5_000 },
        pci: { enabled: 'auto', intervalMs: 15_000 },
        inventory: { enabled: 'auto', intervalMs: 30_000 },
        kubernetes: {
          enabled: 'auto',
          kubeletRoot: null,
          podLogs: '/var/log/pods',
          steps: ['pods_api', 'kubelet', 'api_server', 'api_metadata', 'log_names', 'pod_resources'],
          cdi: ['/var/run/cdi', '/etc/cdi'],
          intervalMs: 5000,
          node: 'node-3',
          tokenFile: null,
          kubelet: null,
          apiServer: null,
          userLabels: [],
        },
        processes: { enabled: 'auto', intervalMs: 2000, reader: '/run/faultline-environ/reader.sock' },
        pdu: [],
        bmc: [],
        slurm: {
          enabled: 'auto',
          intervalMs: 2_000,
          spreadMs: 10_000,
          nodeIntervalMs: 300_000,
          conf: null,
          programs: null,
          rest: null,
          jobFolder: null,
          jobMapping: null,
          plannedReasons: [
            'maint',
            'maintenance',
            'planned',
            'scheduled',
            'upgrade',
            'reboot asap',
            'reimage',
            'firmware update',
          ],
        },
        'job-log': { found: true, jobs: [], services: [], lines: [] },
        calendar: { files: [], intervalMs: 60_000 },
        'alerts-in': { listen: [], tokenDigest: null, tls: null, trust: 'tenant', expireMs: 18_000_000, generic: [] },
        'otlp-in': {
          listen: [],
          maxRequestBytes: 4_194_304,
          maxInFlightBytes: 33_554_432,
          bytesPerSecond: 16_777_216,
          maxServices: 64,
          histograms: [],
          hosts: [],
          work: [],
          linesPerSecond: 5000,
          shippers: [],
        },
        'run-folders': { folders: [], found: true },
        'after-crash': { enabled: 'auto', paths: [] },
        'logs-in': { listen: [], hosts: [], work: [], linesPerSecond: 5000, shippers: [] },
        'syslog-in': { listen: [], hosts: [], work: [], linesPerSecond: 5000, shippers: [] },
        journal: {
          enabled: 'off',
          paths: ['/var/log/journal', '/run/log/journal'],
          hosts: [],
          work: [],
          linesPerSecond: 5000,
        },
        'flight-recorder': { enabled: 'auto', intervalMs: 2000, processes: true, folders: [], trigger: false },
      },
      topology: { links: [] },
      correlation: { latenessMs: 30_000, holdMs: 30_000 },
      incidents: { maxBytes: 67_108_864, maxFiles: 10, maxAgeMs: 7_776_000_000 },
      impact: { rate: null },
      inject: true,
      simulated: false,
      silences: [],
      shadow: false,
      record: { path: null, maxBytes: 268_435_456 },
      otlp: null,
      prometheus: null,
      alertmanager: null,
      notify: null,
      acting: null,
      nvsentinel: null,
      logLevel: 'info',
    });
  });

  test('an empty file, and sections whose lines are all commented out, mean the same', async () => {
    const { config } = await checkConfig('', null, surroundings());
    for (const text of ['', '# nothing\n', 'sources:\n  pdu:\n  gpu:\ntopology:\n']) {
      assert.deepEqual({ ...(await load(text)).config, file: null }, config);
    }
  });

  test('folders are those of systemd, of root, or of the user', async () => {
    const directories = async (environment: Record<string, string>, uid: number) =>
      (await checkConfig('', null, { ...surroundings(environment), uid })).config.directories;
    assert.deepEqual(await directories({}, 0), {
      state: '/var/lib/faultline',
      log: '/var/log/faultline',
      runtime: '/run/faultline',
    });
    const systemd = { STATE_DIRECTORY: '/s/a:/s/b', LOGS_DIRECTORY: '/l', RUNTIME_DIRECTORY: '/r' };
    assert.deepEqual(await directories(systemd, 1000), { state: '/s/a', log: '/l', runtime: '/r' });
    assert.deepEqual(await directories({ XDG_STATE_HOME: '/x', XDG_RUNTIME_DIR: '/run/user/1000' }, 1000), {
      state: '/x/faultline',
      log: '/x/faultline/log',
      runtime: '/run/user/1000/faultline',
    });
  });
});

describe('a file', () => {
  test('is the one named, else that of $FAULTLINE_CONFIG', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fl-config-'));
    const [a, b] = [join(folder, 'a.yaml'), join(folder, 'b.yaml')];
    writeFileSync(a, 'host: a');
    writeFileSync(b, 'host: b');
    assert.equal((await readConfig(a, surroundings({ FAULTLINE_CONFIG: b }))).config.host, 'a');
    const { config } = await readConfig(undefined, surroundings({ FAULTLINE_CONFIG: b }));
    assert.deepEqual([config.host, config.file], ['b', b]);
  });

  test('sets units, relative paths and ranks', async () => {
    const text = [
      'sources:',
      '  gpu: {interval: 1s, burst_interval: 50ms, library: ./libfake.so}',
      '  kernel_log: {path: kmsg, user_lines: true}',
      '  job_log: [{job: llama, path: logs/a.log, ranks: "0-2, 8", world_size: 16}, {job: b, path: /b, ranks: [3, 1, 3]}]',
      '  service_log: [{service: chat, path: logs/chat.log}]',
      'incidents: {max_bytes: 1.5MiB, max_age: 1d}',
      'record: {path: rec.jsonl}',
    ].join('\n');
    const { config } = await checkConfig(text, '/etc/faultline/f.yaml', surroundings());
    assert.equal(config.sources.gpu.library, '/etc/faultline/libfake.so');
    assert.equal(config.sources.gpu.burstIntervalMs, 50);
    assert.deepEqual(config.sources['kernel-log'], { enabled: 'auto', path: '/etc/faultline/kmsg', userLines: true });
    assert.deepEqual(
      config.sources['job-log'].jobs.map(({ path, ranks, worldSize }) => [path, ranks, worldSize]),
      [
        ['/etc/faultline/logs/a.log', [0, 1, 2, 8], 16],
        ['/b', [1, 3], null],
      ],
    );
    assert.deepEqual(config.sources['job-log'].services, [{ service: 'chat', path: '/etc/faultline/logs/chat.log' }]);
    assert.deepEqual(config.incidents, { maxBytes: 1_572_864, maxFiles: 10, maxAgeMs: 86_400_000 });
    assert.equal(config.record.path, '/etc/faultline/rec.jsonl');
  });

  test('a price of a GPU-hour is a number, of a variable as well; without one there is no currency either', async () => {
    const rate = async (text: string, environment: Record<string, string> = {}) =>
      (await checkConfig(text, '/etc/faultline/f.yaml', surroundings(environment))).config.impact.rate;
    assert.deepEqual(await rate('impact: {gpu_hour_rate: 2.5, currency: EUR}'), { amount: 2.5, currency: 'EUR' });
    assert.deepEqual(await rate('impact: {gpu_hour_rate: 0}'), { amount: 0, currency: 'USD' });
    assert.deepEqual(await rate('impact: {gpu_hour_rate: "${RATE}"}', { RATE: '1.75' }), {
      amount: 1.75,
      currency: 'USD',
    });
    assert.equal(await rate('impact: {currency: EUR}'), null);
  });

  test('numbers that mean text stay text', async () => {
    const { config } = await load('sources: {pdu: [{name: 01, host: 10, version: 1, community: public}]}');
    assert.deepEqual(
      config.sources.pdu.map(({ name, host, version }) => [name, host, version]),
      [['01', '10', '1']],
    );
  });
});

describe('variables', () => {
  test('fill in strings, numbers and booleans; a default replaces what is unset or empty', async () => {
    const text =
      'host: "${NODE}.${DC:-here}"\nsources: {kernel_log: {user_lines: "${USER_LINES}"}, pdu: [{name: p, host: h, port: "${PORT}", community: "${C:-lab}"}]}';
    const { config } = await load(text, { NODE: 'n1', USER_LINES: 'true', PORT: '1161', C: '' });
    assert.equal(config.host, 'n1.here');
    assert.equal(config.sources['kernel-log'].userLines, true);
    assert.deepEqual(
      config.sources.pdu.map(({ port, community }) => [port, community]),
      [[1161, 'lab']],
    );
  });

  test('are not expanded twice, and $${ writes the characters', async () => {
    const { config } = await load('sources: {job_log: [{job: j, path: "/a/${A}/$${B}"}]}', { A: '${B}', B: 'no' });
    assert.equal(config.sources['job-log'].jobs[0]?.path, '/a/${B}/${B}');
  });
});

describe('topology', () => {
  const text = (link: string) => `sources: {pdu: [{name: pdu-b, host: h, community: public}]}\ntopology:\n${link}`;

  test('a supply feeds its host without being written, once', async () => {
    const { config } = await load(
      text(
        '  feeds:\n    - {from: pdu_phase/pdu-b/1, to: psu/node-3/1}\n    - {from: pdu_phase/pdu-b/2, to: psu/node-3/1}',
      ),
    );
    const shown = config.topology.links.map(
      ({ from, to, relation }) => `${componentText(from)} ${relation} ${componentText(to)}`,
    );
    assert.deepEqual(shown, [
      'pdu_phase/pdu-b/1 feeds psu/node-3/1',
      'psu/node-3/1 feeds host/node-3',
      'pdu_phase/pdu-b/2 feeds psu/node-3/1',
    ]);
    assert.ok(config.topology.links.every(({ source }) => source === 'configuration'));
  });

  test('PCI addresses are made canonical and sit on this host', async () => {
    const { config } = await load(text('  runs: [{from: gpu/9B:00, to: job/j}]'));
    assert.deepEqual(config.topology.links[0]?.from, { type: 'gpu', id: '0000:9b:00.0', host: 'node-3' });
  });

  test('a PDU that nothing reads is a warning, not an error', async () => {
    const { warnings } = await load(text('  feeds: [{from: pdu_phase/pdu-bb/1, to: psu/node-3/1}]'));
    assert.deepEqual(warnings, [
      'faultline.yaml:3:18: topology.feeds[0].from names pdu-bb, which no entry of sources.pdu reads. Did you mean: pdu-b [FL1112]',
    ]);
  });
});

describe('for what needs no configuration', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fl-config-'));
  chmodSync(folder, 0o755);
  const closed = join(folder, 'closed.yaml');
  writeFileSync(closed, 'host: other\n', { mode: 0 });

  test('a standard file that this user may not read leaves the defaults, with a note', async () => {
    const { config, note } = await asAnybody(() => loadConfigIfAllowed(undefined, surroundings(), closed));
    assert.deepEqual([config.file, config.host], [null, 'node-3']);
    assert.equal(note, `${closed} may not be read by this user: the built-in defaults are used`);
  });

  test('a file that a user named is not passed over', async () => {
    await asAnybody(async () => {
      await assert.rejects(loadConfigIfAllowed(closed, surroundings(), closed), /FL1101/);
      await assert.rejects(
        loadConfigIfAllowed(undefined, surroundings({ FAULTLINE_CONFIG: closed }), closed),
        /FL1101/,
      );
    });
  });
});
