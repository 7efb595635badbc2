// Where Slurm is: its configuration, slurmd, its programs, and which of them may be trusted.

import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { SmallFiles } from '../../../../src/sources/files/small-files.ts';
import { trusted } from '../../../../src/sources/files/trusted.ts';
import { hostNameOf, nodeNameOf, pathOn, readConf, sizeOf } from '../../../../src/sources/slurm/find/conf.ts';
import { findInstallation, type Places } from '../../../../src/sources/slurm/find/installation.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'faultline-installation-')));
after(() => rmSync(root, { recursive: true }));

function put(path: string, text: string, mode = 0o644): string {
  const whole = join(root, path);
  mkdirSync(dirname(whole), { recursive: true, mode: 0o755 });
  writeFileSync(whole, text);
  chmodSync(whole, mode);
  return whole;
}

const places = (more: Partial<Places> = {}): Places => ({ proc: join(root, 'proc'), groups: join(root, 'groups'), confs: [], programs: [], pidFiles: [], ...more }); // biome-ignore format: one line
const find = (more: Partial<Places> = {}, settings: { conf?: string; programs?: string } = {}, host = 'gpu7.example') =>
  findInstallation(new SmallFiles(), host, places(more), {
    conf: settings.conf ?? null,
    programs: settings.programs ?? null,
  });

const texts = (files: Record<string, string>) => async (path: string) => files[path] ?? null;

test('of slurm.conf the spool, the name of this node and what is private are read, over includes and lines that continue', async () => {
  const read = texts({
    '/etc/slurm/slurm.conf': 'ClusterName=alps # our own\nslurmdspooldir=/var/spool/%n\nInclude nodes.conf\nPrivateData=accounts,Jobs\nInclude /etc/slurm/slurm.conf\n', // biome-ignore format: one line
    '/etc/slurm/nodes.conf':
      'NodeName=DEFAULT CPUs=4\nNodeName=n[01-08] \\\n  NodeHostname=gpu[1-8] Gres=gpu:4\n#NodeName=x NodeHostname=gpu7\n',
  });
  const conf = await readConf('/etc/slurm/slurm.conf', read);
  assert.ok(conf !== null);
  assert.equal(nodeNameOf(conf, 'gpu7.example'), 'n07');
  assert.equal(nodeNameOf(conf, 'elsewhere'), null);
  assert.deepEqual([hostNameOf(conf, 'n07'), hostNameOf(conf, 'gpu7'), sizeOf(conf)], ['gpu7', null, 8]);
  assert.equal(pathOn(conf.spool, 'n07', 'gpu7.example'), '/var/spool/n07');
  assert.deepEqual([conf.cluster, conf.privateData], ['alps', ['accounts', 'jobs']]);
  assert.equal(await readConf('/nowhere', read), null);
});

test('slurmd is found by its pid file, and its own words say where its configuration and programs are', async () => {
  const conf = put('opt/slurm/etc/slurm.conf', 'SlurmdSpoolDir=/s\nNodeName=a NodeHostname=b\n');
  put('opt/slurm/bin/scontrol', '', 0o755);
  put('proc/4711/cmdline', [join(root, 'opt/slurm/sbin/slurmd'), '-D', '-f', conf, '-N', 'n07', ''].join('\0'));
  const found = await find({ pidFiles: [put('run/slurmd.pid', '4711\n')] });
  assert.deepEqual([found?.conf, found?.node, found?.programs, found?.spool, found?.slurmd?.pid], [conf, 'n07', join(root, 'opt/slurm/bin'), '/s', 4711]); // biome-ignore format: one line
});

test('an old pid file whose number is another process is not slurmd', async () => {
  put('proc/4712/cmdline', 'python\0train.py\0slurmd\0-f\0/tmp/evil.conf\0');
  assert.equal(await find({ pidFiles: [put('run/old.pid', '4712\n')] }), null);
});

test('a configuration that every user may write is not used, unless the operator names it; why is said', async () => {
  const open = put('open/slurm.conf', 'SlurmdSpoolDir=/evil\n', 0o666);
  const found = await find({ confs: [open] });
  assert.deepEqual([found?.conf, found?.doubts], [null, [`${open} is not used: every user may write ${open}`]]);
  assert.equal((await find({}, { conf: open }))?.spool, '/evil');
});

test('a program in a folder that others may write is not run; one behind a link is judged by where it is', async () => {
  put('closed/scontrol', '', 0o755);
  put('shared/scontrol', '', 0o755);
  chmodSync(join(root, 'shared'), 0o777);
  symlinkSync(join(root, 'shared/scontrol'), join(root, 'closed/link'));
  assert.equal((await trusted(join(root, 'closed/scontrol')))?.doubt, null);
  assert.match((await trusted(join(root, 'shared/scontrol')))?.doubt ?? '', /every user may write .*shared$/);
  assert.match((await trusted(join(root, 'closed/link')))?.doubt ?? '', /every user may write .*shared$/);
  assert.equal(await trusted(join(root, 'nowhere')), null);
  // Others make files in a sticky folder, and cannot replace this one.
  chmodSync(join(root, 'shared'), 0o1777);
  assert.equal((await trusted(join(root, 'shared/scontrol')))?.doubt, null);
});

test('nothing of Slurm is nothing', async () => assert.equal(await find(), null));
