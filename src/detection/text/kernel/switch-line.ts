// Lines of the NVSwitch driver: SXids, fatal or not, by switch and link.

import { canonicalPciAddress } from '../../../model/component.ts';
import { sxidFacts } from '../sxid.ts';
import { ADDRESS, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';

const LINE = new RegExp(
  `^nvidia-nvswitch\\d{0,3}: SXid \\((?:PCI:)?(${ADDRESS})\\): (\\d{1,5}), (Fatal|Non-fatal)(?:, Link (\\d{1,3})\\b)?`,
);

const DATA = new RegExp(`^nvidia-nvswitch\\d{0,3}: SXid \\((?:PCI:)?(${ADDRESS})\\): (\\d{1,5}), Data \\{`);

/** A line of an error with its words, or one of its registers alone; null for any other. */
export function switchErrorOf(text: string): { readonly key: string; readonly worded: boolean } | null {
  const worded = LINE.exec(text);
  const [, written = '', number] = worded ?? DATA.exec(text) ?? [];
  const address = canonicalPciAddress(written);
  return address === null ? null : { key: `sxid ${address} ${number}`, worded: worded !== null };
}

/** The registers of an error whose other lines were lost: of which switch and which number, not where and how grave. */
export function switchData(text: string, { host }: KernelContext): Finding | null {
  const [, written = '', number] = DATA.exec(text) ?? [];
  const address = canonicalPciAddress(written);
  if (address === null) return null;
  const sxid = Number(number);
  const facts = sxidFacts(sxid, false);
  return {
    kind: 'nvswitch.nonfatal',
    component: { type: 'nvswitch', id: address, host },
    ...facts,
    attributes: { sxid, link: null, words_lost: true, ...facts.attributes },
  };
}

/**
 * "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Fatal, Link 48 LTSSM Fault Up". Its further lines ("Severity ...",
 * "Data {...}") are evidence of the same error and make no event of their own. The word of the line decides, not the table.
 */
export function switchLine(text: string, { host }: KernelContext): Finding | null {
  const [, written = '', number, word, lane] = LINE.exec(text) ?? [];
  const address = canonicalPciAddress(written);
  if (address === null) return null;
  const fatal = word === 'Fatal';
  const sxid = Number(number);
  const facts = sxidFacts(sxid, fatal);
  return {
    kind: fatal ? 'nvswitch.fatal' : 'nvswitch.nonfatal',
    component: { type: 'nvswitch', id: address, host },
    ...facts,
    attributes: { sxid, link: lane === undefined ? null : Number(lane), ...facts.attributes },
  };
}
