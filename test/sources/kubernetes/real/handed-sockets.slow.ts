// The sockets that systemd/faultline-*.socket hand on, with systemd's own programs: a user without rights reads through user 0 without any
// capability, and not past it. Needs root; scripts/test-kubernetes runs it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { installationRoot } from '../../../../src/native.ts';
import { until } from '../../../until.ts';
import { encodeDevices } from '../encode.ts';
import { FakeKubelet } from '../fake-kubelet.ts';

const OTHER_USER = 65534;
const root = installationRoot();
const ASK = `
const { DeviceList } = await import(process.argv[1] + '/src/sources/kubernetes/kubelet/device-list.ts');
let containers = 0;
const list = new DeviceList(process.argv[2], async (given) => { containers = given.size; });
await list.ask(0);
console.log(list.error?.fault ?? 'ok', containers);
list.close();
`;

test('through the handed socket, and not directly', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-handed-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const kubelet = new FakeKubelet(join(folder, 'kubelet'), { podsApi: false });
  t.after(() => kubelet.stop());
  await kubelet.start();
  kubelet.list = encodeDevices({ 'train/a': { main: { 'nvidia.com/gpu': ['GPU-1'] } } });
  chmodSync(kubelet.root, 0o750);
  const own = join(kubelet.root, 'pod-resources/kubelet.sock');
  const handed = join(folder, 'handed.sock');
  const unit = readFileSync(join(root, 'systemd/faultline-pod-resources.service'), 'utf8');
  const proxy = /^ExecStart=(\S+) /m.exec(unit)?.[1] ?? '';
  const bare = ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'];
  const child = spawn('systemd-socket-activate', ['-l', handed, ...bare, proxy, own], { stdio: 'ignore' });
  t.after(() => void child.kill('SIGKILL'));
  await until(() => statSync(handed, { throwIfNoEntry: false }));
  chownSync(handed, OTHER_USER, OTHER_USER);
  chmodSync(handed, 0o600);
  const ask = async (socket: string): Promise<string> => {
    const args = [`--reuid=${OTHER_USER}`, '--clear-groups', `--regid=${OTHER_USER}`, '--inh-caps=-all', process.execPath, '--input-type=module', '-e', ASK, root, socket]; // biome-ignore format: one line
    const asked = spawn('setpriv', args, { stdio: ['ignore', 'pipe', 'inherit'], cwd: '/' });
    let text = '';
    asked.stdout.on('data', (part: Buffer) => {
      text += part.toString();
    });
    await new Promise((resolve) => asked.once('close', resolve));
    return text.trim();
  };
  assert.equal(await ask(own), 'denied 0');
  assert.equal(await ask(handed), 'ok 1');
});
