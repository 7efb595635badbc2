// Lines of parts of the kernel by catalog/kernel-lines.json: each row reads its example, and none that quotes it or that says more.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import catalog from '#catalog/kernel-lines.json' with { type: 'json' };
import { SUBSYSTEM_ROWS, SUBSYSTEM_WORDS } from '../../../src/detection/text/kernel/subsystem-line.ts';
import { isKind } from '../../../src/model/kind.ts';
import { SEVERITIES } from '../../../src/model/severity.ts';
import { decodeLines } from './lines.ts';

const kindsOf = (line: string) => decodeLines([line]).map(({ kind }) => kind);

for (const { of, example, kind, severity, source } of SUBSYSTEM_ROWS)
  test(`"${example.slice(0, 80)}" is ${kind}`, () => {
    assert.ok(isKind(kind) && (severity === undefined || SEVERITIES.includes(severity)));
    assert.ok(
      of.every((name) => name in catalog.heads),
      'each head is known',
    );
    assert.ok(source.length > 8, 'it says where it is from');
    assert.deepEqual(kindsOf(example), [kind]);
    assert.ok(
      SUBSYSTEM_WORDS.some((word) => example.includes(word)),
      'a word of the list is in it',
    );
    for (const quote of [`looking for "${example}"`, `# ${example}`, `python3[12]: ${example}`])
      assert.deepEqual(kindsOf(quote), [], quote);
  });

test("a client of Lustre that has no configuration from its MGS, in the kernel's own spelling too", () => {
  for (const word of ['Configuration', 'Confguration'])
    assert.deepEqual(kindsOf(`LustreError: 15c-8: MGC10.9.0.2@tcp: ${word} from log work-client failed from MGS -110. Communication error`), ['storage.io_error']); // biome-ignore format: one line
  assert.deepEqual(kindsOf('Lustre: MGC10.9.0.2@tcp: Confguration from log work-client read'), []);
});

/** What the same parts print on an ordinary day, or of what is a program's own doing. */
const ORDINARY = [
  'nvidia-uvm: Loaded the UVM driver, major device number 511.',
  'nvidia-uvm: uvm_gpu.c:812 uvm_gpu_retain[pid:71233] Created GPU 0',
  'nvidia-peermem nv_mem_acquire:221 ERROR nv_mem_acquire -- error -22 while calling nvidia_p2p_put_pages()',
  'nvidia-fs:nvfs_io_complete:681 IO failed with -512',
  'nvidia_fs: Initializing nvfs driver module',
  'nvidia-nvswitch0: open (major=510)',
  'nvidia-uvm: uvm_gpu.c:812 uvm_gpu_retain[pid:71233] Initialized the channel manager, GPU 0',
  'neuron:ncdev_module_init: Neuron Driver Started with Version:2.19.5.0',
  'ceph: loaded (mds proto 32)',
  'neuron:nr_start_ncs: nd3: initiating device reset request 812',
  'neuron:nr_process_reset_requests: nd3: reset request 812 completed',
  'lockd: failed to monitor 10.0.0.4',
  'irq 16: Affinity broken due to vector space exhaustion.',
  'neighbour: ndisc_cache: table is 80 % full',
  'overlayfs: upper fs does not support tmpfile.',
  'overlayfs: failed to get inode (-12)',
  'Out of memory handling is on',
  'mce: CMCI storm subsided: switching to interrupt mode',
  'mpt3sas_cm0: diag reset: SUCCESS',
  'LustreError: 8812:0:(ldlm_request.c:125:fn()) ### blocking callback (enqueued at 1733050000)',
  'XFS (sdb1): Ending clean mount',
];

test('on an ordinary day the same parts report nothing', () => {
  for (const line of ORDINARY) assert.deepEqual(kindsOf(line), [], line);
});
