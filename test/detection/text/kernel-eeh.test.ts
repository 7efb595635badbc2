// Devices that POWER's EEH freezes, and devices that root takes off the bus: faults the ones, planned the others.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelContext } from '../../../src/detection/text/kernel.ts';
import { decodeLines, START_MS } from './lines.ts';

/** Lines a second apart. */
const kinds = (...lines: string[]) =>
  decodeLines(lines, kernelContext('node-1'), START_MS, 1000).map(({ kind, component }) => [kind, component?.id]);

const REMOVED = 'pci 0000:43:00.0: Removing from iommu group 12';

test('a frozen endpoint is a fatal error of the bus, of the devices whose drivers hear of it', () => {
  assert.deepEqual(
    kinds(
      'EEH: Recovering PHB#41-PE#10000',
      'EEH: PE location: N/A, PHB location: N/A',
      'EEH: Frozen PHB#41-PE#10000 detected',
      'EEH: This PCI device has failed 1 times in the last hour and will be permanently disabled after 5 failures.',
      'PCI 0041:01:00.0#10000: EEH: Invoking mlx5_core->error_detected(IO frozen)',
      "PCI 0041:01:00.0#10000: EEH: mlx5_core driver reports: 'need reset'",
    ),
    [
      ['pcie.uncorrected_fatal', undefined],
      ['pcie.uncorrected_fatal', '0041:01:00.0'],
    ],
  );
  const fatal = [['pcie.uncorrected_fatal', undefined]];
  for (const line of [
    'EEH: eeh_dev_check_failure: Frozen PHB#0-PE#0 detected',
    'EEH: Frozen PE#fd on PHB#3 detected',
    'EEH: PHB#0 failure detected, location: N/A',
  ])
    assert.deepEqual(kinds(line), fatal, line);
  const older = 'EEH: PE#800000 (PCI 0384:80:00.0): Invoking bnx2x->error_detected(IO frozen)';
  assert.deepEqual(kinds(older), [['pcie.uncorrected_fatal', '0384:80:00.0']]);
});

test('what EEH gives up stays down', () => {
  for (const line of [
    'EEH: Unable to recover from failure from PHB#40-PE#10000.',
    'EEH: PHB#2-PE#fd has failed 6 times in the last hour and has been permanently disabled.',
  ])
    assert.deepEqual(kinds(line), [['pcie.link_down', undefined]], line);
});

test('a line that quotes EEH, an empty endpoint and a recovery that went well are no fault', () => {
  for (const line of [
    'python: EEH: Frozen PHB#41-PE#10000 detected',
    'EEH: Frozen PHB#41-PE#10000 is empty!',
    'EEH: Recovery successful.',
    "EEH: Beginning: 'error_detected(IO frozen)'",
  ])
    assert.deepEqual(kinds(line), [], line);
});

test('a device that root takes off the bus is planned; one that an error of the bus took is not', () => {
  assert.deepEqual(kinds(REMOVED), [['pcie.removed', '0000:43:00.0']]);
  const slotDown = 'pcieport 0000:42:01.0: pciehp: Slot(17): Link Down';
  assert.deepEqual(kinds(slotDown, REMOVED), [['pcie.link_down', '0000:42:01.0']]);
  const pressed = 'pcieport 0000:42:01.0: pciehp: Slot(17): Button press: will power off in 5 sec';
  const ordered = kinds(pressed, slotDown, REMOVED);
  assert.deepEqual(ordered.at(-1), ['pcie.removed', '0000:43:00.0'], 'powered off by its button');
  for (const line of [
    'vfio_mdev 11f2d2bc-4083-431d-a023-eff72715c4f0: Removing from iommu group 2',
    'app: pci 0000:43:00.0: Removing from iommu group 12',
  ])
    assert.deepEqual(kinds(line), [], line);
});
