// Bus error: a program gets it where the memory behind an address is gone: shared memory that is full, a page that failed, a file that was cut.

import type { Incident } from '../../model/incident.ts';
import { ownerText } from './owner.ts';
import { hostWords } from './place.ts';
import type { Special } from './special-step.ts';

const SIGBUS = 7;
/** As launchers, shells and handlers of signals call it. */
const WORDS = /\bSIGBUS\b|\b[Bb]us error\b|\bsignal:? 7\b/;

/** Null where the root ended by anything else, or a line says already what was gone. */
export function busError(incident: Incident): Special | null {
  const { root, events } = incident;
  if (root.kind !== 'job.rank_crashed') return null;
  const own = events.find(({ id }) => id === root.eventId);
  const lines = own?.evidence.flatMap((one) => ('text' in one ? [one.text] : [])) ?? [];
  if (own?.attributes.signal !== SIGBUS && !lines.some((line) => WORDS.test(line))) return null;
  const host = hostWords(incident);
  return {
    does: 'see whether shared memory or memory of @ is at fault (SIGBUS), then debug %',
    now: "on @, df -h /dev/shm; sudo dmesg -T | grep -iE 'memory failure|hardware error|i/o error': full shared memory needs room (a container: --shm-size; a pod: an emptyDir of medium Memory); with a hardware error keep work off @. Where there is neither, a file was cut under its mmap, or the program is at fault: send LINES",
    call: `${ownerText(incident)}${host === 'its host' ? '' : '; for its memory who runs @'}`,
  };
}
