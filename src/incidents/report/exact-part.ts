// Exact part: which memory module or processor a fault of a whole host is about, in the words of the source that names it most exactly: a BMC has
// what is printed on the board, the kernel a number of its own.

import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';

type Read = Pick<Incident, 'root' | 'events'>;

/** "(CPU2_B1)", "(P1_DIMM_C1)" behind the words of an entry. */
const SLOT = /\(@?([A-Z][A-Z0-9_.#-]{0,24}\d[A-Z0-9_-]{0,8})\)/i;
/** "CPU2_Status", "Processor 2 Status", "CPU 2". */
const PROCESSOR = /\b(?:CPU|Processor|PROC)[ _]?(\d{1,2})(?![A-Za-z0-9])(?!_[A-Z]\d)/i;
const LONGEST = 64;

/** `DIMM CPU2_B1`, `CPU 2`; null where its lines name none, or several. */
export function exactPart({ root, events }: Read): string | null {
  if (root.component?.type !== 'host') return null;
  const own = events.filter(({ kind, component }) => kind === root.kind && (component?.host ?? component?.id) === root.component?.id); // biome-ignore format: one rule
  if (root.kind === 'memory.ue' || root.kind === 'memory.ce_storm') {
    const slot = onlyOf(own.flatMap((event) => inWords(event, SLOT)));
    return slot === null ? null : /DIMM/i.test(slot) ? slot : `DIMM ${slot}`;
  }
  if (root.kind !== 'cpu.machine_check') return null;
  const modules = events.flatMap(({ kind, component }) =>
    kind === 'memory.ue' && component?.type === 'dimm' ? [component.id.slice(component.id.indexOf('/') + 1)] : [],
  );
  // The check is what the processor says of a module that failed.
  if (modules.length > 0) return onlyOf(modules);
  const number = onlyOf(own.flatMap((event) => inWords(event, PROCESSOR)));
  return number === null ? null : `CPU ${number}`;
}

/** Of an entry of a BMC's log, its sensor and its words. */
function inWords({ attributes: { sensor, event } }: FaultEvent, form: RegExp): string[] {
  const found =
    typeof sensor === 'string' && typeof event === 'string' ? form.exec(`${sensor} ${event}`)?.[1] : undefined;
  return found === undefined ? [] : [found];
}

function onlyOf(names: readonly string[]): string | null {
  const [only, ...others] = new Set(names.map((name) => plain(name, LONGEST)));
  return only === undefined || others.length > 0 ? null : only;
}
