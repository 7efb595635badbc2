// Asks Slurm by its own programs: scontrol and squeue, with fixed arguments, few rights, a deadline and a bound, without a shell.

import { join } from 'node:path';
import { callOut, programCall } from '../../../helpers/calls.ts';
import type { OwnProcesses } from '../../../identity/own-processes.ts';
import { type Answer, askProgram } from '../../ask-program.ts';
import { errorsInJson, jobsFromJson } from '../read/job-json.ts';
import { jobsFromText } from '../read/job-text.ts';
import { type ListedTask, tasksFromJson, tasksFromText } from '../read/listed-tasks.ts';
import { nodeFromJson, nodeFromText, type SlurmNode } from '../read/node.ts';
import { type Reservation, reservationsFromJson, reservationsFromText } from '../read/reservation.ts';
import { type ControllerQuestions, type JobAnswer, jobNumbered, type LocalQuestions } from './questions.ts';
import { versionOf } from './version.ts';

/** A controller that is busy answers within some seconds; Slurm's own MessageTimeout is 10 s. */
const DEADLINE_MS = 15_000;
/** A job over thousands of nodes has some MiB of JSON. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_JOBS = 4096;
/** From these on the program has --json: scontrol(1) of the releases. */
const JSON_OF_JOBS = 2302;
const JSON_OF_TASKS = 2411;
const NO_JOB = /Invalid job id specified/;
const NO_NODE = /Node \S+ not found|Invalid node name/;
const NO_TASKS = /No job steps exist/;

export interface ProgramsOptions {
  /** Where scontrol and squeue are. */
  readonly folder: string;
  /** Null: Slurm's own place. */
  readonly conf: string | null;
  readonly own: OwnProcesses;
  readonly signal: AbortSignal;
  readonly deadlineMs?: number;
}

export class SlurmPrograms implements ControllerQuestions, LocalQuestions {
  readonly #options: ProgramsOptions;
  #version: Promise<number> | null = null;
  /** A build without the plugin for it says so at the first question, and is asked for text from then on. */
  #jsonWorks = true;
  asked = 0;

  constructor(options: ProgramsOptions) {
    this.#options = options;
  }

  /** As Slurm writes it: "22.05.8"; null until it was asked. */
  release: string | null = null;

  async tasks(): Promise<readonly ListedTask[]> {
    if ((await this.#has(JSON_OF_TASKS)) && this.#jsonWorks) {
      const { text, complaint } = await this.#ask('scontrol', ['--json', 'listpids']);
      const tasks = NO_TASKS.test(complaint) ? [] : tasksFromJson(text);
      if (tasks !== null) return tasks;
      this.#jsonWorks = false;
    }
    const answer = await this.#ask('scontrol', ['listpids']);
    if (answer.status !== 0 && !NO_TASKS.test(answer.complaint)) throw failed('scontrol listpids', answer);
    return tasksFromText(answer.text);
  }

  async job(number: number): Promise<JobAnswer> {
    const words = ['show', 'job', String(number)];
    if ((await this.#has(JSON_OF_JOBS)) && this.#jsonWorks) {
      const answer = await this.#ask('scontrol', ['--json', ...words]);
      if (NO_JOB.test(answer.complaint) || NO_JOB.test(errorsInJson(answer.text))) return 'gone';
      const jobs = jobsFromJson(answer.text);
      if (jobs !== null && jobs.length > 0) return jobNumbered(jobs, number);
      if (answer.status === 0) this.#jsonWorks = false;
    }
    const answer = await this.#ask('scontrol', ['--details', ...words]);
    if (NO_JOB.test(answer.complaint)) return 'gone';
    if (answer.status !== 0) throw failed('scontrol show job', answer);
    return jobNumbered(jobsFromText(answer.text), number);
  }

  async node(name: string): Promise<SlurmNode | null> {
    const words = ['show', 'node', name];
    if ((await this.#has(JSON_OF_JOBS)) && this.#jsonWorks) {
      const node = nodeFromJson((await this.#ask('scontrol', ['--json', ...words])).text, name);
      if (node !== null) return node;
    }
    const answer = await this.#ask('scontrol', words);
    // A host that only submits jobs is not a node of the cluster.
    if (answer.status !== 0 && !NO_NODE.test(answer.complaint + answer.text))
      throw failed('scontrol show node', answer);
    return nodeFromText(answer.text, name);
  }

  async jobsOf(node: string): Promise<readonly number[]> {
    const states = 'RUNNING,SUSPENDED,COMPLETING,STOPPED';
    const answer = await this.#ask('squeue', ['--noheader', `--nodelist=${node}`, `--states=${states}`, '--format=%A']);
    if (answer.status !== 0) throw failed('squeue', answer);
    const lines = answer.text.split('\n', MAX_JOBS).map((line) => line.trim());
    return lines.flatMap((line) => (/^[1-9]\d{0,9}$/.test(line) ? [Number(line)] : []));
  }

  async reservations(): Promise<readonly Reservation[]> {
    const words = ['show', 'reservation'];
    if ((await this.#has(JSON_OF_JOBS)) && this.#jsonWorks) {
      const found = reservationsFromJson((await this.#ask('scontrol', ['--json', ...words])).text);
      if (found !== null) return found;
    }
    const answer = await this.#ask('scontrol', words);
    if (answer.status !== 0) throw failed('scontrol show reservation', answer);
    return reservationsFromText(answer.text);
  }

  async #has(release: number): Promise<boolean> {
    this.#version ??= this.#askVersion();
    try {
      return (await this.#version) >= release;
    } catch (error) {
      this.#version = null;
      throw error;
    }
  }

  async #askVersion(): Promise<number> {
    const found = versionOf((await this.#ask('scontrol', ['--version'])).text);
    this.release = found?.text ?? null;
    return found?.number ?? 0;
  }

  #ask(program: 'scontrol' | 'squeue', words: readonly string[]): Promise<Answer> {
    const { folder, conf, own, signal, deadlineMs = DEADLINE_MS } = this.#options;
    this.asked += 1;
    const traced = callOut(() => programCall(join(folder, program), words));
    const answer = askProgram(['ask', String(process.pid), join(folder, program), ...words], {
      signal,
      deadlineMs,
      maxBytes: MAX_BYTES,
      // Times without a zone are read as UTC.
      environment: {
        PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
        LC_ALL: 'C',
        TZ: 'UTC',
        ...(conf === null ? {} : { SLURM_CONF: conf }),
      },
      own: { processes: own, part: 'slurm' },
    });
    answer.then(
      ({ status, by }) => traced.end(status === 0 ? {} : { error: String(by ?? status) }),
      () => traced.end({ error: 'no_answer' }),
    );
    return answer;
  }
}

function failed(what: string, { complaint, status, by }: Answer): Error {
  const lines = complaint.split('\n').map((line) => line.trim());
  const last = lines.findLast((line) => line !== '') ?? `it ended with ${by ?? `status ${status}`}`;
  return new Error(`${what}: ${last.slice(0, 200)}`);
}
