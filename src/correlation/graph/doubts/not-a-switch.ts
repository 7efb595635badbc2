// Not a switch: a supply, a fan or heat takes the ports of a switch down, which are all that it has; a server's cards are seldom what it takes.

import { isOfSwitch } from '../../../model/switch-side.ts';
import type { Doubting } from './doubt.ts';

const OF_ITS_BOX = /^(?:psu\.|host\.(?:overtemp|fan_failure)$)/;
const SERVER = 0.1;

export const notASwitch: Doubting = (cause, effect) => {
  if (!OF_ITS_BOX.test(cause.kind) || isOfSwitch(effect.first)) return null;
  return { code: 'not_a_switch', factor: SERVER, why: 'a server that gets too warm or loses a supply keeps its ports' };
};
