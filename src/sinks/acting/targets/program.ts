// Program: runs one program of the system with fixed arguments: no shell, an empty environment, a deadline; only one that root alone can change.

import { execFile } from 'node:child_process';
import { callOut, programCall } from '../../../helpers/calls.ts';
import { trusted } from '../../../sources/files/trusted.ts';
import { ActError } from './target.ts';

const MOST_BYTES = 1024 * 1024;
const LAST = 200;

export async function runProgram(
  path: string,
  words: readonly string[],
  { deadlineMs, environment = {} }: { readonly deadlineMs: number; readonly environment?: Readonly<Record<string, string>> },
): Promise<string> {
  const found = await trusted(path);
  if (found === null) throw new ActError('no_program', `${path} is not there`);
  if (found.doubt !== null) throw new ActError('no_program', `${path} is not run: ${found.doubt}`);
  const traced = callOut(() => programCall(found.path, words));
  return await new Promise((resolve, reject) => {
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC', ...environment };
    execFile(found.path, [...words], { cwd: '/', env, timeout: deadlineMs, killSignal: 'SIGKILL', maxBuffer: MOST_BYTES }, (error, stdout, stderr) => {
      traced.end(error === null ? {} : { error: error.killed === true ? 'timeout' : String(error.code ?? 'error') });
      if (error === null) return resolve(stdout);
      const line = `${stderr}\n${stdout}`.split('\n').map((each) => each.trim()).findLast((each) => each !== ''); // biome-ignore format: one chain
      const type = error.killed === true ? 'timeout' : 'refused';
      reject(new ActError(type, `${path}: ${(line ?? (error.killed === true ? `it took longer than ${deadlineMs / 1000} s` : `it ended with ${error.code}`)).slice(0, LAST)}`));
    });
  });
} // biome-ignore format: one call
