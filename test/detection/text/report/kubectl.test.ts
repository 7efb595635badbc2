// What kubectl prints of nodes: the words of its describe and get, of the node controllers and the kubelet, with made-up names.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InputDecoder } from '../../../../src/commands/scan/input-decoder.ts';
import { Kubectl } from '../../../../src/detection/text/report/kubectl.ts';

function reported(...lines: string[]): string[] {
  const reader = new Kubectl('log-1');
  const findings = [...lines.flatMap((line) => reader.take(line)?.findings ?? []), ...reader.end().findings];
  return findings.map(({ kind, component }) => `${kind} ${component?.type}/${component?.id}`);
}

const T0 = Date.UTC(2026, 10, 30, 6, 11, 3);
const TIMES = 'Wed, 05 Aug 2026 12:43:36 +0000   Tue, 04 Aug 2026 23:01:43 +0000';
const NAME = 'Name:               gx-4.example.com';
const SOUND = [
  `  MemoryPressure   False   ${TIMES}   KubeletHasSufficientMemory   kubelet has sufficient memory available`,
  `  DiskPressure     False   ${TIMES}   KubeletHasNoDiskPressure     kubelet has no disk pressure`,
  `  PIDPressure      False   ${TIMES}   KubeletHasSufficientPID      kubelet has sufficient PID available`,
  `  Ready            True    ${TIMES}   KubeletReady                 kubelet is posting ready status`,
];

test('conditions of a node that is well report nothing', () => assert.deepEqual(reported(NAME, ...SOUND), []));

for (const condition of ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'OutOfDisk'])
  test(`${condition} is pressure where it is true alone`, () => {
    assert.deepEqual(reported(NAME, `  ${condition}   True   ${TIMES}   Kubelet   words`), [
      'host.pressure host/gx-4.example.com',
    ]);
    assert.deepEqual(reported(NAME, `  ${condition}   False   ${TIMES}   Kubelet   words`), []);
  });

test('a node that is not ready, or silent, is said once, by its name where the text has it', () => {
  assert.deepEqual(reported(NAME, `  Ready   False   ${TIMES}   KubeletNotReady   container runtime is down`), [
    'host.not_ready host/gx-4.example.com',
  ]);
  const silent = ['MemoryPressure', 'DiskPressure', 'Ready'].map(
    (name) => `  ${name} \t\tUnknown \t${TIMES} \tNodeStatusUnknown \tKubelet stopped posting node status.`,
  );
  assert.deepEqual(reported(NAME, ...silent), ['host.not_ready host/gx-4.example.com']);
  assert.deepEqual(reported(...silent), ['host.not_ready host/log-1']);
  assert.deepEqual(
    reported(
      'gx-4   Ready      <none>   41d   v1.31.2',
      'gx-5   NotReady   <none>   41d   v1.31.2',
      'gx-6   Ready,SchedulingDisabled   worker   41d   v1.31.2',
    ),
    ['host.not_ready host/gx-5'],
  );
});

test('a pod that is not ready is not a node', () => {
  assert.deepEqual(
    reported(
      'Name:         trainer-0',
      'Namespace:    ml',
      'Node:         gx-4/192.0.2.4',
      'Conditions:',
      '  Ready             False ',
      '  ContainersReady   False ',
      `  Ready   False   ${TIMES}   x   y`,
    ),
    [],
  );
});

/** Events, as get and describe print them. */
const EVENTS: readonly (readonly [line: string, reported: readonly string[]])[] = [
  [
    '2m   Warning   Evicted   pod/trainer-0   The node was low on resource: memory. Threshold quantity: 250Mi, available: 232700Ki.',
    ['host.pressure host/log-1'],
  ],
  [
    'Message:      The node was low on resource: ephemeral-storage. Container a was using 5Gi',
    ['host.pressure host/log-1'],
  ],
  [
    '  Normal   NodeNotReady             5m    node-controller  Node gx-4 status is now: NodeNotReady',
    ['host.not_ready host/gx-4'],
  ],
  [
    '4m   Normal   NodeHasDiskPressure   node/gx-4   Node gx-4 status is now: NodeHasDiskPressure',
    ['host.pressure host/gx-4'],
  ],
  [
    '  Normal   NodeHasInsufficientMemory  5m    kubelet  Node gx-4 status is now: NodeHasInsufficientMemory',
    ['host.pressure host/gx-4'],
  ],
  ['  Warning  EvictionThresholdMet     5m    kubelet  Attempting to reclaim memory', ['host.pressure host/log-1']],
  [
    '  Warning  SystemOOM   5m   kubelet  System OOM encountered, victim process: python3, pid: 4711',
    ['host.oom process/4711'],
  ],
  ['4m   Normal   NodeReady   node/gx-4   Node gx-4 status is now: NodeReady', []],
  ['  Normal   NodeHasNoDiskPressure   5m   kubelet  Node gx-4 status is now: NodeHasNoDiskPressure', []],
  ['  Normal   NodeHasSufficientMemory  5m   kubelet  Node gx-4 status is now: NodeHasSufficientMemory', []],
  [
    '  Warning  Evicted   5m   kubelet  Pod ephemeral local storage usage exceeds the total limit of containers 2Gi.',
    [],
  ],
  ['  Normal   Starting   5m   kubelet  Starting kubelet.', []],
  ['  Warning  SystemOOM   59m   kubelet, gx-4  System OOM encountered', ['host.oom host/gx-4']],
  ['  SystemOOM   12m (x4 over 25m)   kubelet, gx-4   System OOM encountered', ['host.oom host/gx-4']],
  ['9m   9m   1   {kubelet gx-4}      Warning   SystemOOM   System OOM encountered', ['host.oom host/gx-4']],
  [
    '9m   9m   1   gx-4   Node      Warning   SystemOOM   kubelet, gx-4   System OOM encountered',
    ['host.oom host/gx-4'],
  ],
  ['9m   1h   12   {kubelet gx-4}      Normal   NodeHasDiskPressure   x', ['host.pressure host/gx-4']],
  ['  EvictionThresholdMet   5m   kubelet   Attempting to reclaim memory', ['host.pressure host/log-1']],
  ['SystemOOM is the reason of the event that the kubelet writes 5m after it', []],
  ['  NodeHasSufficientMemory   59m   kubelet, gx-4   Node gx-4 status is now: NodeHasSufficientMemory', []],
];

for (const [line, expected] of EVENTS)
  test(`${line.trim().slice(0, 70)}: ${expected[0] ?? 'nothing'}`, () => assert.deepEqual(reported(line), expected));

/** As `describe` lists them: the oldest first. */
const NOT_READY = '  Normal   NodeNotReady   23m   kubelet, gx-4   Node gx-4 status is now: NodeNotReady';

test('a node that was ready again after its event is not reported, one that was ready before is', () => {
  const ready = (age: string): string =>
    `  Normal   NodeReady   ${age}   kubelet, gx-4   Node gx-4 status is now: NodeReady`;
  assert.deepEqual(reported(NOT_READY, ready('22m41s')), []);
  assert.deepEqual(reported(NOT_READY, '  Normal   NodeReady   22m   kubelet,'), []);
  assert.deepEqual(reported(ready('115m'), NOT_READY), ['host.not_ready host/gx-4']);
  assert.deepEqual(reported(NOT_READY, ready('1h')), ['host.not_ready host/gx-4']);
});

test('in whatever order events are listed, the last word on a node counts', () => {
  const event = (age: string, reason: string): string =>
    `${age}   Normal   ${reason}   node/gx-4   Node gx-4 status is now: ${reason}`;
  const [ready, first, second] = [
    event('8m41s', 'NodeReady'),
    event('16m', 'NodeNotReady'),
    event('9m15s', 'NodeNotReady'),
  ];
  assert.deepEqual(reported(ready, second, first), []);
  assert.deepEqual(reported(first, second, ready), []);
  assert.deepEqual(reported(event('10m', 'NodeReady'), second), ['host.not_ready host/gx-4']);
  assert.deepEqual(reported(event('9m15s', 'NodeReady'), second), ['host.not_ready host/gx-4']);
  assert.deepEqual(reported(second, event('9m15s', 'NodeReady')), []);
});

/** A node that is taken away, in the words of Karpenter, the cluster autoscaler and the kubelet. */
const REMOVALS = [
  'Warning   InstanceTerminating   node/gx-4   Instance is terminating',
  'Normal   DisruptionBlocked   node/gx-4   Node is deleting or marked for deletion',
  'Warning   FailedDraining   node/gx-4   Failed to drain node, 1 pods are waiting to be evicted',
  'Normal   DisruptionTerminating   node/gx-4   Disrupting Node: Underutilized/Delete',
  'Normal   ScaleDown   node/gx-4   marked the node as toBeDeleted/unschedulable',
  'Normal   Shutdown   node/gx-4   Shutdown manager detected shutdown event',
];

for (const removal of REMOVALS)
  test(`a node that is silent after its removal began is not a fault: ${removal.slice(9, 40)}`, () => {
    const silent = '40m   Normal   NodeNotReady   node/gx-4   Node gx-4 status is now: NodeNotReady';
    assert.deepEqual(reported(`41m   ${removal}`, silent), []);
    assert.deepEqual(reported(silent, `40m   ${removal}`), []);
    assert.deepEqual(reported(silent, `38m   ${removal}`), ['host.not_ready host/gx-4']);
    assert.deepEqual(reported(`41m   ${removal.replace('gx-4', 'gx-5')}`, silent), ['host.not_ready host/gx-4']);
  });

test('what ends nothing removes nothing', () => {
  const silent = '40m   Normal   NodeNotReady   node/gx-4   Node gx-4 status is now: NodeNotReady';
  for (const other of [
    'Normal   NodeNotSchedulable   node/gx-4   Node gx-4 status is now: NodeNotSchedulable',
    'Normal   Shutdown   node/gx-4   Shutdown manager detected shutdown cancellation',
    'Normal   DisruptionBlocked   node/gx-4   PDB prevents pod evictions',
    'Normal   DeletingNode   node/gx-4   Deleting node gx-4 because it does not exist in the cloud provider',
  ])
    assert.deepEqual(reported(`41m   ${other}`, silent), ['host.not_ready host/gx-4'], other);
});

test('a node that was not ready again and again within a day is said, though it is ready now; once or twice it is a restart', () => {
  const event = (count: string, over: string): string[] => [
    `  Normal   NodeNotReady   25m (x${count} over ${over})   kubelet, gx-4   Node gx-4 status is now: NodeNotReady`,
    `  Normal   NodeReady   19m (x9 over ${over})   kubelet, gx-4   Node gx-4 status is now: NodeReady`,
  ];
  assert.deepEqual(reported(...event('3', '46m')), ['host.not_ready host/gx-4']);
  assert.deepEqual(reported(...event('2', '46m')), []);
  assert.deepEqual(reported(...event('3', '5d1h')), []);
});

test('an event is of its age before the text, of its own line and node, and OOMKilling is of the process that it names', () => {
  const text = `LAST SEEN   TYPE      REASON                 OBJECT               MESSAGE
9m          Warning   EvictionThresholdMet   node/gx-17           Attempting to reclaim ephemeral-storage
8m          Warning   Evicted                pod/llama-worker-2   The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 3Gi.
3m          Normal    NodeNotReady           node/gx-18           Node gx-18 status is now: NodeNotReady
61s         Warning   OOMKilling             node/gx-19           Memory cgroup out of memory: Killed process 4411 (python) total-vm:98123456kB, anon-rss:63234560kB`;
  const found: string[] = [];
  const decoder = new InputDecoder({
    path: 'events.txt',
    author: 'unknown',
    onSteps: () => {},
    onReport: () => {},
    onEvent: (_, { kind, component, timeMs, interval, evidence, attributes }) => {
      const age = `${(T0 - timeMs) / 1000} to ${(T0 - (interval?.earliestMs ?? 0)) / 1000} s`;
      const words = /\b(?:NodeNotReady|Evict\w+|OOMKilling)/.exec(JSON.stringify(evidence ?? []))?.[0];
      const what = attributes?.process ?? attributes?.resource ?? '';
      found.push(`${kind} ${component?.host ?? component?.id} ${age} ${words} ${what}`.trim());
    },
  });
  for (const [i, line] of text.split('\n').entries())
    decoder.take(
      {
        stream: 'events.txt',
        source: 'job-log',
        timeMs: null,
        timeDigits: 0,
        observedMs: T0,
        text: line,
        position: i,
        attributes: {},
      } as never,
      'log-1',
    );
  decoder.end();
  assert.deepEqual(found, [
    'host.pressure gx-17 540 to 600 s EvictionThresholdMet ephemeral-storage',
    'host.oom gx-19 61 to 62 s OOMKilling python',
    'host.not_ready gx-18 180 to 240 s NodeNotReady',
  ]);
});

test('a condition that a detector of problems sets is one where it is true', () => {
  const line = (value: string) => `  XidCriticalError   ${value}   ${TIMES}   {"48":true}   6e43a052`;
  assert.deepEqual(reported(NAME, line('True')), ['host.degraded host/gx-4.example.com']);
  assert.deepEqual(reported(NAME, line('False')), []);
});

test("a pod's own event that its node is not ready is that node's, reported once", () => {
  const assigned = '12m   Normal   Scheduled   pod/train-0   Successfully assigned ml/train-0 to gx-61';
  const node = '5m   Warning   NodeNotReady   node/gx-61   Node gx-61 status is now: NodeNotReady';
  const pod = '5m   Warning   NodeNotReady   pod/train-0   Node is not ready';
  const atEnd = (...lines: string[]): string[] => {
    const reader = new Kubectl('log-1');
    const found = [...lines.flatMap((line) => reader.take(line)?.findings ?? []), ...reader.end().findings];
    return found.map(
      ({ kind, component, lines: of }) => `${kind} ${component?.id} ${of?.[0] === pod ? 'pod' : 'node'}`,
    );
  };
  assert.deepEqual(atEnd(assigned, node, pod), ['host.not_ready gx-61 node']);
  assert.deepEqual(atEnd(assigned, pod), ['host.not_ready gx-61 pod']);
  assert.deepEqual(atEnd(node, pod), ['host.not_ready gx-61 node']);
  assert.deepEqual(atEnd(pod), ['host.not_ready log-1 pod']);
});

test('a table of nodes of an old release has no column of roles', () => {
  const table = [
    'NAME    STATUS     AGE   VERSION',
    'gx-5    NotReady   10d   v1.7.2',
    'gx-6    Ready      10d   v1.7.2',
  ];
  assert.deepEqual(reported(...table), ['host.not_ready host/gx-5']);
});

test('conditions that were cut out of a description are of the node that the command names', () => {
  const condition = '  Ready            Unknown   Mon, 30 Nov 2026 05:00:01 +0000   Mon, 30 Nov 2026 05:00:44 +0000   NodeStatusUnknown   Kubelet stopped posting node status.'; // biome-ignore format: one line
  for (const prompt of ['$ ', 'ann@login:~$ ', '[root@mgmt ~]# ', ''])
    assert.deepEqual(reported(`${prompt}kubectl describe node gx-46 | sed -n '/Conditions/,/Addresses/p'`, condition), ['host.not_ready host/gx-46'], prompt); // biome-ignore format: one line
  assert.deepEqual(reported('# see kubectl describe node gx-46 first', condition), ['host.not_ready host/log-1']);
});
