// The reader of environments, faultline-environ, as doctor speaks of it.

import type { Reader } from '../../model/native-processes.ts';

const WAYS = { perfmon: 'CAP_PERFMON', ptrace: 'CAP_SYS_PTRACE' } as const;

/** Which right the reader has, where it reads. */
function wayOf(reader: Reader | null): string | null {
  return reader?.state === 'perfmon' || reader?.state === 'ptrace' ? WAYS[reader.state] : null;
}

/** For the end of a line: how environments and libraries of other users' processes are read; '' where this process reads them. */
export function throughReader(reader: Reader | null): string {
  const way = wayOf(reader);
  if (way === null) return '';
  return `; those of other users through faultline-environ (${way}${reader?.shutOff ? ', held to /proc' : ''})`;
}

/** What is wrong with a reader that was asked and does not read, and what to do; null where it does, or was not asked. */
export function readerFailure(reader: Reader | null): string | null {
  switch (reader?.state) {
    case 'absent':
      return 'faultline-environ is not there: systemctl enable --now faultline-environ.socket';
    case 'closed':
      return 'faultline-environ does not answer this user: journalctl -u "faultline-environ@*" has the reason';
    case 'other_build':
      return 'faultline-environ is of another version: systemctl restart faultline';
    case 'late':
      return 'faultline-environ does not answer in time';
    case 'powerless':
      return 'the kernel permits faultline-environ nothing: its unit needs CAP_DAC_READ_SEARCH and CAP_PERFMON, before Linux 6.15 CAP_SYS_PTRACE, and SELinux or AppArmor must not forbid it';
    default:
      return null;
  }
}

export function readsThrough(reader: Reader | null): boolean {
  return wayOf(reader) !== null;
}
