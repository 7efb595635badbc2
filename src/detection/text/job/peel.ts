// Peel: takes off what launchers, log collectors and loggers put before the line that a process itself printed.

import type { RankLabel } from '../../../model/rank-label.ts';
import { loggerHead, seenIn } from './logger-head.ts';

/** A line has so many prefixes at most: a collector's, a launcher's, a logger's, each once or twice. */
const MOST = 10;
/** No prefix is longer. */
const MAX_PREFIX = 400;

const TIME = '\\d{4}-\\d\\d-\\d\\d[ T]\\d\\d:\\d\\d:\\d\\d(?:[.,]\\d{1,9})?(?:Z| ?[+-]\\d\\d:?\\d\\d)?';
const LEVEL = '(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL)';

/** One prefix each; the group `rank` is the process that printed, `who` says which of several did. */
const PREFIXES: readonly RegExp[] = [
  // torchrun's tee and PyTorch's logger: "[default3]:", "[trainer0|3]:", "[rank3]: "; Lightning and NeMo: "[rank: 3] ".
  /^\[[A-Za-z_]{1,32}-?\d{1,7}(?:[|:]\d{1,7})?\]: ?/,
  /^\[rank: ?\d{1,7}\] /,
  // vLLM, of an engine that has no other ranks: "(VllmWorker rank=3 pid=17) ", "(VllmWorker TP3 pid=17) ", "(Worker_TP3 pid=17) ".
  /^(?<who>\((?:Vllm)?Worker(?: rank=|[ _]TP|_)(?<rank>\d{1,7}) pid=\d{1,10}\)) ?/,
  // Ray: "(WorkerDict pid=17, ip=192.0.2.9) ", "(raylet) ", "(main_task pid=17) ".
  /^(?<who>\((?:raylet|autoscaler|gcs_server|(?:[^()\n]{0,120} )?pid=\d{1,10})(?:, [^()\n]{1,80})?\)) ?/,
  // vLLM in the log of a trainer: "ERROR 11-28 12:02:25 [core.py:710] ", also "… 12:02:25.331 … core.py:710] " and without a time.
  new RegExp(`^${LEVEL} (?:\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,6})? )?\\[?[\\w.:/-]{1,64}:\\d{1,5}\\] `),
  // Ray Serve: "WARNING 2026-11-29 02:06:38,331 controller 812 -- ", with the request, route and source before the bar in older ones.
  new RegExp(
    `^${LEVEL} ${TIME} [\\w.#-]{1,120} [\\w.#-]{1,80} (?:[\\w./-]{1,80} ){0,3}(?:\\w{1,80}\\.py:\\d{1,6} )?--? `,
  ),
  // A collector's level before its time: "INFO 2026-11-19T20:16:36.096625454Z ".
  new RegExp(`^${LEVEL} {1,4}(?=${TIME} )`),
  // What a collector says of where it read the line: "[resource.labels.containerName: vllm] ".
  /^\[[a-z]\w{0,31}(?:\.\w{1,48}){1,6}[:=] ?[^\]\n]{1,128}\] /,
  // A logger of Python by its source: "[ERROR|trainer.py:812] 2026-11-29 02:06:38,331 >> ".
  new RegExp(`^\\[${LEVEL}\\|[\\w./-]{1,64}:\\d{1,6}\\] ${TIME} >> `),
  // loguru: "2026-11-29 02:06:38.331 | ERROR    | trainer.loop:step:88 - ".
  new RegExp(`^${TIME} \\| ${LEVEL} {1,8}\\| [\\w.<>:]{1,120} - `),
  // zap, Hydra, and loggers that print the time of day alone: "…Z\tERROR\tmain.py:12\t", "[…][root][ERROR] - ", "06:45:12 [ERROR] ".
  new RegExp(`^${TIME}\\t${LEVEL}\\t[\\w./:-]{1,80}\\t`),
  new RegExp(`^\\[${TIME}\\]\\[[\\w.-]{1,64}\\]\\[${LEVEL}\\] - `),
  new RegExp(`^${TIME} \\| {0,4}${LEVEL} {0,8}\\| {1,4}(?![\\w.<>:]{1,120} - )`),
  new RegExp(`^\\[?\\d\\d:\\d\\d:\\d\\d(?:[.,]\\d{1,9})?\\]? (?:- )?\\[?${LEVEL}\\]?[: ] ?(?:- )?`),
  // Python's logging as it comes: "ERROR:root:", and what says which stream it was.
  new RegExp(`^${LEVEL}:[\\w.]{1,80}:(?! )`),
  /^\[?std(?:err|out)(?:\]|: |\]: ?) ?/,
  // The bar of a panel, and what a table of a log viewer has before the time: "| ", "\u2502 ", "U | ".
  /^(?:[A-Z] )?[|\u2502] {1,4}(?=\S)/,
  // What a page of a build has before each line, so that the blanks behind it are the line's own: "  | ".
  /^ {1,4}\| /,
  // "[worker-0] | ", and a rank before a time in brackets: "[rank3][2026-11-29 02:06:38] ".
  /^(?<who>\[[\w.-]{1,64}\]) {1,8}\| {1,4}(?=\S)/,
  /^\[rank-?\d{1,7}\] ?(?=\[\d|(?:DEBUG|INFO|WARN|ERROR|CRITICAL|FATAL))/,
  // Bold in Markdown, as threads of questions have the line that they are about.
  /^\*{2}(?=[A-Z][\w.]{2,80}: )/,
  // A message that begins with who it is of: "rank 6: CUDA error: …", "Rank 6 | ".
  /^(?:global[_ ])?[Rr]ank (?<rank>\d{1,7})(?::| [|-]) (?! )/,
  // With the host before or behind it: "gx-08 rank 5: RuntimeError: …", "rank 5 on gx-08: ", "rank 5 (gx-08): ".
  /^(?=[\w.-]{0,62}\d)[A-Za-z][\w.-]{1,62}:? [Rr]ank[ =]?(?<rank>\d{1,7}): (?! )/,
  /^[Rr]ank[ =]?(?<rank>\d{1,7}) (?:on |@ ?|\()(?=[\w.-]{0,62}\d)[A-Za-z][\w.-]{1,62}\)?: (?! )/,
  // glog: "E1119 12:16:36.488085    5711 dump.go:53] ".
  /^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{3,9} {1,8}\d{1,10} [\w./-]{1,64}:\d{1,6}\] /,
  // A bar, or what is left of it on a narrow screen, that the line was appended to, for it ends without a newline.
  /^\s{0,8}(?:[^\n|%]{1,64}: {1,4})?\d{1,3}%(?:\|[^|\n]{0,120}\|)? {1,8}\S{1,24} \[[^\]\n]{1,200}\](?=\S)/,
  // SGLang's manager hands a traceback on: "Scheduler hit an exception: ".
  /^[A-Z]\w{3,40} hit an exception: (?=Traceback)/,
  // Open MPI: "[1,3]<stderr>:", with PRRTE "[prterun-node-1-77@1,3]<stderr>: ", and with --timestamp-output a time before it.
  /^(?:[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})?\[(?:[\w.-]{1,80}@)?\d{1,10},(?<rank>\d{1,7})\]<std(?:out|err|diag)>: ?/,
  // Kubernetes: the container runtime's file, and `kubectl logs --prefix`.
  new RegExp(`^${TIME} std(?:out|err) [FP] `),
  /^(?<who>\[pod\/[^\]\n]{1,200}\]) /,
  // Clouds that run others' containers, and collectors of several: "[vllm]: ", the service's name.
  /^(?<who>\[[a-z][a-z\d_.-]{1,62}\]): (?=\S)/,
  // Docker Compose: "trainer-1  | ".
  /^(?<who>[\w.-]{1,64}) {1,40}\| (?! )/,
  // `srun --label`: "3: ", aligned.
  /^ {0,4}(?<who>\d{1,5}): (?!\d)/,
  // Ray's and SGLang's own logs: "[2026-11-29 02:06:38,331 E 6521 6521] ", "[2026-11-28 12:02:22 TP0] ".
  new RegExp(`^\\[${TIME}(?: [\\w .:/-]{1,64})?\\][ :]{0,2}`),
  // A time and a level, as journals, `ts` and Python's logging have them.
  new RegExp(
    `^${TIME}(?:[: ] ?(?:- )?|$)(?:(?!${LEVEL}(?: \\d\\d-\\d\\d | \\[?[\\w./-]{1,64}:\\d|:[\\w.]{1,80}:(?! )))\\[?${LEVEL}\\]?[: ] ?(?:- )?)?`,
  ),
  // pdsh and DeepSpeed: "worker-1: "; names of exceptions and of launchers come before a colon, too.
  /^(?<who>(?!slurm|srun|mpirun|prterun|torchrun|enroot-|flux-|E[A-Z]?\d{4,5}: )(?=[\w.]{0,62}[\d-])[A-Za-z][\w.-]{0,62}(?<!Error|Exception|Interrupt|Exit|Failure|Timeout|\.py|\.cc|\.cpp|\.so)): (?! )/,
];

export interface Peeled {
  /** What the process printed, with the blanks that it printed before it. */
  readonly body: string;
  /** The same without what else a logger may have put before it, such as names: some are words of the message. */
  readonly message: string;
  /** The rank that the launcher says it is of; null where it does not. */
  readonly label: RankLabel | null;
  /** Which of several processes printed it, as far as the prefixes say. */
  readonly who: string;
}

export function peel(text: string): Peeled {
  const outer = prefixes(text);
  const { body } = outer;
  const head = loggerHead(body, seenIn(text.slice(0, text.length - body.length)));
  if (head === 0) return { ...outer, message: body };
  const inner = prefixes(body.slice(head));
  return { body, message: inner.body, label: outer.label ?? inner.label, who: `${outer.who}${inner.who}` };
}

function prefixes(text: string): Omit<Peeled, 'message'> {
  let body = text;
  let label: RankLabel | null = null;
  let who = '';
  for (let left = MOST; left > 0; left -= 1) {
    const found = first(body);
    if (found === null) break;
    body = body.slice(found[0].length);
    const { rank, who: printer } = found.groups ?? {};
    if (rank !== undefined) label = { number: Number(rank), means: 'global' };
    if (printer !== undefined) who = `${who}${printer}`;
  }
  return { body, label, who };
}

function first(body: string): RegExpExecArray | null {
  const head = body.length > MAX_PREFIX ? body.slice(0, MAX_PREFIX) : body;
  for (const prefix of PREFIXES) {
    const found = prefix.exec(head);
    if (found !== null && found[0] !== '') return found;
  }
  return null;
}
