// Lines of systemd on services that a node needs: process 1 alone, by the name or the description of the unit.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeKernelLine, kernelContext } from '../../../src/detection/text/kernel.ts';
import { kernelRecord } from './lines.ts';

function reported(line: string): string[] {
  const record = kernelRecord(line);
  const of = { ...record, attributes: { ...record.attributes, facility: 3 } };
  return decodeKernelLine(of, kernelContext('node-1')).map(
    ({ kind, attributes }) => `${kind} ${attributes?.unit} ${attributes?.result ?? ''}`,
  );
}

test('a service that failed, or did not start, is its own kind', () => {
  const lines: readonly (readonly [line: string, expected: string])[] = [
    [
      "systemd[1]: nvidia-imex.service: Failed with result 'exit-code'.",
      'fabric_manager.error nvidia-imex.service exit-code',
    ],
    ["systemd[1]: slurmd.service: Failed with result 'core-dump'.", 'host.degraded slurmd.service core-dump'],
    ['systemd[1]: Failed to start Slurm node daemon.', 'host.degraded slurmd.service '],
    ['systemd[1]: Failed to start slurmd.service - Slurm node daemon.', 'host.degraded slurmd.service '],
    ["systemd[1]: kubelet.service: Failed with result 'exit-code'.", 'host.not_ready kubelet.service exit-code'],
    ["systemd[1]: nvidia-dcgm.service: Failed with result 'signal'.", 'host.degraded nvidia-dcgm.service signal'],
    ['systemd[1]: Failed to start NVIDIA Persistence Daemon.', 'host.degraded nvidia-persistenced.service '],
    ["systemd[1]: openibd.service: Failed with result 'timeout'.", 'host.degraded openibd.service timeout'],
    ['systemd[1]: Failed to start containerd container runtime.', 'host.not_ready containerd.service '],
    [
      'systemd[1]: nvidia-fabricmanager.service: Control process exited, code=exited, status=1/FAILURE',
      'fabric_manager.error nvidia-fabricmanager.service 1/FAILURE',
    ],
    [
      'systemd[1]: slurmd.service: Main process exited, code=dumped, status=6/ABRT',
      'host.degraded slurmd.service 6/ABRT',
    ],
    ["systemd[1]: named.service: Failed with result 'oom-kill'.", 'host.degraded named.service oom-kill'],
    ["systemd[1]: site-api.service: Failed with result 'oom-kill'.", 'host.degraded site-api.service oom-kill'],
    ['systemd[1]: Failed to mount scratch.mount - /scratch.', 'host.degraded scratch.mount '],
    ['systemd[1]: Failed to mount mnt-lustre\\x2dwork.mount - Work.', 'host.degraded mnt-lustre\\x2dwork.mount '],
    ['systemd[1]: Failed to mount /scratch.', 'host.degraded /scratch '],
  ];
  for (const [line, expected] of lines) assert.deepEqual(reported(line), [expected], line);
});

test('other services, the words of a user, and what went well are passed over', () => {
  const lines = [
    "systemd[1]: logrotate.service: Failed with result 'exit-code'.",
    "systemd[1]: user@1000.service: Failed with result 'oom-kill'.",
    "systemd[1]: run-u812.service: Failed with result 'oom-kill'.",
    'systemd[1]: Failed to start Daily apt download activities.',
    "systemd[812]: kubelet.service: Failed with result 'exit-code'.",
    'systemd[1]: Started kubelet: The Kubernetes Node Agent.',
    'systemd[1]: kubelet.service: Scheduled restart job, restart counter is at 3.',
    'systemd[1]: slurmd.service: Deactivated successfully.',
    'systemd[1]: slurmd.service: Main process exited, code=exited, status=0/SUCCESS',
    'systemd[1]: slurmd.service: Main process exited, code=killed, status=15/TERM',
    'systemd[1]: ssh.service: Main process exited, code=exited, status=255/EXCEPTION',
    "systemd[1]: my-slurmd.service: Failed with result 'exit-code'.",
    'systemd[1]: Mounted scratch.mount - /scratch.',
    'systemd[1]: Failed to mount the files that the user wants, he says.',
    'systemd[812]: Failed to mount scratch.mount - /scratch.',
    "systemd[1]: __proto__.service: Failed with result 'exit-code'.",
  ];
  for (const line of lines) assert.deepEqual(reported(line), [], line);
});
