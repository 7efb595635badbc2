// Asks slurmrestd about jobs and nodes: by its unix socket, or over HTTP with a token that is read again for each question.

import { readFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { callOut, httpCall, httpEnd } from '../../../helpers/calls.ts';
import { errorCode } from '../../../helpers/error-code.ts';
import { hostsOf } from '../../../helpers/host-list.ts';
import { documentOf, errorsInJson, jobsFromJson } from '../read/job-json.ts';
import { nodeFromJson, type SlurmNode } from '../read/node.ts';
import { type Reservation, reservationsFromJson } from '../read/reservation.ts';
import type { RestSettings } from '../settings.ts';
import { type ControllerQuestions, type JobAnswer, jobNumbered } from './questions.ts';

const DEADLINE_MS = 15_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** Data parsers of 26.05 down to 22.05; the newest that slurmrestd has is taken. */
const NEWEST = 45;
const OLDEST = 36;
const NO_JOB = /Invalid job id|Unable to query job|job.*not found/i;

interface Reply {
  readonly status: number;
  readonly text: string;
}

export class Slurmrestd implements ControllerQuestions {
  readonly #settings: RestSettings;
  readonly #signal: AbortSignal;
  readonly #deadlineMs: number;
  #version: number | null = null;

  constructor(settings: RestSettings, signal: AbortSignal, deadlineMs = DEADLINE_MS) {
    this.#settings = settings;
    this.#signal = signal;
    this.#deadlineMs = deadlineMs;
  }

  async job(number: number): Promise<JobAnswer> {
    const { status, text } = await this.#get(`job/${number}`);
    const errors = errorsInJson(text);
    const jobs = jobsFromJson(text);
    if (jobs !== null && jobs.length > 0) return jobNumbered(jobs, number);
    if (NO_JOB.test(errors) || status === 404 || (status === 200 && errors === '')) return 'gone';
    throw failed(status, errors);
  }

  async node(name: string): Promise<SlurmNode | null> {
    const { status, text } = await this.#get(`node/${encodeURIComponent(name)}`);
    const node = nodeFromJson(text, name);
    if (node === null && status !== 200) throw failed(status, errorsInJson(text));
    return node;
  }

  async jobsOf(node: string): Promise<readonly number[]> {
    const { status, text } = await this.#get('jobs');
    const jobs = jobsFromJson(text);
    if (jobs === null) throw failed(status, errorsInJson(text));
    const has = ['RUNNING', 'SUSPENDED', 'COMPLETING', 'STOPPED'];
    return jobs
      .filter(
        ({ states, nodes }) => states.some((s) => has.includes(s)) && nodes !== null && hostsOf(nodes).includes(node),
      )
      .map(({ number }) => number);
  }

  async reservations(): Promise<readonly Reservation[]> {
    const { status, text } = await this.#get('reservations');
    const found = reservationsFromJson(text);
    if (found === null) throw failed(status, errorsInJson(text));
    return found;
  }

  async #get(path: string): Promise<Reply> {
    if (this.#version === null) this.#version = await this.#newest();
    return this.#fetch(`/slurm/v0.0.${this.#version}/${path}`);
  }

  async #newest(): Promise<number> {
    for (let version = NEWEST; version >= OLDEST; version -= 1) {
      const { status, text } = await this.#fetch(`/slurm/v0.0.${version}/ping`);
      if (status === 401 || status === 403) throw failed(status, errorsInJson(text));
      if (status === 200 && documentOf(text) !== null) return version;
    }
    throw new Error('slurmrestd has no API of Slurm 22.05 to 26.05');
  }

  async #fetch(path: string): Promise<Reply> {
    const { socket, url, user, tokenFile } = this.#settings;
    // It is rotated under us.
    const token = tokenFile === null ? null : (await readFile(tokenFile, 'utf8')).trim();
    const headers: Record<string, string> = {
      accept: 'application/json',
      ...(user === null || token === null ? {} : { 'x-slurm-user-name': user, 'x-slurm-user-token': token }),
    };
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(this.#deadlineMs)]);
    const at = new URL(path, url ?? 'http://localhost');
    const traced = callOut(() => httpCall('GET', at));
    if (traced.traceparent !== null) headers.traceparent = traced.traceparent;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked =
        socket === null
          ? (url?.startsWith('https:') === true ? httpsRequest : httpRequest)(`${url}${path}`, { headers, signal })
          : httpRequest({ socketPath: socket, path, headers, signal });
      asked.once('response', resolve).once('error', reject).end();
    }).catch((error: unknown) => {
      traced.end({ error: errorCode(error) ?? 'error' });
      throw error;
    });
    traced.end(httpEnd(response.statusCode ?? 0));
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of response as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > MAX_BYTES) throw new Error(`slurmrestd answered more than ${MAX_BYTES} bytes`);
      parts.push(part);
    }
    return { status: response.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') };
  }
}

function failed(status: number, errors: string): Error {
  return new Error(`slurmrestd answered ${status}${errors === '' ? '' : `: ${errors.slice(0, 200)}`}`);
}
