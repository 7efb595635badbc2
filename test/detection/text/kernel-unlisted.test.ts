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
  ['hfi1 0000:05:00.0: hfi1_0: Aborted freeze recovery. Please REBOOT system', 'nic.firmware_fault nic/0000:05:00.0'],
  ['hfi1 0000:05:00.0: hfi1_0: QSFP: Cable TX channel 1/2 power too high', 'nic.link_degraded nic/0000:05:00.0'],
  [
    '[qed_mcp_cmd_and_union:712(0000:af:00.0)]The MFW failed to respond to command 0x13.',
    'nic.firmware_fault nic/0000:af:00.0',
  ],
  ['idpf 0000:af:00.0: Device reset timeout!', 'nic.command_timeout nic/0000:af:00.0'],
  ['ionic 0000:af:00.0: No bars found, aborting', 'nic.firmware_fault nic/0000:af:00.0'],
  ['be2net 0000:af:00.0: EEH error detected', 'nic.pci_error nic/0000:af:00.0'],
  ['vmxnet3 0000:0b:00.0 ens192: failed to re-activate, error -22. Closing it', 'nic.firmware_fault nic/0000:0b:00.0'],
  ['habanalabs 0000:19:00.0: Timeout while waiting for QMAN to stop', 'gpu.firmware_error gpu/0000:19:00.0'],
  [
    'intel_vpu 0000:00:0b.0: [drm] *ERROR* ivpu_boot(): Failed to boot the firmware: -110',
    'gpu.fault gpu/0000:00:0b.0',
  ],
  ['accel accel0: PCI failure state error detected', 'gpu.fault ?'],
  ['qla2xxx [0000:05:00.0]-803b:6: Firmware ready **** FAILED ****.', 'storage.io_error host/node-1'],
  ['lpfc 0000:af:00.0: 0:3190 Over Temperature:98 Celsius- Port Name 1', 'host.overtemp host/node-1'],
  ['mpi3mr0: controller is unrecoverable', 'storage.io_error host/node-1'],
  [
    'cxl_pci 0000:35:00.0: mem0: frozen state error detected, disable CXL.mem',
    'pcie.uncorrected_fatal pcie/0000:35:00.0',
  ],
  ['block nbd0: Receive control failed (result -32)', 'storage.io_error host/node-1'],
  ['F2FS-fs (nvme1n1): NAT is corrupt, run fsck to fix it', 'storage.io_error disk/nvme1'],
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
    'megaraid_sas 0000:03:00.0: FW provided TM TaskAbort/Reset timeout\t: 6 secs/60 secs',
    'megaraid_sas 0000:03:00.0: firmware crash dump\t: no',
    'mpi3mr0: ready timeout: 510 seconds',
    'lpfc 0000:af:00.0: 0:0488 PCI enable MSI mode failed (-22)',
    'ionic 0000:af:00.0: Cannot allocate netdev, aborting',
    'ena 0000:00:05.0 ens5: Failed to set mtu 9100. error: -22',
    'ice 0000:31:00.0: Failed to load optional firmware, error -2',
    'amdgpu 0000:c1:00.0: Direct firmware load for amdgpu/x.bin failed with error -2',
    'rvu_nicpf 0000:31:00.0: AF not responding to mailbox, deferring probe',
    'bnxt_en 0000:31:00.0: probe failed with error -517',
    'qlcnic 0000:31:00.0: Failed to reset LED blink state.',
    'nvme nvme3: I/O 415 QID 7 timeout, completion polled',
    'be2net 0000:31:00.0: Re-trying adapter recovery',
    'habanalabs 0000:19:00.0: failed to initialize debugfs entry structure',
    'cxl_pci 0000:35:00.0: Failed to get interrupt for event Fatal log',
    'lpfc 0000:af:00.0: 0:3198 Firmware write complete: System reboot required to instantiate',
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
