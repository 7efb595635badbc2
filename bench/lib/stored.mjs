// Figures that earlier runs of a benchmark left: a table of an hour is not made in one go.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** What the file has, or `otherwise` where there is none yet; throws where it is not JSON. */
export function storedJson(path, otherwise) {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return otherwise;
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} cannot be read: ${error.message}; remove it, and measure again`);
  }
}

/** When a figure was made, UTC, and of which commit. */
export function buildNow() {
  const [date, time] = new Date().toISOString().split('T');
  const { stdout } = spawnSync('git', ['rev-parse', '--short=8', 'HEAD'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  return { date, at: time.slice(0, 5), build: stdout.trim() };
}
