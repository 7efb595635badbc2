// Lines of EEH, which on POWER cuts a faulty PCI device off: its endpoint (PE) is frozen, recovered, or given up.

import { canonicalPciAddress } from '../../../model/component.ts';
import { ADDRESS, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';

/** A bridge and what is behind it, by numbers of the platform. Which devices these are only the lines of their drivers say. */
const PLACE = 'PHB#([0-9a-f]{1,8})(?:-PE#([0-9a-f]{1,8}))?';
/** arch/powerpc/kernel/eeh.c, eeh_dev_check_failure() and eeh_phb_check_failure(). */
const FROZEN = new RegExp(
  `^EEH: (?:eeh_\\w{1,40}: )?(?:Frozen ${PLACE} detected|Frozen PE#([0-9a-f]{1,8}) on PHB#([0-9a-f]{1,8}) detected|PHB#([0-9a-f]{1,8}) failure detected)`,
);
/** eeh_driver.c, eeh_report_error(): "PCI 0040:01:00.0#10000: EEH: Invoking ...", before 5.4 "EEH: PE#10000 (PCI 0040:01:00.0): Invoking ...". */
const NAMED = new RegExp(
  `^(?:PCI (${ADDRESS})#[0-9a-f]{1,8}: EEH: |EEH: PE#[0-9a-f]{1,8} \\(PCI (${ADDRESS})\\): )Invoking ([\\w-]{1,56})->error_detected\\(IO frozen\\)`,
);
/** The same, eeh_handle_normal_event(). */
const GIVEN_UP = new RegExp(
  `^EEH: (?:${PLACE} has failed \\d{1,6} times in the last hour and has been permanently disabled|Unable to recover from failure from ${PLACE})`,
);

export function eehLine(text: string, context: KernelContext): Finding | null {
  if (!text.includes('EEH: ')) return null;
  const [named, newer, older, driver] = NAMED.exec(text) ?? [];
  const address = canonicalPciAddress(newer ?? older ?? '');
  if (named !== undefined && address !== null) {
    const component = { type: 'pcie', id: address, host: context.host } as const;
    return { kind: 'pcie.uncorrected_fatal', component, attributes: { driver: driver ?? null, frozen: true } };
  }
  const frozen = FROZEN.exec(text);
  if (frozen !== null) {
    const [, phb, pe, olderPe, olderPhb, whole] = frozen;
    const place = { phb: phb ?? olderPhb ?? whole ?? null, pe: pe ?? olderPe ?? null };
    return { kind: 'pcie.uncorrected_fatal', component: null, attributes: { ...place, frozen: true } };
  }
  const over = GIVEN_UP.exec(text);
  if (over === null) return null;
  const [, phb, pe, itsPhb, itsPe] = over;
  const attributes = { phb: phb ?? itsPhb ?? null, pe: pe ?? itsPe ?? null, given_up: true };
  return { kind: 'pcie.link_down', component: null, attributes };
}
