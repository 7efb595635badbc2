// nvidia-bug-report.log: its sections as inputs of their own, by the host and the time that its head says.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { inputsIn } from '../../../src/sources/saved-text/input.ts';
import { SavedText } from '../../../src/sources/saved-text/saved-text.ts';

const RULE = '_'.repeat(44);

/** In the form that nvidia-bug-report.sh writes (version 570). */
const REPORT = `${RULE}

Start of NVIDIA bug report log file.  Please include this file, along
with a detailed description of your problem, when reporting a graphics
driver bug via the NVIDIA Linux forum (see forums.developer.nvidia.com)
or by sending email to 'linux-bugs@nvidia.com'.

nvidia-bug-report.sh Version: 35236411

Date: Fri Nov 27 08:50:11 PM UTC 2026
uname: Linux gx-07 5.15.0-1053-nvidia #54-Ubuntu SMP x86_64 x86_64 x86_64 GNU/Linux
command line flags: 

${RULE}

*** /etc/issue
*** ls: -rw-r--r-- 1 root root 26 2026-02-18 16:07:09.000000000 +0000 /etc/issue
Ubuntu 22.04.5 LTS \\n \\l


${RULE}

/usr/bin/lspci -nnDvvvxxxx

0000:3b:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H100 SXM5 80GB] [10de:2330] (rev ff) (prog-if ff)
	!!! Unknown header type 7f
00: ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff

${RULE}

Scanning kernel log files for NVIDIA kernel messages:

  journalctl -b -0:
Nov 27 10:00:07 gx-07 kernel: NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.86.10
Nov 27 15:43:27 gx-07 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.

  journalctl -b -1:
Nov 20 09:00:07 gx-07 kernel: NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.86.10

${RULE}

dmesg:

[    0.000000] Linux version 5.15.0-1053-nvidia
[    7.250000] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.86.10
[20607.250000] NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.

${RULE}

/usr/bin/nvidia-smi --query

==============NVSMI LOG==============

Attached GPUs                             : 8
`;

async function* pieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, size: number) {
  const found: { name: string; host: string | undefined; savedMs: number; text: string; times: (number | null)[] }[] =
    [];
  const report = { failed: (name: string, why: string) => assert.fail(`${name}: ${why}`), left: () => assert.fail() };
  const saved = { name: 'nvidia-bug-report.log.gz', savedMs: 1, bytes: pieces(bytes, size) };
  for await (const { name, host, savedMs, bytes: section, bootedMs } of inputsIn(saved, report)) {
    const times: (number | null)[] = [];
    const text = new SavedText({ name, job: 'x', savedMs, ...(bootedMs === undefined ? {} : { bootedMs }), onRecord: ({ timeMs }) => times.push(timeMs), onTime: () => {} }); // biome-ignore format: what it takes
    const parts: Buffer[] = [];
    for await (const part of section) {
      parts.push(part);
      text.push(part);
    }
    text.end();
    found.push({ name, host, savedMs, text: Buffer.concat(parts).toString(), times });
  }
  return found;
}

test('each section is named by what it shows, the host and the time are those of the head', async () => {
  for (const size of [1, 61, 100_000]) {
    const found = await read(gzipSync(REPORT), size);
    assert.deepEqual(
      found.map(({ name }) => name.replace(/^nvidia-bug-report\.log(?:\.gz)?#/, '')),
      ['nvidia-bug-report', '/etc/issue', 'lspci -nnDvvvxxxx', 'Scanning kernel log files for NVIDIA kernel messages', 'dmesg', 'nvidia-smi --query'], // biome-ignore format: one line
    );
    const [, ...sections] = found;
    for (const { host, savedMs } of sections) {
      assert.equal(host, 'gx-07');
      assert.equal(savedMs, Date.UTC(2026, 10, 27, 20, 50, 11));
    }
    assert.match(sections[1]?.text ?? '', /^\/usr\/bin\/lspci[\s\S]*rev ff[\s\S]*00: ff/);
    assert.match(sections.at(-1)?.text ?? '', /Attached GPUs {29}: 8\n$/);
  }
});

test('lines of dmesg are of the time that the journal gives the same message', async () => {
  const found = await read(Buffer.from(REPORT), 1000);
  const booted = Date.UTC(2026, 10, 27, 10, 0, 7) - 7250;
  assert.deepEqual(found.find(({ name }) => name.endsWith('#dmesg'))?.times.slice(-3), [
    booted,
    booted + 7250,
    booted + 20_607_250,
  ]);
});

test('the text of a job that quotes the head, and rules of other lengths, begin no report', async () => {
  const text = `${'_'.repeat(40)}\nepoch 1\n${RULE}\nepoch 2\n`;
  const found = await read(Buffer.from(text), 1000);
  assert.deepEqual(found.map(({ name }) => name), ['nvidia-bug-report.log.gz']); // biome-ignore format: one line
});
