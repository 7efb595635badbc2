// Labels: what logs are called that say neither host nor job: a name of the job, and one that stands for the host.

import { basename, dirname } from 'node:path';
import { hostOfLog } from '../../model/unnamed-host.ts';

const LONGEST = 120;
const ENDINGS = /\.(?:log|txt|out|err|json|jsonl)$/i;
/** "slurm-8812.out", "slurm-8812_3.out", "job.8812.log", "llama.o8812": the number that the scheduler gave. */
const NUMBERED = /^(?:slurm-|(?:slurm|job|jobid|pbs|lsf)[-_.]?(?=\d\d))(\d{1,12}(?:_\d{1,7})?)$|\.[oe](\d{2,12})$/i;
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
    const said = NUMBERED.exec(basename(stem));
    const pod = IN_PODS.exec(stem)?.[1];
    const job = said?.[1] ?? said?.[2] ?? pod ?? IN_CONTAINERS.exec(stem)?.[1];
    // "0.log" says nothing.
    const log = `${pod === undefined ? '' : `${pod}:`}${basename(path) || 'log'}`;
    const folder = basename(dirname(path));
    const isDaemon = OF_DAEMON.test(basename(stem));
    return {
      job: free(job ?? (basename(stem) || 'log'), folder, this.#taken),
      isGuessed: job === undefined && !isDaemon,
      isDaemon,
      host: hostOfLog(free(log, folder, this.#hosts)),
    };
  }
}

/** The first of its names that no other log has, which is its own from then on. */
function free(name: string, folder: string, taken: Set<string>): string {
  const candidates = [name, `${folder}:${name}`, ...Array.from({ length: 8 }, (_, i) => `${folder}:${name}#${i + 2}`)];
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
