// Runs the command line as a user does, in its own process, with no configuration but the one that a test gives.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAM } from '../program.ts';

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Closes our end of standard output before the command can write to it. */
  readonly closeStdout?: boolean;
  /** In place of the installed one: what a checkout starts. */
  readonly program?: string;
  /** A descriptor to write to instead; `stdout` then stays empty. */
  readonly stdout?: number;
}

export function faultline(words: readonly string[], options: CliOptions = {}): Promise<Outcome> {
  const { PATH, HOME, LD_LIBRARY_PATH, ...rest } = process.env;
  const env = {
    PATH,
    HOME,
    LD_LIBRARY_PATH,
    LC_ALL: 'C.UTF-8',
    ASAN_OPTIONS: rest.ASAN_OPTIONS,
    FAULTLINE_CONFIG: EMPTY,
    ...options.env,
  };
  const child = spawn(process.execPath, [options.program ?? INSTALLED, ...words], {
    env,
    stdio: ['ignore', options.stdout ?? 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    stdout += part;
  });
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    stderr += part;
  });
  if (options.closeStdout) child.stdout?.destroy();
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, stdout, stderr }));
  });
}

const folders: string[] = [];
process.on('exit', () => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

/** Gone with this process. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'fl-cli-'));
  folders.push(path);
  return path;
}

/** A command of this name, as an installation has it. */
const INSTALLED = join(folder(), 'faultline');
symlinkSync(PROGRAM, INSTALLED);

/** A configuration file with this text; gives its path. */
export function configFile(text: string): string {
  const path = join(folder(), 'faultline.yaml');
  writeFileSync(path, text);
  return path;
}

/** In the place of /etc/faultline/faultline.yaml, so that what a machine has there does not matter. */
const EMPTY = configFile('');
