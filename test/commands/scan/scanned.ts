// Scanned: logs written as a test gives them, and what `faultline scan` prints of them.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { scan } from './scan-here.ts';

/** The lines of each log by its name, which may have folders in it. */
export type Logs = Readonly<Record<string, readonly string[]>>;

/** The report with its broken lines joined, or JSON as it is where args ask for it; one log is scanned by its path, several as a folder. */
export async function scannedLogs(t: TestContext, logs: Logs, ...args: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-scanned-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const paths = Object.entries(logs).map(([name, lines]) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${lines.join('\n')}\n`);
    return path;
  });
  const [path = folder] = paths.length === 1 ? paths : [];
  const { stdout, stderr, status } = await scan([...args, path]);
  assert.equal(status, 0, stderr);
  return args.includes('--json') ? stdout : stdout.replace(/\n +/g, ' ');
}
