// What a scan says of the output of amd-smi: by AMD's commands, with its number of the GPU.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { scan } from './scan-here.ts';

test("errors that amd-smi counts are of its GPU, and have AMD's commands alone", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-amd-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'amd-smi.txt');
  writeFileSync(file, 'GPU: 3\n    ECC:\n        TOTAL_CORRECTABLE_COUNT: 12\n        TOTAL_UNCORRECTABLE_COUNT: 3\n');
  const { stdout } = await scan(['--host', 'mi-09', file]);
  const text = stdout.replace(/\n +/g, ' ');
  assert.match(text, /Now .*sudo amd-smi metric.*sudo amd-smi reset --gpureset --gpu 3/);
  assert.doesNotMatch(text, /nvidia/i);
});
