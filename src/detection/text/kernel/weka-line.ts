// WEKA's client as it reports data of files that it could not write: what a program has written is lost, at fsync or unseen.

import { hostOf, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';

const ENOSPC = 28;
/**
 * "wekafsio: … N[run.log] … total-sync-errs(ENOSPC(1), OTHER(0)) sync => -28", "… Truncated dirty-pages total-errors(ENOSPC(2),
 * OTHER(0)) … => -28" (in public reports). The name of the file is a user's; the client's own words end the line.
 */
const WRITEBACK =
  /^wekafsio: [\s\S]{0,900}\btotal-(?:sync-)?err(?:or)?s\(ENOSPC\(\d{1,9}\), OTHER\(\d{1,9}\)\)[\w .:,=()-]{0,200}=> -(\d{1,5})\s*$/;

export function wekaLine(text: string, context: KernelContext): Finding | null {
  const errno = WRITEBACK.exec(text)?.[1];
  if (errno === undefined) return null;
  return {
    kind: Number(errno) === ENOSPC ? 'host.disk_full' : 'storage.io_error',
    component: hostOf(context),
    attributes: { server: 'weka', file_system: 'weka', errno: Number(errno) },
  };
}
