// Read so: what was assumed comes behind what to do; and what a name of a file or a line that comes again does not say.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs as scanned } from './scanned.ts';

const XID = 'gx-07 kernel: NVRM: Xid (PCI:0000:c3:00): 79, pid=1, name=python, GPU has fallen off the bus.';

test('what to do comes before what was assumed', async (t) => {
  const text = await scanned(t, { 'kern.log': [`Nov 28 09:20:00 ${XID}`] });
  assert.ok(text.indexOf('\nDo  ') < text.indexOf('\nRead so: '), text);
  assert.match(text, /^faultline scan .*\n\nINCIDENT /);
  assert.match(text, /\nRead so: times without a zone are read as UTC /);
});

test('users who cannot log in every ten minutes have one directory that does not answer', async (t) => {
  const line = (minute: number): string =>
    `Nov 20 18:${minute}:20 login1 sshd[23${minute}]: pam_sss(sshd:auth): received for user u1: 9 (Authentication service cannot retrieve authentication info)`;
  const text = await scanned(t, { 'auth.log': [18, 28, 38, 48].map(line) });
  assert.equal(text.match(/^INCIDENT/gm)?.length, 1, text);
  assert.match(text, /users cannot log in on login1/);
});

test('the options of a tool in the name of its file name no host', async (t) => {
  const text = await scanned(t, {
    'nvidia-smi-q-i5.txt': ['==============NVSMI LOG==============', 'Driver Version : 550.127.05'],
    'kern.log': [`Nov 28 09:20:00 ${XID}`],
  });
  assert.doesNotMatch(text, /\bi5\b(?!\.txt)/);
});
