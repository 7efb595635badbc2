// Report words: what reports of programs have in their first lines; behind one of them every line counts for a while.

import { PROGRAM_WORDS } from '../programs/program-rows.ts';
import type { WordSet } from './word-set.ts';

export const REPORT_WORDS: WordSet = {
  words: [
    'NVSMI LOG',
    'nvidia_smi_log',
    'Attached GPUs',
    'Driver Version',
    // A bus id as nvidia-smi writes it, in its table and above each GPU.
    '00000000:',
    'Clocks Throttle Reasons',
    'Clocks Event Reasons',
    'GPU Power Readings',
    'ECC Errors',
    'Remapped Rows',
    'Link Width',
    'FB Memory Usage',
    'Max Clocks',
    'DCGM_',
    'Unable to determine',
    'sserted',
    '% /',
    'Adapter: ',
    // lspci begins with the bridge of the host; a part of its output with what it is of.
    'Host bridge: ',
    '3D controller: ',
    'VGA compatible controller: ',
    'LnkSta:',
    '(rev ff)',
    'NIC statistics',
    'bus-info: ',
    ' degrees C',
    ' RPM ',
    'Presence detected',
    'Health Monitor Report',
    '| Diagnostic ',
    'Device Information',
    '"warning" :',
    '[[Health]]',
    'Pressure',
    'NotReady',
    'NodeStatusUnknown',
    'OOMKilled',
    'low on resource',
    'OOM encountered',
    ...PROGRAM_WORDS,
  ],
  anyCase: [],
};
