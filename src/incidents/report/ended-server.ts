// Ended server: an inference server that failed answers no request until it runs again, so that this is seen to first; why it failed is found behind that.

import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';

/** As they write of themselves: their processes, their modules, the heads of their lines. */
const SERVERS: readonly (readonly [RegExp, string])[] = [
  [
    /\bvllm\b|Vllm\w*Worker|\bVLLM::|\bEngineCore|\bWorkerProc\b|LLMEngine\b|EngineDeadError|RPC call to \w{1,64} timed out/,
    'vLLM',
  ],
  [
    /\bsglang\b|\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?: DP\d{1,4})?(?: PP\d{1,4})? TP\d{1,4}\]|sigquit from a child process|\bwatchdog_timeout=\d/i,
    'SGLang',
  ],
  [/\btext_generation_(?:launcher|router|server)\b|\btext-generation-(?:launcher|router|server)\b/, 'TGI'],
  [/\btritonserver\b|\btriton_python_backend\b/, 'Triton'],
  [/\blmdeploy\b/, 'LMDeploy'],
  [/\btrtllm-serve\b|\btensorrt_llm\.serve\b/, 'TensorRT-LLM'],
];
/** It did not come up at all: started again unchanged it ends the same way. */
const AT_ITS_START =
  /failed to start|initialization failed|on startup|ModuleNotFoundError|ImportError|KV cache is needed|max seq len|already in use|mem-fraction-static|does not exist|No such file/;
/** Of exceptions, what a server meets that ran well before; any other one it may have met at its start. */
const MAY_PASS = /CUDA|HIP|NCCL|RCCL|timed out|\bdied\b|EngineDead|encountered an issue|Connection/;
/** Without more of it the server ends the same way. */
const SHORT = /^(?:host\.(?:oom|shm_full|disk_full)|job\.gpu_oom)$/;
const ENDS: ReadonlySet<string> = new Set(['job.rank_crashed', 'job.rank_killed', 'job.failed', 'job.hang']);
const MOST_LOOKED_AT = 4096;

function linesOf(events: readonly FaultEvent[]): string {
  return events
    .flatMap(({ evidence, attributes: { message, process } }) => [
      ...(typeof message === 'string' ? [message] : []),
      ...(typeof process === 'string' ? [process] : []),
      ...evidence.flatMap((each) => ('text' in each ? [each.text.slice(0, MOST_LOOKED_AT)] : [])),
    ])
    .join('\n');
}

/** Which server the lines are of; null of other work, and of one that did not come up. */
export function endedServer({ events }: Pick<Incident, 'events'>): string | null {
  const ends = events.filter(({ kind, state }) => ENDS.has(kind) && state !== 'clear');
  if (ends.length === 0) return null;
  const text = linesOf(events);
  const isOfProgram =
    ends.some(({ attributes: { exception } }) => typeof exception === 'string') && !MAY_PASS.test(text);
  if (AT_ITS_START.test(text) || isOfProgram) return null;
  return SERVERS.find(([form]) => form.test(text))?.[1] ?? null;
}

/** What is seen to before anything is looked for: empty of other work, and where the host or a part of it is not right. */
export function startFirst(incident: Incident): string {
  const { action, root, rootKnown } = incident;
  if (SHORT.test(root.kind)) return '';
  const isOfProgram = !rootKnown || action.kind === 'debug_app' || action.kind === 'restart_app';
  const server = isOfProgram ? endedServer(incident) : null;
  return server === null
    ? ''
    : `start ${server} again where what supervises it has not (kubectl get pods, docker ps, systemctl status). Then `;
}
