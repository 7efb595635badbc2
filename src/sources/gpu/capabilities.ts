// Capabilities: which groups of readings each GPU gives, as the vendor child found out, and one line for equal GPUs.

/** Group of readings → "works", or why it does not. */
export type Capabilities = ReadonlyMap<string, string>;

/** A mode that is off is known all the same. */
const WORKS = /^works|^\d+ |^off$/;

/** True where the group gives readings; a text that begins with a number counts what works ("18 of 18 links"). */
export const isThere = (status: string): boolean => WORKS.test(status);

/** `ecc, fabric unsupported (3); gpm not in this library (13)`, empty when everything works. */
function lacking(capabilities: Capabilities): string {
  const byReason = new Map<string, string[]>();
  for (const [group, status] of capabilities) {
    if (isThere(status)) continue;
    const same = byReason.get(status) ?? [];
    byReason.set(status, [...same, group]);
  }
  return [...byReason].map(([reason, groups]) => `${groups.join(', ')}: ${reason}`).join('; ');
}

/** One line for all GPUs of a model that can do the same: `8 × H100: 27 of 30 groups; without fabric: unsupported (3)`. */
export function capabilityLines(
  gpus: readonly { readonly model: string; readonly capabilities: Capabilities }[],
): string[] {
  const equal = new Map<string, number>();
  for (const { model, capabilities } of gpus) {
    if (capabilities.size === 0) continue;
    const works = [...capabilities.values()].filter(isThere).length;
    const without = lacking(capabilities);
    const line = `${model || 'GPU'}: ${works} of ${capabilities.size} groups${without === '' ? '' : `; without ${without}`}`;
    equal.set(line, (equal.get(line) ?? 0) + 1);
  }
  return [...equal].map(([line, count]) => `${count} × ${line}`);
}
