// faultline probe pdu --walk: saves the objects of a device, with what is private replaced, for adding its model.

import { access, constants } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errorCode } from '../../helpers/error-code.ts';
import { steadyNow } from '../../model/time.ts';
import { RefusedPath } from '../../sources/files/checked-file.ts';
import type { PduSettings } from '../../sources/pdu/settings.ts';
import { SnmpError } from '../../sources/pdu/snmp-error.ts';
import { walkPdu } from '../../sources/pdu/walk-pdu.ts';
import { writeOut } from '../common/write-out.ts';
import { type ProbeIo, UsageError } from './device.ts';

/** Exit status: 0 saved, 1 the device could not be read, 2 wrong usage. */
export async function saveWalk(config: () => PduSettings, path: string, io: ProbeIo): Promise<number> {
  try {
    const settings = config();
    // Before the walk, which may take minutes.
    await access(dirname(resolve(path)), constants.W_OK);
    const walk = await walkPdu(settings, steadyNow, { onProgress: (text) => io.error(`${text}\n`) });
    await writeOut(path, walk.text);
    io.out(
      `${path}: ${walk.objects} objects, text of ${walk.replaced} replaced or left out. Look it through before you pass it on.\n`,
    );
    if (walk.cut !== null) io.error(`it ends early: ${walk.cut}\n`);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) io.error(`${error.message}\n`);
    else if (error instanceof SnmpError)
      io.error(`${error.message}\n${error.remedy === null ? '' : `${error.remedy}\n`}`);
    else if (error instanceof RefusedPath || errorCode(error) !== undefined)
      io.error(
        `FL2123 --walk ${path} cannot be written (${error instanceof RefusedPath ? error.message : errorCode(error)})\n`,
      );
    else throw error;
    return error instanceof UsageError ? 2 : 1;
  }
}
