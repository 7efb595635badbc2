// Lines of known drivers and file systems that have no row: what is a fault in any words is reported, and what is said on an ordinary day is not.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import catalog from '#catalog/kernel-fault-words.json' with { type: 'json' };
import { SPEAKERS, UNLISTED_WORDS } from '../../../src/detection/text/kernel/unlisted-line.ts';
import { decodeKernelLine, kernelContext } from '../../../src/detection/text/kernel.ts';
import { componentText } from '../../../src/model/component.ts';
import { isKind } from '../../../src/model/kind.ts';
import { SEVERITIES } from '../../../src/model/severity.ts';
import { kernelRecord } from './lines.ts';

function reported(line: string, level?: number): string[] {
  const record = kernelRecord(line);
  const of = { ...record, attributes: level === undefined ? {} : { priority: level, facility: 0 } };
  return decodeKernelLine(of, kernelContext('node-1')).map(
    ({ kind, component }) => `${kind} ${component === null ? '?' : componentText(component)}`,
  );
}

test('each speaker and class has words of the closed lists', () => {
  const classes = new Set(catalog.classes.map(({ name }) => name));
  for (const { kinds } of SPEAKERS)
    for (const [name, kind] of Object.entries(kinds)) assert.ok(classes.has(name) && isKind(kind), `${name} ${kind}`);
  for (const { name, severity } of catalog.classes)
    assert.ok(
      SEVERITIES.some((word) => word === severity),
      name,
    );
});

/** In the words of drivers' sources that no row has. */
const FAULTS: readonly (readonly [line: string, expected: string])[] = [
  ['qede 0000:af:00.0 ens5f0: firmware assert, recovery failed', 'nic.firmware_fault nic/0000:af:00.0'],
  ['qed 0000:af:00.0: mailbox command 0x13 timed out', 'nic.command_timeout nic/0000:af:00.0'],
  ['lpfc 0000:af:00.0: adapter did not respond', 'storage.io_error host/node-1'],
  ['mpt3sas_cm0: host is not operational: device is dead', 'storage.io_error host/node-1'],
  ['amdgpu 0000:c1:00.0: amdgpu: soft reset failed, will fallback to full reset!', 'gpu.fault gpu/0000:c1:00.0'],
  ['XFS (nvme0n1p2): ondisk log corrupt, shutting down fs!', 'storage.io_error disk/nvme0'],
  ['md/raid:md0: journal disk is missing, force array readonly', 'storage.io_error host/node-1'],
  ['JBD2: journal checksum error', 'storage.io_error host/node-1'],
  ['sd 3:0:0:0: [sdd] tag#53 device offline or changed', 'storage.io_error disk/sdd'],
];

test('a fault is reported of the device that the line names, in whatever words', () => {
  for (const [line, expected] of FAULTS) {
    assert.deepEqual(reported(line), [expected], line);
    assert.ok(
      UNLISTED_WORDS.some((word) => line.includes(word)),
      line,
    );
  }
});

test('a note, or what a driver tells on an ordinary day, is none', () => {
  for (const [line] of FAULTS) assert.deepEqual(reported(line, 6), [], line);
  for (const line of [
    'qede 0000:af:00.0 ens5f0: Link is up',
    'ice 0000:31:00.0: Failed to allocate memory, timed out',
    'i40e 0000:3b:00.0: Resuming from non-fatal error, do nothing.',
    'i40e 0000:3b:00.0 ens3f0: Autoneg did not complete so changing settings may not result in an actual change.',
    'megaraid_sas 0000:c1:00.0: Application firmware crash dump mode set failed',
    'amdgpu 0000:c1:00.0: amdgpu: 3 correctable hardware errors detected in umc block',
    'nvme nvme0: Shutdown timeout set to 10 seconds',
    'nvme nvme0: 32/0/0 default/read/poll queues',
    'sd 0:0:0:0: [sda] Write cache: enabled, read cache: enabled, supports DPO and FUA',
    'ata3: SATA link up 6.0 Gbps (SStatus 133 SControl 300)',
    'XFS (dm-0): Ending clean mount',
    'XFS (dm-0): Starting recovery (logdev: internal)',
    'EXT4-fs (sda1): recovery complete',
    'device-mapper: verity-fec: 253:0: FEC 1489: corrected 36 errors',
    'snd_hda_intel 0000:c1:00.1: azx_get_response timeout, fatal',
  ])
    assert.deepEqual(reported(line), [], line);
});

test('what a user may have chosen is not read', () => {
  for (const line of [
    'mlx5_core 0000:86:00.0 fatal0: renamed from eth0',
    "nvme nvme0: creating queue for 'fatal hardware error'",
    'EXT4-fs (sda1): mounted filesystem, label corrupt uncorrectable',
    'xe 0000:03:00.0: [drm] process fatal timed out',
    'BTRFS error (device loop3): data corrupt',
  ])
    assert.deepEqual(reported(line), [], line);
});
