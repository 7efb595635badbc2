// Named card: a PCIe error that a BMC reports of its host, with the slot or the address of the card.

import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { HANDS } from './kind-step.ts';
import type { Special } from './special-step.ts';

export function namedCard({ root, events, action }: Incident): Special | null {
  if (!root.kind.startsWith('pcie.') || root.component?.type !== 'host' || action.kind !== 'inspect_hardware')
    return null;
  const { card_slot: slot, card_address: address } = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  const at = typeof address === 'string' ? plain(address, 16) : null;
  if (typeof slot !== 'number' && at === null) return null;
  const card =
    typeof slot === 'number' ? `the card in slot ${slot}${at === null ? '' : ` (${at})`}` : `the device at ${at}`;
  const look =
    at === null
      ? `which address it has (sudo dmidecode -t slot), and its link (sudo lspci -vvs ADDRESS)`
      : `what it is and how its link is (sudo lspci -vvs ${at})`;
  return {
    does: `inspect ${card} of @`,
    now: `DRAIN; SAVEon @, see ${look}; once nothing runs there, reseat it; where it comes again, have it swapped`,
    call: HANDS,
  };
}
