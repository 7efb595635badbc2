// Typed on: the host of a terminal whose text was saved, as the prompt before the command that asks that very machine names it.

import { isHostName } from './host-in-path.ts';

/** "root@gx-7:~# nvidia-smi", "[root@gx-7 ~]# sudo dmesg -T", "gx-7$ nvidia-smi", "(base) ann@gx-7:/tmp$ …". */
const PROMPT =
  /^(?:\([\w.-]{1,40}\) )?(?:\[[\w.-]{1,40}@([\w.-]{1,64}) [^\]\n]{1,64}\]|[\w.-]{1,40}@([\w.-]{1,64}):[^\s#$]{0,64}|((?=[\w.-]{0,63}\d)[A-Za-z][\w.-]{2,63})(?=[#$%] [a-z])) ?[#$%] ?(.{0,400})$/;
/** What these print is of the machine that they run on; a scheduler, kubectl or a fabric's tool is asked of others. */
const OF_ITSELF =
  /^(?:sudo (?:-\w )?)?(?:timeout \d{1,4} )?(?:nvidia-smi|dmesg|journalctl|amd-smi|rocm-smi|dcgmi|lspci|ethtool|ibstat|mlxlink|ipmitool|mmhealth|nvme|smartctl|sensors|lfs|lctl|df|nfsstat|zpool|mdadm|multipath)\b/;
/** "-H", "--host" and their like ask another machine; so may what is read of a file or a folder. */
const OF_ANOTHER = /\s(?:-H|--host|--hostname|-M|--machine|-D|--directory|--file|-F)\b|\bssh\b/;
/** As containers are called that were given no name. */
const OF_CONTAINER = /^(?:[0-9a-f]{12}|localhost)$/;

/** Null where the text does not begin with such a command, or has prompts of several hosts. */
export function typedOn(text: string): string | null {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  const first = lines.find((line) => line.trim() !== '') ?? '';
  const command = PROMPT.exec(first)?.[4] ?? '';
  if (!OF_ITSELF.test(command) || OF_ANOTHER.test(command)) return null;
  const hosts = new Set(lines.flatMap((line) => hostIn(line) ?? []));
  const [host = '', ...others] = hosts;
  return others.length === 0 && isHostName(host) && !OF_CONTAINER.test(host) ? host : null;
}

function hostIn(line: string): string | null {
  const [, bracketed, plain, alone] = PROMPT.exec(line) ?? [];
  return bracketed ?? plain ?? alone ?? null;
}
