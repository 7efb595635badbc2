// Probe of the kernel log: can it be read here and now, without starting anything.

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { codeOrText } from '../../helpers/error-code.ts';
import type { SourceStatus } from '../source.ts';

export interface KernelLogProbe {
  readonly status: Extract<SourceStatus, 'works' | 'absent' | 'no_permission' | 'failed'>;
  /** Error name of the system (EPERM is kernel.dmesg_restrict, EACCES the file's mode); null when it opened. */
  readonly error: string | null;
}

/** Opens the path for reading and closes it again: permission on /dev/kmsg is decided at open, not by its mode. */
export async function probeKernelLog(path: string): Promise<KernelLogProbe> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    await file.close();
    return { status: 'works', error: null };
  } catch (error) {
    const code = codeOrText(error);
    if (code === 'ENOENT') return { status: 'absent', error: code };
    return { status: code === 'EPERM' || code === 'EACCES' ? 'no_permission' : 'failed', error: code };
  }
}
