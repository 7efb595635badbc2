// Lines of systemd that the fabric manager does not run: process 1 alone, by the name of its unit.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeKernelLine, kernelContext } from '../../../src/detection/text/kernel.ts';
import { kernelRecord } from './lines.ts';

function reported(text: string, facility = 3): unknown[] {
  const record = kernelRecord(text);
  const said = { ...record, trust: 'tenant', attributes: { priority: 4, facility } } as const;
  return decodeKernelLine(said, kernelContext('node-1')).map(({ kind, component, attributes }) => [kind, component?.id, attributes?.result]); // biome-ignore format: one line
}

const FAILED = [['fabric_manager.error', 'node-1', 'exit-code']];
const NOT_STARTED = [['fabric_manager.error', 'node-1', undefined]];

test('a unit that failed or did not start is a fault of the fabric manager', () => {
  assert.deepEqual(reported("systemd[1]: nvidia-fabricmanager.service: Failed with result 'exit-code'."), FAILED);
  assert.deepEqual(
    reported('systemd[1]: Failed to start nvidia-fabricmanager.service - NVIDIA fabric manager service.'),
    NOT_STARTED,
  );
  assert.deepEqual(reported('systemd[1]: Failed to start NVIDIA fabric manager service.'), NOT_STARTED);
});

test('a service of the driver that is stopped by order is planned; that it stopped by itself is not', () => {
  const stopped = [['fabric_manager.stopped', 'node-1', undefined]];
  assert.deepEqual(reported('systemd[1]: Stopping nvidia-fabricmanager.service - NVIDIA fabric manager service...'), stopped); // biome-ignore format: one line
  assert.deepEqual(reported('systemd[1]: Stopping NVIDIA fabric manager service...'), stopped);
  const other = [['driver.service_stopped', 'node-1', undefined]];
  assert.deepEqual(reported('systemd[1]: Stopping nvidia-dcgm.service - NVIDIA DCGM service...'), other);
  assert.deepEqual(reported('systemd[1]: Stopping NVIDIA Persistence Daemon...'), other);
  for (const text of [
    'systemd[1]: Stopped nvidia-fabricmanager.service - NVIDIA fabric manager service.',
    'systemd[1]: Stopping nvidia-dcgm-exporter.service - exporter...',
    'systemd[2231]: Stopping nvidia-dcgm.service - NVIDIA DCGM service...',
    'app[7]: systemd[1]: Stopping nvidia-dcgm.service - NVIDIA DCGM service...',
  ])
    assert.deepEqual(reported(text), [], text);
});

test('another unit, a user’s own manager and a line that quotes one are none', () => {
  for (const text of [
    "systemd[1]: nvidia-fabricmanager-exporter.service: Failed with result 'exit-code'.",
    "systemd[1]: nvidia-something.service: Failed with result 'exit-code'.",
    "systemd[2231]: nvidia-fabricmanager.service: Failed with result 'exit-code'.",
    "app[7]: systemd[1]: nvidia-fabricmanager.service: Failed with result 'exit-code'.",
    'systemd[1]: Started nvidia-fabricmanager.service - NVIDIA fabric manager service.',
    'systemd[1]: nvidia-fabricmanager.service: Deactivated successfully.',
  ])
    assert.deepEqual(reported(text), [], text);
});
