// Labels: what logs are called that say neither host nor job: a name of the job, and one that stands for the host.

import { basename, dirname } from 'node:path';
import { hostOfLog } from '../../model/unnamed-host.ts';
import { hostOfPath } from './host-in-path.ts';

const LONGEST = 120;
const ENDINGS = /\.(?:log|txt|out|err|json|jsonl)$/i;
/** "slurm-8812.out", "slurm-8812_3.out", "job.8812.log", "llama.o8812": the number that the scheduler gave. */
const NUMBERED = /^(?:slurm-|(?:slurm|job|jobid|pbs|lsf)[-_.]?(?=\d\d))(\d{1,12}(?:_\d{1,7})?)$|\.[oe](\d{2,12})$/i;
/** "llama-77300", of "llama-77300-gx-12.out": as Slurm names what is asked for as %x-%j-%N; a shorter number may be a port or a step. */
const BEFORE_HOST = /^[\w.-]{1,100}[-_.](\d{5,12}(?:_\d{1,7})?)$/;
/** "ml_llama-worker-0_1c2d…/trainer/0.log" below /var/log/pods, "llama-worker-0_ml_trainer-1c2d….log" in /var/log/containers. */
const IN_PODS = /(?:^|[/!])[a-z0-9-]{1,63}_([a-z0-9][a-z0-9.-]{0,252})_[0-9a-f-]{32,36}\/[a-z0-9-]{1,63}\/\d{1,5}$/;
const IN_CONTAINERS = /(?:^|[/!])([a-z0-9][a-z0-9.-]{0,252})_[a-z0-9-]{1,63}_[a-z0-9-]{1,63}-[0-9a-f]{64}$/;
/** "slurmctld.log", "slurmd-gx-12.log": what a daemon of a scheduler writes of all jobs and nodes is not the text of a job. */
const OF_DAEMON =
  /^(?:slurmd|slurmctld|slurmdbd|slurmrestd|sackd|munged|pbs_server|pbs_mom|sge_qmaster)(?:[-_.].{0,200})?$/i;

export interface Label {
  /** Of the job whose log it is: its number or pod where the path has one, else the name of the file. */
  readonly job: string;
  /** The job is called after the file, for want of a better name. */
  readonly isGuessed: boolean;
  /** It is the log of a scheduler's daemon: each line is of the job that it names, or of none. */
  readonly isDaemon: boolean;
  /** Stands for the host where no line names it. */
  readonly host: string;
}

export class Labels {
  readonly #taken = new Set<string>();
  readonly #hosts = new Set<string>();

  /** With the name of its folder where another log is called so already. */
  of(path: string): Label {
    const stem = path.replace(ENDINGS, '');
    const name = basename(stem);
    const bare = withoutHost(name);
    const said = NUMBERED.exec(name) ?? NUMBERED.exec(bare) ?? (bare !== name && name.startsWith(bare) ? BEFORE_HOST.exec(bare) : null); // biome-ignore format: one line
    const pod = IN_PODS.exec(stem)?.[1];
    const job = said?.[1] ?? said?.[2] ?? pod ?? IN_CONTAINERS.exec(stem)?.[1];
    // "0.log" says nothing.
    const log = `${pod === undefined ? '' : `${pod}:`}${basename(path) || 'log'}`;
    const folder = basename(dirname(path));
    const isDaemon = OF_DAEMON.test(name) || OF_DAEMON.test(bare);
    return {
      job: free(job ?? (name || 'log'), folder, this.#taken, job === undefined ? bare : ''),
      isGuessed: job === undefined && !isDaemon,
      isDaemon,
      host: hostOfLog(free(log, folder, this.#hosts)),
    };
  }
}

/** "deepspeed" of "deepspeed-gx-12": a job is not called after the host that its log names; as it is where nothing is left. */
function withoutHost(name: string): string {
  const host = hostOfPath(name)?.host;
  if (host === undefined) return name;
  const rest = name.replace(host, '').replace(/^[-_.@ ]+|[-_.@ ]+$/g, '');
  return rest === '' ? name : rest;
}

/** The first of its names that no other log has, which is its own from then on. */
function free(name: string, folder: string, taken: Set<string>, short = ''): string {
  const candidates = [
    ...(short === '' ? [] : [short]),
    name,
    `${folder}:${name}`,
    ...Array.from({ length: 8 }, (_, i) => `${folder}:${name}#${i + 2}`),
  ];
  let own = candidates.map(cut).find((each) => !taken.has(each));
  for (let number = taken.size; own === undefined; number += 1) {
    const numbered = cut(`${name}#${number}`);
    if (!taken.has(numbered)) own = numbered;
  }
  taken.add(own);
  return own;
}

/** Its end, which tells long names apart. */
function cut(name: string): string {
  return name.length <= LONGEST ? name : `…${name.slice(1 - LONGEST).toWellFormed()}`;
}
