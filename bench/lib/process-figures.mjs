// What the kernel says of a process: resident memory by mapping, CPU time and context switches of every thread.

import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** MiB. */
export function memory(pid) {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const mib = (field) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(rollup)?.[1] ?? 0) / 1024;
  return { rss: mib('Rss'), pss: mib('Pss'), anonymous: mib('Anonymous') };
}

/** Resident MiB by what is mapped: files by name, anonymous memory by its label; the largest first. */
export function mappings(pid) {
  const found = new Map();
  let name = '';
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    const head = /^[0-9a-f]+-[0-9a-f]+ (\S+) \S+ \S+ \S+\s*(.*)$/.exec(line);
    if (head !== null) {
      const [, rights, path] = head;
      name = path === '' ? `anonymous ${rights.slice(0, 3)}` : `${path.split('/').at(-1)} ${rights.slice(0, 3)}`;
    }
    const rss = /^Rss:\s+(\d+)/.exec(line);
    if (rss !== null) found.set(name, (found.get(name) ?? 0) + Number(rss[1]) / 1024);
  }
  return [...found].toSorted((a, b) => b[1] - a[1]);
}

/** CPU seconds and voluntary context switches, of all threads together and by thread name. */
export function usage(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  const threads = {};
  let switches = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const text = readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8');
    const count = Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(text)?.[1] ?? 0);
    const name = /^Name:\s+(.*)$/m.exec(text)?.[1] ?? '';
    threads[name] = (threads[name] ?? 0) + count;
    switches += count;
  }
  return { cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND, switches, threads };
}

/** CPU milliseconds of all threads that are there, to the nanosecond: what a tick is too coarse for. */
export function cpuMs(pid) {
  const nanoseconds = (task) => {
    try {
      return Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      return 0; // a thread that has ended
    }
  };
  return readdirSync(`/proc/${pid}/task`).reduce((sum, task) => sum + nanoseconds(task), 0) / 1e6;
}

/** Pids of a process and of all below it; those that end meanwhile are left out. */
export function familyOf(pid) {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const below = tasks.map((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim());
    return [pid, ...below.flatMap((pids) => (pids === '' ? [] : pids.split(' ').map(Number).flatMap(familyOf)))];
  } catch {
    return []; // ended meanwhile
  }
}

/** CPU milliseconds of a process and of all that are or were below it, threads that ended included; to ten milliseconds. */
export function cpuOfFamily(pid) {
  return familyOf(pid).reduce((sum, one) => sum + cpuWithEnded(one), 0);
}

/** Nothing of a process that has ended meanwhile: its parent has it. */
function cpuWithEnded(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 1000) / TICKS_PER_SECOND;
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return 0;
    throw error;
  }
}

/** Pid of a process's first child, null where it has none. */
export function childOf(pid) {
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const pids = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim();
    if (pids !== '') return Number(pids.split(' ')[0]);
  }
  return null;
}
