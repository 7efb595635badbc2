// Taken out: a host that its scheduler took out of service gets no new work already, and comes back by a command once it is right.

import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { HOST } from './kind-step.ts';
import type { Special } from './special-step.ts';

const LONGEST = 120;
/** What takes a node out, and what gives it back. */
const DRAINS: ReadonlySet<string> = new Set(['quarantined', 'returned']);

/** What of an incident says so: its events, and what was seen done about it. */
export type OfDrain = Pick<Incident, 'events'> & Pick<Partial<Incident>, 'stages'>;

/** By Slurm's word, and not back since. */
export function isTakenOut({ events, stages = [] }: OfDrain, host: string): boolean {
  const done = stages.findLast(
    ({ name, component }) => DRAINS.has(name) && component?.type === 'host' && component.id === host,
  );
  if (done !== undefined && done.action === 'drain' && done.name === 'quarantined' && done.outcome === 'succeeded') return true; // biome-ignore format: one rule
  const last = events
    .filter(({ component }) => component?.type === 'host' && component.id === host)
    .findLast(({ kind, attributes }) => kind === 'host.drained' || kind === 'host.resumed' || attributes.out_of_service === true); // biome-ignore format: one rule
  return last !== undefined && last.kind !== 'host.resumed' && last.state !== 'clear' && isOfSlurm(last);
}

/** To come behind the steps; empty where nothing is to be taken back, or more than this host was lost. */
export function resumeText(incident: OfDrain, host: string): string {
  const hosts = new Set(incident.events.flatMap(({ component }) => (component?.type === 'host' ? [component.id] : [])));
  if (hosts.size > 1 || !isTakenOut(incident, host)) return '';
  return `; once ${host} is right: scontrol update nodename=${host} state=resume`;
}

/** Null where the root is not what a scheduler alone says of a host. */
export function bySchedulersWord({ root, events, action: { target } }: Incident): Special | null {
  const event = events.find(({ id }) => id === root.eventId);
  const { told_by: by, reason, what, step } = event?.attributes ?? {};
  if (what === 'step_stuck') return stepStuck(step);
  if (by !== 'scheduler' || target?.type !== 'host' || target.id !== root.component?.id) return null;
  if (root.kind === 'gpu.missing' && events.every(({ kind, attributes }) => !/^(?:gpu|pcie|driver)\./.test(kind) || attributes.told_by === by)) return GPUS; // biome-ignore format: one rule
  if (root.kind === 'host.part_missing') return PARTS;
  if (root.kind === 'host.degraded' && typeof reason === 'string') return ofCheck(plain(reason, LONGEST));
  return null;
}

/** It may be the scheduler that counts wrong. */
const GPUS: Special = {
  does: 'see whether the driver of % still sees all of its GPUs; reboot only where one is gone',
  now: 'on @, nvidia-smi -L (AMD: amd-smi list). Where all are there, compare gres.conf and the line of slurmd -C with them, and restart slurmd. Where one is gone: sudo dmesg -T | grep -iE "xid|fallen off" says why; DRAIN; once nothing runs on @, SAVEreboot it: sudo systemctl reboot',
  call: HOST,
};

/** All that slurmd knows is that some process was there a minute after SIGKILL. */
function stepStuck(step: unknown): Special {
  const which = STEP_NUMBER.test(String(step)) ? `step ${step}` : 'the step';
  return {
    does: `see which process of ${which} did not end on %, and what it waits for`,
    now: "on @, ps -eo pid,stat,wchan:32,user,args | awk '$2 ~ /^D/' lists what SIGKILL does not end, sudo dmesg -T | tail -n 50 a disk, file server or driver that it waits in. With none left it only took longer than UnkillableStepTimeout (a core dump). Where one stays: DRAIN; once no other job runs on @, reboot it",
    call: HOST,
  };
}
/** "4411", "4411.0", "4411.batch". */
const STEP_NUMBER = /^\d{1,10}(?:_\d{1,7})?(?:\.\w{1,12})?$/;

const PARTS: Special = {
  does: 'see whether a part of % is gone, or slurm.conf asks for too much',
  now: 'on @, slurmd -C prints what it has: compare the line of the node in slurm.conf. Where it has less than before (lscpu; free -g), its BMC may know why (sudo ipmitool sel elist), or threads were turned off in its firmware: DRAIN; have that part replaced. Else correct slurm.conf',
  call: HOST,
};

const ofCheck = (reason: string): Special =>
  /^(?:NHC|Health ?check|health check)/.test(reason)
    ? {
        does: `see on % what its health check found: ${reason}`,
        now: 'run that check on @ by hand (NHC: sudo nhc -d), and see what it reads; DRAIN',
        call: HOST,
      }
    : {
        does: `see why Slurm has no use of %: ${reason}`,
        now: 'on @, sudo journalctl -u slurmd (or its SlurmdLogFile) has why at that time; DRAIN',
        call: HOST,
      };

function isOfSlurm({ source, attributes: { program } }: FaultEvent): boolean {
  return source === 'slurm' || program === 'slurmctld' || program === 'slurmd';
}
