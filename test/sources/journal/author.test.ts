// Whose words a line of the journal is: root runs what passes on the words of users, so that root alone proves nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeKernelLine, kernelContext } from '../../../src/detection/text/kernel.ts';
import type { TextRecord } from '../../../src/model/record.ts';
import { authorTrust } from '../../../src/sources/journal/author.ts';
import { entryLine } from '../../../src/sources/journal/entry-line.ts';
import { TextIntake } from '../../../src/sources/text-in/text-intake.ts';

const OWN = {
  _TRANSPORT: 'syslog',
  SYSLOG_IDENTIFIER: 'nv-fabricmanager',
  _UID: '0',
  _COMM: 'nv-fabricmanager',
  _EXE: '/usr/bin/nv-fabricmanager',
  _SYSTEMD_UNIT: 'nvidia-fabricmanager.service',
};
const trustOf = (fields: Record<string, string>) => authorTrust(new Map(Object.entries(fields)));

test('a program’s words in its own unit are the system’s', () => {
  assert.equal(trustOf(OWN), 'system');
  assert.equal(trustOf({ ...OWN, SYSLOG_IDENTIFIER: 'chronyd', _EXE: '/usr/sbin/chronyd', _SYSTEMD_UNIT: 'chrony.service' }), 'system'); // biome-ignore format: one line
});

const MANAGER = { _TRANSPORT: 'journal', SYSLOG_IDENTIFIER: 'systemd', _PID: '1', _UID: '0', _COMM: 'systemd', _EXE: '/usr/lib/systemd/systemd', _SYSTEMD_UNIT: 'init.scope' }; // biome-ignore format: one line

test('what process 1 says of the units of the driver is the system’s, and is read', () => {
  const events = (fields: Record<string, string>) => {
    const entry = {
      fields: new Map(Object.entries(fields)),
      seqnum: 1,
      row: '5.1',
      bootId: '',
      wallMs: Date.now(),
      cost: 0,
    };
    const line = entryLine(entry, { stream: 'journal/system', remote: false, history: false, host: null }, []) ?? assert.fail(); // biome-ignore format: one line
    const records: TextRecord[] = [];
    const now = Date.now;
    const intake = new TextIntake({ source: 'journal', host: 'node-1', hosts: [], linesPerSecond: 100, now, steady: (ms) => ms, kernel: () => true }); // biome-ignore format: one line
    intake.take(line, { text: (record) => records.push(record), samples() {}, event() {}, discovery() {} });
    return records.flatMap((record) => decodeKernelLine(record, kernelContext('node-1')).map(({ kind, trust }) => [kind, trust])); // biome-ignore format: one line
  };
  const stopping = 'Stopping nvidia-fabricmanager.service - NVIDIA fabric manager service...';
  const failed = "nvidia-fabricmanager.service: Failed with result 'exit-code'.";
  const said = { ...MANAGER, SYSLOG_FACILITY: '3' };
  assert.deepEqual(events({ ...said, MESSAGE: stopping }), [['fabric_manager.stopped', 'system']]);
  assert.deepEqual(events({ ...said, MESSAGE: failed }), [['fabric_manager.error', 'system']]);
  const users = { ...said, _PID: '2231', _UID: '1000', _SYSTEMD_UNIT: 'user@1000.service', MESSAGE: stopping };
  assert.deepEqual(events(users), []);
  assert.equal(trustOf({ ...said, _PID: '2231', _SYSTEMD_UNIT: 'user@0.service' }), 'tenant', 'root’s own manager');
});

const { _EXE: _exe, ...withoutExe } = OWN;
const { _SYSTEMD_UNIT: _unit, ...withoutUnit } = OWN;
const RELAYED: Readonly<Record<string, Record<string, string>>> = {
  'a user': { ...OWN, _UID: '1000' },
  'logger of root': { ...OWN, _COMM: 'logger', _EXE: '/usr/bin/logger', _SYSTEMD_UNIT: 'session-4.scope' },
  dockerd: { ...OWN, _COMM: 'dockerd', _EXE: '/usr/bin/dockerd', _SYSTEMD_UNIT: 'docker.service', CONTAINER_NAME: 'x' },
  'dockerd without its fields': { ...OWN, _COMM: 'dockerd', _EXE: '/usr/bin/dockerd', _SYSTEMD_UNIT: 'docker.service' },
  containerd: { ...OWN, _EXE: '/usr/bin/containerd', _SYSTEMD_UNIT: 'containerd.service' },
  conmon: { ...OWN, _COMM: 'conmon', _EXE: '/usr/bin/conmon', _SYSTEMD_UNIT: 'libpod-conmon-1.scope' },
  podman: { ...OWN, _EXE: '/usr/bin/podman', _SYSTEMD_UNIT: 'podman.service', IMAGE_NAME: 'x' },
  rsyslogd: { ...OWN, _COMM: 'rsyslogd', _EXE: '/usr/sbin/rsyslogd', _SYSTEMD_UNIT: 'rsyslog.service' },
  'systemd-coredump': {
    ...OWN,
    _EXE: '/usr/lib/systemd/systemd-coredump',
    _SYSTEMD_UNIT: 'systemd-coredump@1.service',
  },
  'root of a container, by the same name': { ...OWN, _SYSTEMD_UNIT: 'docker-0123.scope' },
  'a container within the unit': { ...OWN, CONTAINER_ID: '0123' },
  'another program in the unit': { ...OWN, _EXE: '/usr/bin/cat' },
  'the name of another program': { ...OWN, SYSLOG_IDENTIFIER: 'chronyd' },
  'a name that begins like it': { ...OWN, SYSLOG_IDENTIFIER: 'nv-fabricmanager[1]' },
  'into /dev/kmsg': { ...OWN, _TRANSPORT: 'kernel', SYSLOG_FACILITY: '1' },
  'a unit of a user’s own manager': { ...withoutUnit, _SYSTEMD_USER_UNIT: 'nvidia-fabricmanager.service' },
  'no executable known': withoutExe,
};

for (const [whose, fields] of Object.entries(RELAYED))
  test(`a tenant’s: ${whose}`, () => assert.equal(trustOf(fields), 'tenant'));
