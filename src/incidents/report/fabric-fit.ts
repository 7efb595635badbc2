// Fabric fit: a fabric manager of another release than the driver does not start, and starting it again does not help.

import type { Incident } from '../../model/incident.ts';
import { HOST } from './kind-step.ts';
import type { Special } from './special-step.ts';

/** Only numbers are pasted. */
const VERSIONS =
  /interface version (?<manager>\d{1,4}(?:\.\d{1,4}){1,3}) (?:don't|does not|doesn't) match (?:with )?(?:the )?driver version (?<driver>\d{1,4}(?:\.\d{1,4}){1,3})/i;

/** Null where no line has both releases. */
export function fabricFit({ root, evidence }: Pick<Incident, 'root' | 'evidence'>): Special | null {
  if (!root.kind.startsWith('fabric_manager.')) return null;
  const found = evidence.map((one) => ('text' in one ? VERSIONS.exec(one.text)?.groups : undefined)).find((groups) => groups !== undefined); // biome-ignore format: one search
  const { manager, driver } = found ?? {};
  if (manager === undefined || driver === undefined) return null;
  return {
    does: `install the fabric manager ${driver} on @, that of its driver: ${manager} is installed`,
    now: `DRAIN, for CUDA does not start there (802) until then; on @, install nvidia-fabricmanager of ${driver} (apt list -a 'nvidia-fabricmanager*'; dnf list --showduplicates 'nvidia-fabricmanager*'), then sudo systemctl restart nvidia-fabricmanager. Keep both out of unattended upgrades`,
    call: HOST,
  };
}
