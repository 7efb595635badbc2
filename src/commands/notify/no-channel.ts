// No channel: what is answered where no channel of that name, or none at all, is configured.

import { plain } from '../../model/plain.ts';
import { CommandError } from '../common/incident-context.ts';

/** FL3520. `known`: the names that there are. */
export function noChannel(name: string | undefined, known: readonly string[]): CommandError {
  const what =
    name === undefined || known.length === 0
      ? 'neither a channel nor an Alertmanager is configured'
      : `no channel is called ${plain(name, 64)}`;
  const remedy =
    known.length === 0
      ? 'Add notify.channels or alertmanager.urls: docs/guide/notifications.md'
      : `Known: ${known.join(', ')}`;
  return new CommandError(2, `FL3520 ${what}. ${remedy}`);
}
