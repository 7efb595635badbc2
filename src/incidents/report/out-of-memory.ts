// Out of memory: a kill is the program's where it reached its own limit, and the host's where that ran out as a whole.

import { heldKib, memoryText } from '../../model/detail-text.ts';
import type { Attributes } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { NAME } from './drain.ts';
import { ownerText } from './owner.ts';
import { hostWords } from './place.ts';
import { quantityText } from './quantity.ts';
import { meanwhile } from './service-failed.ts';
import type { Special } from './special-step.ts';

const LONGEST = 240;

/** Which end work only where the memory of the host as a whole is nearly gone. */
const BEFORE_THE_KERNEL: ReadonlySet<unknown> = new Set(['Ray', 'systemd-oomd', 'earlyoom']);
/** Of what the job asked for. */
const AT_A_LIMIT: ReadonlySet<unknown> = new Set(['LSF', 'PBS', 'Slurm']);

/** Null where the root is not that work was ended for its memory. */
export function outOfMemory(first: Incident): Special | null {
  if (first.root.kind === 'pod.oom_killed') return ofContainer(factsOf(first));
  if (first.root.kind !== 'host.oom') return null;
  const incident = ofBiggest(first);
  const facts = factsOf(incident);
  if (facts.constraint === 'CONSTRAINT_MEMCG') return ofLimit(facts);
  // Ray ends workers only where the memory of the node as a whole is nearly gone.
  if (AT_A_LIMIT.has(facts.ended_by)) return ofLimit(facts);
  if (facts.told_by === 'scheduler' && facts.reason === 'out of memory') return ofRequest(incident, facts);
  return facts.scope === 'host' || BEFORE_THE_KERNEL.has(facts.ended_by) ? ofHost(incident, facts) : null;
}

/** Of several kills of a host the kernel's first is often of a small process: the one that held most filled it. */
function ofBiggest(incident: Incident): Incident {
  const { root, events } = incident;
  const own = events.find(({ id }) => id === root.eventId);
  if (own === undefined || factsOf(incident).scope !== 'host') return incident;
  const kills = events.filter(
    ({ kind, component, attributes }) =>
      kind === root.kind && attributes.scope === 'host' && component?.host === own.component?.host,
  );
  const held = ({ attributes }: (typeof kills)[number]): number => heldKib(attributes) ?? 0;
  const biggest = kills.reduce((most, kill) => (held(kill) > held(most) ? kill : most), own);
  return biggest === own ? incident : { ...incident, root: { ...root, eventId: biggest.id, component: biggest.component } }; // biome-ignore format: one choice
}

/** Of all lines of the kill: the first may say which process it was, and the next how much it held. */
function factsOf({ root, events }: Incident): Attributes {
  const kill = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  const same = events.filter(({ kind, attributes: { pid } }) => kind === root.kind && pid === kill.pid);
  return Object.assign({}, ...same.map(({ attributes }) => attributes), kill);
}

function ofLimit(facts: Attributes): Special {
  const limit = sizeOf(facts.limit_kib);
  return {
    does: `${facts.ended_by === undefined ? 'debug the program of %, which ended' : 'debug the job, which ended'}: it reached its memory limit${limit === null ? '' : ` of ${limit}`}`,
    now: 'give its job or pod a higher limit, or let it load less (workers of the data loader, files in /dev/shm, pinned memory), and start it again; @ can stay in service',
    call: 'who runs the job',
  };
}

/** What a scheduler's record of a job says: how much it asked for, and how much of it it used. */
function ofRequest({ root }: Incident, { asked_for: asked, used_kib: used }: Attributes): Special {
  const most = sizeOf(used);
  const id = root.component?.type === 'job' && JOB_NUMBER.test(root.component.id) ? root.component.id : 'JOB';
  return {
    does: `give % more memory${typeof asked === 'string' ? ` than the ${plain(asked, 16)} that it asked for` : ''}, or let it load less`,
    now: `${most === null ? `sacct -j ${id} --format=JobID,State,ReqMem,MaxRSS has what it used` : `it used ${most} at most (MaxRSS, which misses short peaks)`}: start it again with a larger --mem, or let it load less (workers of the data loader, files in /dev/shm, pinned memory); @ can stay in service`,
    call: 'who runs the job',
  };
}
const JOB_NUMBER = /^\d{1,10}(?:_\d{1,7})?$/;

/** As `kubectl describe pod` has it. */
function ofContainer({ limit_said: limit, container, restarts }: Attributes): Special {
  const which = typeof container === 'string' ? `container ${plain(container, 63)}` : 'its container';
  const often = typeof restarts === 'number' && restarts > 1 ? `, restarted ${restarts} times` : '';
  const of = typeof container === 'string' && NAME.test(container) ? ` -c ${container}` : '';
  return {
    does: `give % more memory, or let it load less: ${which} reached its limit${typeof limit === 'string' ? ` of ${plain(limit, 32)}` : ''}${often}`,
    now: `kubectl logsPOD${of} --previous has what it did before; raise resources.limits.memory of ${which}, or let it load less (workers of the data loader, files in /dev/shm); its node can stay in service`,
    call: 'who runs the job',
  };
}

/** Of a host whose size no line says: smaller ones have no such GPUs. */
const MUCH_KIB = 64 * 2 ** 20;

/** Killed for its score, it can have filled no host. */
const LITTLE_KIB = 2 ** 20;

function isSmall(facts: Attributes): boolean {
  const held = heldKib(facts);
  return held !== null && held < LITTLE_KIB;
}

function isOfJob({ whose = [], root, events }: Incident): boolean {
  const memcg = events.find(({ id }) => id === root.eventId)?.attributes.memcg;
  return whose.length > 0 || (typeof memcg === 'string' && /job|pod/.test(memcg));
}

function heldMost(facts: Attributes): boolean {
  const { ram_kib: ram, process } = facts;
  const held = heldKib(facts);
  if (held === null || typeof process !== 'string') return false;
  return held >= (typeof ram === 'number' ? ram / 2 : MUCH_KIB);
}

/** It held most of it itself, and is gone. */
const ENDED =
  'what held it has ended: let its owner make it smaller (data-loader workers, files in /dev/shm, pinned memory) or limit its job; on @, free -h and df -h /dev/shm show whether the rest is free';

/** `named`: the service that ended by it, as systemd says within the minute; null where none is known. */
function endedService({ events }: Incident): string | null {
  const ended = events.find(({ kind, attributes: { unit, result } }) => kind === 'host.degraded' && typeof unit === 'string' && BY_KILL.test(String(result)))?.attributes.unit; // biome-ignore format: one question
  const name = String(ended ?? '').replace(/\.service$/, '');
  return NAME.test(name) ? name : null;
}
const BY_KILL = /^(?:oom-kill|9\/KILL|signal)$/;

/** A service of the host is of no job, and nothing else starts it again. */
function ofService(service: string, host: string, heldThen: number | null): Special {
  return {
    does: `start ${service} of ${host} again, which was killed when memory ran out${heldThen === null || heldThen <= 0 ? '' : `; it held ${memoryText(heldThen)}`}${meanwhile(service)}`,
    now: `on @, systemctl is-active ${service}: where it is not, sudo systemctl restart ${service}; then journalctl -u ${service} -n 50 and ps -eo pid,user,rss,args --sort=-rss | head show whether it or something else grows; what asks it waits or fails meanwhile`,
    call: 'who runs @',
  };
}

function ofHost(incident: Incident, facts: Attributes): Special {
  const host = hostWords(incident);
  const service = endedService(incident);
  const all = sizeOf(facts.ram_kib);
  const shared = sizeOf(facts.shmem_kib);
  const { largest, process, pid } = facts;
  const killed = heldKib(facts);
  const own =
    killed === null || killed <= 0 || typeof process !== 'string'
      ? null
      : `${plain(process, LONGEST)} (${pid}), which was killed, ${isSmall(facts) ? 'held only ' : ''}${memoryText(killed)}`;
  const isVictim = typeof largest !== 'string' && own !== null && isSmall(facts);
  const held = typeof largest === 'string' ? plain(largest, LONGEST) : own;
  const who = [...(held === null ? [] : [held]), ...(shared === null ? [] : [`shared memory ${shared}`])].join(', ');
  if (service !== null) return ofService(service, host, killed);
  return {
    does: `see what filled the memory of ${host}${all === null ? '' : ` (${all} in all)`}${who === '' ? '' : `: ${who}`}`,
    now:
      typeof largest !== 'string' && heldMost(facts)
        ? ENDED
        : `on @, ps -eo pid,user,rss,args --sort=-rss | head, and df -h /dev/shm: end what an earlier job left there, and ask the owner of a job that runs to make it smaller; a limit of memory for each job lets only the one that passes it be killed`,
    // Its owner is asked only where it was part of a job.
    call: isVictim && !isOfJob(incident) ? 'who runs @' : `who runs @; then ${ownerText(incident)}`,
  };
}

function sizeOf(kib: unknown): string | null {
  return typeof kib === 'number' && kib > 0 ? quantityText(kib * 1024, 'B') : null;
}
