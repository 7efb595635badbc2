// The process ends at once though a thread of Node's pool hangs in a system call.

import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { native } from '../../src/native.ts';

const NATIVE = fileURLToPath(new URL('../../src/native.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'exit now '));
after(() => rmSync(folder, { recursive: true }));

test('a thread that opens a FIFO without a writer does not hold up the end', async () => {
  const fifo = join(folder, 'fifo');
  execFileSync('mkfifo', [fifo]);
  const script = `
    import { open } from 'node:fs';
    import { native } from ${JSON.stringify(NATIVE)};
    open(${JSON.stringify(fifo)}, 'r', () => {});
    setTimeout(() => native().exitNow(3), 50);`;
  const code = await new Promise((resolve) => {
    const options = { timeout: 20_000, killSignal: 'SIGKILL' } as const;
    execFile(process.execPath, ['--input-type=module', '--eval', script], options, (error) =>
      resolve(error?.code ?? 0),
    );
  });
  assert.equal(code, 3);
});

test('a status that is not a number is refused', () => {
  // What JavaScript may pass whatever the types say.
  const exitNow = native().exitNow as (status: unknown) => never;
  assert.throws(() => exitNow('0'), /exitNow\(status: number\)/);
});
