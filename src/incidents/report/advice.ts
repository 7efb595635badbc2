// Advice: actions as sentences, and where the runbook of a kind is.

import type { Action } from '../../model/action.ts';
import { catalogueKind, type Kind, kindInfo } from '../../model/kind.ts';

/** `%` stands for the target's name. */
const SENTENCES: Readonly<Record<Action, string>> = {
  none: 'nothing to do',
  restart_app: 'restart the application on %',
  debug_app: 'debug the application on %',
  reset_gpu: 'reset %',
  drain_reset_gpu: 'drain the jobs from %, then reset it',
  reset_nic: 'reset %',
  reboot_node: 'reboot the node of %',
  power_cycle_node: 'power the node of % off and on',
  drain_node: 'drain the node of %',
  check_power_feed: 'check the power feed of %',
  check_cooling: 'check the cooling of %',
  check_link: 'check cable, optics and connector of %',
  check_config: 'check the configuration of %',
  update_software: 'update the software of %',
  free_space: 'free space on %',
  inspect_hardware: 'inspect the hardware of %',
  replace_part: 'replace %',
  contact_vendor: 'contact the vendor about %',
};

/** Of a job or rank, which is not a place. */
const OF_WORK: Partial<Readonly<Record<Action, string>>> = {
  restart_app: 'restart %',
  debug_app: 'debug %',
  free_space: 'free space for %',
};

/** Without a target it says what, not of which device. */
export function actionText(action: Action, target: string | null, targetIsHost: boolean, targetIsWork = false): string {
  const usual = (targetIsWork ? OF_WORK[action] : undefined) ?? SENTENCES[action];
  const sentence = targetIsHost ? usual.replace('the node of %', '%') : usual;
  if (target === null) return sentence.replace(/ (?:of|on|about) %$/, '').replace('%', 'the device');
  return sentence.replace('%', () => target);
}

/** Section of a runbook: page, and the kind without its dots, as the anchors of a page are made. */
export function runbookOf(kind: Kind): string {
  return `docs/runbooks/${kindInfo(kind).runbook}.md#${catalogueKind(kind).replaceAll('.', '')}`;
}
