// What the registers of an NVLink 5 error (XID 144 to 150) say, by NVIDIA's decode table, in both layouts of the driver.

import table from '#catalog/nvlink5.json' with { type: 'json' };
import type { Action } from '../../../model/action.ts';
import type { AttributeValue } from '../../../model/event.ts';

/** v1: drivers before R575, v2: since. The number of the link is in the first word as well, at another place in each. */
const LAYOUTS = [
  { name: 'v1', unitBits: 0x3ff, linkAt: 13, limitBit: 10 },
  { name: 'v2', unitBits: 0x7f, linkAt: 10, limitBit: 7 },
] as const;
type Layout = (typeof LAYOUTS)[number];
type Unit = (typeof table.units)[number];

interface Rule {
  /** Of XID 149: why the link went down, bits 25 to 20. */
  readonly reason?: number;
  /** The second word; left out where it says nothing. */
  readonly status?: number;
  readonly now: string;
  readonly look: string;
  readonly severity: string;
  /** What to do at once instead where the first word has the bit of a limit that is reached. */
  readonly at_limit?: string;
  readonly other_end?: boolean;
}

const PEER_REASONS = new Map(Object.entries(table.peer_reasons).map(([code, text]) => [Number(code), text]));

export interface Nvlink5Line {
  readonly xid: number;
  /** As printed; null when the line has none. */
  readonly unit: string | null;
  readonly link: number | null;
  readonly info: number;
  readonly status: number;
}

/** Nothing where no row of the table fits: a unit or a status that it does not have is not guessed. */
export function nvlink5Attributes(line: Nvlink5Line): Record<string, AttributeValue> {
  const found = unitOf(line);
  if (found === null) return {};
  const reason = (line.info >>> 20) & 0x3f;
  const rule = ruleOf(found.unit.rules, reason, line.status);
  if (rule === null) return {};
  const limited = rule.at_limit !== undefined && ((line.info >>> found.layout.limitBit) & 1) === 1;
  const now = limited && rule.at_limit !== undefined ? rule.at_limit : rule.now;
  const action = actionOf(now, rule.look);
  const peer = rule.reason === undefined ? undefined : PEER_REASONS.get(reason);
  return {
    layout: found.layout.name,
    resolution: now,
    investigate: rule.look,
    ...(rule.reason === undefined ? {} : { link_down_reason: reason }),
    ...(peer === undefined ? {} : { link_down: peer }),
    ...(rule.other_end === true ? { other_end: true } : {}),
    ...(action === null ? {} : { action }),
  };
}

/** The unit by its name and number; where the line names none, the link number in the word tells the layouts apart. */
function unitOf({ xid, unit, link, info }: Nvlink5Line): { unit: Unit; layout: Layout } | null {
  const fitting: { unit: Unit; layout: Layout }[] = [];
  for (const one of table.units) {
    if (one.xid !== xid || (unit !== null && !one.names.some((name) => unit.split(/[ /]/).includes(name)))) continue;
    for (const layout of LAYOUTS)
      if ((info & layout.unitBits) === one[layout.name]) fitting.push({ unit: one, layout });
  }
  const agreeing = fitting.filter(({ layout }) => ((info >>> layout.linkAt) & 0x1f) === ((link ?? -1) & 0x1f));
  return (agreeing.length > 0 ? agreeing : fitting).at(-1) ?? null;
}

/** Several bits at once: the gravest of their rows, for each of them happened. */
function ruleOf(rules: readonly Rule[], reason: number, status: number): Rule | null {
  const fitting = rules.filter((rule) => (rule.reason ?? 0) === reason);
  const exact = fitting.find((rule) => rule.status === undefined || rule.status === status);
  if (exact !== undefined) return exact;
  if (fitting.some((rule) => rule.reason === undefined && bits(rule.status ?? 0) !== 1)) return null;
  const parts = fitting.filter((rule) => ((rule.status ?? 0) & status) >>> 0 === rule.status);
  const known = parts.reduce((all, rule) => (all | (rule.status ?? 0)) >>> 0, 0);
  if (parts.length === 0 || known !== status) return null;
  return (
    parts.find((rule) => rule.now === 'RESET_GPU') ?? parts.find((rule) => rule.now !== 'IGNORE') ?? parts[0] ?? null
  );
}

function bits(value: number): number {
  let count = 0;
  for (let rest = value >>> 0; rest !== 0; rest = (rest & (rest - 1)) >>> 0) count += 1;
  return count;
}

/** Null where what the kind asks for, a look at the link, is what the table asks for as well. */
function actionOf(now: string, look: string): Action | null {
  if (now === 'XID_154_EVAL') return 'restart_app';
  if (/LINK_SI|HOST/.test(look)) return null;
  // One that is to be ignored now is for NVIDIA where it comes again: `investigate` says so.
  if (now === 'IGNORE') return 'none';
  if (now === 'RESET_GPU') return look === 'CONTACT_SUPPORT' ? 'reset_gpu' : 'drain_reset_gpu';
  return look === 'CONTACT_SUPPORT' ? 'contact_vendor' : null;
}
