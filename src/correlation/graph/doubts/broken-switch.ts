// Broken switch: an access of a GPU makes a switch refuse it; it breaks nothing inside the switch, nor one of its links.

import type { Doubting } from './doubt.ts';

/** Classes of catalog/sxid.json that an access can be behind. */
const BY_ACCESS: ReadonlySet<unknown> = new Set(['access', 'routing', 'fabric', 'shutdown']);
const BROKEN = 0.3;

export const brokenSwitch: Doubting = (cause, effect) => {
  if (!cause.kind.startsWith('gpu.')) return null;
  const { class: of, name } = effect.first.attributes;
  if (typeof of !== 'string' || BY_ACCESS.has(of)) return null;
  return {
    code: 'broken_switch',
    factor: BROKEN,
    why: `${String(name)} is of the switch or its link, not of an access`,
  };
};
