// On battery: what to do about a UPS that runs on its battery, by how far that is: it lasts, is nearly empty, has shut its host down, or the mains are back.

import type { Incident } from '../../model/incident.ts';
import { backMs } from './back.ts';
import { hostOf, listOf } from './host-list.ts';
import { FACILITY } from './kind-step.ts';
import type { Special } from './special-step.ts';

const CALL = FACILITY;

const LASTS: Special = {
  does: 'see whether the mains before the UPS of % are back',
  now: 'ask the UPS of @ whether it runs on battery still, and for how long that lasts (apcaccess status; upsc UPS); where it does, end or save what runs on @ before it is empty; then ask what was logged at TIME by the mains and breakers before it',
  call: CALL,
};
const NEARLY_EMPTY: Special = {
  does: 'save what runs on @: the battery of its UPS is nearly empty',
  now: 'end or save what runs on @ at once (what is left: apcaccess status; upsc UPS); ask when the mains come back; once they are, see that @ is up',
  call: CALL,
};
const SHUT_DOWN: Special = {
  does: 'have the mains before the UPS of % brought back, then start the host',
  now: 'ask when the mains come back; @ shut itself down, for the battery of its UPS was nearly empty: once they are back, start it (ipmitool -I lanplus -H BMC -U USER -f PASSFILE chassis power on), then look for what ran there; other hosts on that UPS lose power, too',
  call: CALL,
};
const BACK: Special = {
  does: 'nothing at once: the mains are back; ask why the UPS of % ran on its batteries',
  now: 'the mains are back since BACK: see that its batteries are charged again (apcaccess status; upsc UPS); then ask what was logged at TIME by the mains and breakers before it',
  call: CALL,
};

/** Nothing is out yet: what is worn is the UPS's, whichever host says so. */
const WORN: Special = {
  does: 'have the battery of the UPS of % replaced',
  now: 'ask the UPS of @ what it says of its battery (apcaccess status; upsc UPS); until it is replaced it may hold no load when the mains fail',
  call: CALL,
};

/** Null where the root is something else than a UPS on battery, such as a switch that chose another feed. */
export function onBattery(incident: Incident): Special | null {
  const step = incident.root.kind === 'power.battery_worn' ? WORN : ofAll(supplyStep(incident), incident);
  const name = step === null ? null : upsName(incident);
  if (step === null || name === null) return step;
  const [short = name] = name.split('@');
  const named = (text: string): string =>
    text
      .replaceAll(/the UPS of [%@]/g, `UPS ${short}`)
      .replaceAll('the battery of its UPS', `the battery of UPS ${short}`)
      .replaceAll('apcaccess status; upsc UPS', 'on @: upsc UPSNAME');
  return { does: named(step.does), now: named(step.now), call: step.call };
}

/** `rack4@localhost`, as upsc takes it on the host that says so: with what follows "@" it may feed others. Null where no line has it. */
export function upsName({ root, events }: Incident): string | null {
  const { ups } = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  return typeof ups === 'string' && UPS.test(ups) ? ups : null;
}
const UPS = /^\w[\w.-]{0,47}(?:@[\w.:-]{1,64})?$/;

/** Each of the hosts that shut themselves down is to be started again. */
function ofAll(step: Special | null, { events }: Incident): Special | null {
  const hosts = new Set(
    events.flatMap((event) =>
      event.kind === 'power.battery_low' && event.attributes.shuts_down === true ? (hostOf(event) ?? []) : [],
    ),
  );
  if (step !== SHUT_DOWN || hosts.size < 2) return step;
  const all = listOf([...hosts]);
  return {
    ...step,
    does: step.does.replace('start the host', `start ${all}`),
    now: step.now
      .replace('@ shut itself down', `${all} shut themselves down`)
      .replace('start it (', 'start each (')
      .replace('what ran there', 'what ran on them'),
  };
}

function supplyStep(incident: Incident): Special | null {
  const { root, events } = incident;
  const low = events.filter(({ kind }) => kind === 'power.battery_low');
  const first = events.find(({ id }) => id === root.eventId);
  if (first === undefined || (first.attributes.on_battery !== true && !low.includes(first))) return null;
  if (low.some(({ attributes }) => attributes.shuts_down === true)) return SHUT_DOWN;
  if (backMs(incident) !== null) return BACK;
  return low.length > 0 ? NEARLY_EMPTY : LASTS;
}
