// Incident command: runs `incidents` or `explain` as the command line would, with output kept.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import type { TestContext } from 'node:test';
import { Command } from 'commander';
import { bundle } from '../../src/commands/bundle.ts';
import { explain } from '../../src/commands/explain.ts';
import { incidents } from '../../src/commands/incidents.ts';
import { jobs } from '../../src/commands/jobs.ts';
import { notify } from '../../src/commands/notify.ts';
import { report } from '../../src/commands/report.ts';
import { silence } from '../../src/commands/silence.ts';
import type { Incident } from '../../src/model/incident.ts';
import { folder, openLog } from '../incidents/log/folder.ts';
import { T0 } from '../incidents/sample.ts';

export interface Ran {
  stdout: string;
  stderr: string;
  status: number;
}

export interface Running {
  readonly ran: Ran;
  readonly stop: AbortController;
  readonly done: Promise<unknown>;
}

function keep(onText: (text: string) => void): Writable {
  return new PassThrough().setEncoding('utf8').on('data', onText);
}

export function start(args: readonly string[], stdout?: Writable, nowMs = T0 + 107_000): Running {
  const ran: Ran = { stdout: '', stderr: '', status: 0 };
  const stop = new AbortController();
  const io = {
    stdout:
      stdout ??
      keep((text) => {
        ran.stdout += text;
      }),
    stderr: keep((text) => {
      ran.stderr += text;
    }),
    now: () => nowMs,
    timeZone: 'UTC',
    colour: false,
    status: (status: number) => {
      ran.status = status;
    },
    signal: () => stop.signal,
  };
  const program = new Command().exitOverride();
  for (const command of [incidents, explain, bundle, report, jobs, notify, silence]) command.addTo(program, () => io);
  return { ran, stop, done: program.parseAsync(['node', 'faultline', ...args]) };
}

export async function run(...args: string[]): Promise<Ran> {
  return await runAt(undefined, ...args);
}

export async function runAt(nowMs: number | undefined, ...args: string[]): Promise<Ran> {
  const { ran, done } = start(args, undefined, nowMs);
  await done;
  await new Promise((resolve) => setImmediate(resolve));
  return ran;
}

/** A log directory that holds these revisions. */
export async function logOf(t: TestContext, ...incidents: Incident[]): Promise<string> {
  const directory = folder(t);
  const { log } = openLog(directory);
  for (const incident of incidents) await log.append(incident);
  await log.close();
  if (incidents.length === 0) writeFileSync(join(directory, 'incidents.jsonl'), ''); // as one that was rotated just now
  return directory;
}

export class BrokenPipe extends Writable {
  override _write(_chunk: unknown, _encoding: string, done: (error: Error) => void): void {
    done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  }
}
