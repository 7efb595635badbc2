// `fr --trigger`: asks the ranks on this host that dump into the given folders, and waits for what they write.

import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type RankProcess, RankProcesses } from '../../identity/rank/processes.ts';
import { type Asked, askForDumps } from '../../sources/flight-recorder/jobs/ask-for-dumps.ts';
import { processScanner } from '../../sources/scan-processes.ts';
import { namedRanks } from './ranks.ts';

const WHY: Readonly<Record<Exclude<Asked, 'asked'>, string>> = {
  no_pipe: 'no pipe: start the job with TORCH_NCCL_DEBUG_INFO_PIPE_FILE',
  no_reader: 'no process reads its pipe: the rank is gone, or not of this job',
  not_a_pipe: 'what is at the path of its pipe is not a pipe',
  refused: 'its pipe may not be written: run this as the user of the job, or as root',
};

export interface AskedRanks {
  readonly ranks: readonly number[];
  /** One line for each reason why ranks were not asked, or why there are none. */
  readonly said: readonly string[];
}

/** `proc`: root of procfs. A rank that does not say where it dumps is asked as well. */
export async function askRanks(paths: readonly string[], proc: string): Promise<AskedRanks> {
  const processes = new RankProcesses(proc, processScanner(proc));
  await processes.scan();
  const folders = new Set((await Promise.all(paths.map(identity))).filter((each) => each !== null));
  const ours: RankProcess[] = [];
  for (const rank of processes.ranks) if (await writesInto(rank, folders)) ours.push(rank);
  if (ours.length === 0) {
    const hidden =
      processes.refused === 0
        ? ''
        : `; ${processes.refused} processes of other users may not be looked at: run it as the user of the job, or as root`;
    return { ranks: [], said: [`FL2414 no rank on this host dumps into these folders${hidden}`] };
  }
  const answers = await askForDumps(ours);
  const ranks = [...answers].flatMap(([rank, answer]) => (answer === 'asked' ? [rank] : [])).sort((a, b) => a - b);
  const said = Object.entries(WHY).flatMap(([reason, why]) => {
    const refused = [...answers].flatMap(([rank, answer]) => (answer === reason ? [rank] : []));
    return refused.length === 0 ? [] : [`FL2415 ${namedRanks(refused.sort((a, b) => a - b))} not asked: ${why}`];
  });
  return { ranks, said };
}

async function writesInto({ root, dumpPrefixes }: RankProcess, folders: ReadonlySet<string>): Promise<boolean> {
  const own = await Promise.all(dumpPrefixes.map((prefix) => identity(`${root}${dirname(prefix)}`)));
  return own.some((each) => each !== null && folders.has(each));
}

async function identity(path: string): Promise<string | null> {
  const info = await stat(path).catch(() => null);
  if (info === null) return null;
  return info.isDirectory() ? `${info.dev}:${info.ino}` : identity(dirname(path));
}
