// A full disk: the path of the line is what is asked and freed; a target of Lustre is emptied from elsewhere; nothing hostile is pasted.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fullDisk } from '../../../src/incidents/report/full-disk.ts';
import type { Attributes } from '../../../src/model/event.ts';
import { event, incident } from '../sample.ts';

function step(attributes: Attributes) {
  const host = { type: 'host', id: 'node-3' } as const;
  const root = event('e-full', 'host.disk_full', host, { attributes });
  return fullDisk(
    incident('7f3c41d2a0b1', {
      root: { eventId: root.id, kind: root.kind, component: host },
      events: [root],
      action: { kind: 'free_space', target: host, why: '' },
    }),
  );
}

test('the folder of the file that could not be written is asked, and whoever runs its file system is called', () => {
  const message = "[Errno 28] No space left on device: '/scratch/mira/run7/step-10000/model_00012.pt'";
  const said = step({ message });
  assert.equal(said?.does, 'free space on the file system of /scratch/mira/run7/step-10000');
  assert.match(said?.now ?? '', /^on @, df -h \/scratch\/mira\/run7\/step-10000; df -i \/scratch/);
  assert.equal(said?.call, 'who runs the file system of /scratch/mira/run7/step-10000');
  assert.equal(step({ mount: '/var', utilization: 1 })?.call, 'who runs @');
});

test('the path is found in any wording of the error, and no line of a program is taken for it', () => {
  const folder = (message: string) => step({ message })?.does.replace('free space on the file system of ', '');
  for (const message of [
    'ERROR trainer.checkpoint: failed to write /scratch/a/it_12: [Errno 28] No space left on device',
    "cp: error writing '/scratch/a/b': No space left on device",
    'write /scratch/a/b: no space left on device',
    'could not save (/scratch/a/b): OSError(28, No space left on device)',
    'no space left on device: /scratch/a/b',
  ])
    assert.equal(folder(message), '/scratch/a', message);
  assert.equal(step({ message: '/opt/run.sh: line 12: echo: write error: No space left on device' }), null);
  assert.equal(step({ message: '/opt/t/io.cc:603: write failed: No space left on device' }), null);
});

test('on the server of a target of Lustre nothing is to be deleted', () => {
  const said = step({ mount: '/lustre/ost0007', utilization: 1 });
  assert.match(said?.does ?? '', /^get space on \/lustre\/ost0007, a target of Lustre on %/);
  assert.match(said?.now ?? '', /note lctl get_param .*sudo lctl set_param .*=0, and set it back once .*lfs_migrate/);
  assert.doesNotMatch(said?.now ?? '', /repquota|du -/);
});

test('a path that a shell would take for more, or none at all, is in no command', () => {
  assert.equal(step({ message: "No space left on device: '/a;reboot/b'" }), null);
  assert.equal(step({ message: 'No space left on device' }), null);
});
