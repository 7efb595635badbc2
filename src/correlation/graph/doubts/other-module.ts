// Other module: two memory modules that one recorder names are two, where one module may have two names of two recorders.

import type { Facts } from '../../window/facts.ts';
import type { Doubting } from './doubt.ts';

/** Where the memory controller sees the module (drivers/edac: skx_common.c, edac_mc.c); all other names are those of the board. */
const BY_PLACE = /SrcID#|Chan(?:nel)?#|csrow#|\bMC#?\d{1,5}$/i;
const TWO_MODULES = 0.1;
/** One error of two modules that are read together (lockstep, mirrors) is reported at once. */
const AT_ONCE_MS = 5000;

export const otherModule: Doubting = (cause, effect) => {
  const [one, two] = [moduleOf(cause), moduleOf(effect)];
  if (one === null || two === null || one === two || BY_PLACE.test(one) !== BY_PLACE.test(two)) return null;
  if (Math.abs(effect.first.timeMs - cause.first.timeMs) <= AT_ONCE_MS) return null;
  return { code: 'other_module', factor: TWO_MODULES, why: `${one} and ${two} are two modules` };
};

function moduleOf({ component }: Facts): string | null {
  if (component?.type !== 'dimm') return null;
  return component.id.slice(component.id.indexOf('/') + 1);
}
