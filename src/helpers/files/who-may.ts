// Who may read what this user may not, and the line that gets them there: `sudo faultline incidents`, or the group to join.

import { readFileSync, type Stats, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { ownProgram } from '../own-program.ts';

export interface Asker {
  readonly uid: number;
  readonly name: string;
  /** Group ids of this process; a user who has just been added to a group has it only after the next login. */
  readonly groups: readonly number[];
  /** What was typed after `faultline`. */
  readonly words: readonly string[];
  readonly etc: string;
  /** How root starts this program; `faultline` where left out. */
  readonly program?: string;
}

/** Options and addresses that are never repeated. */
const PERHAPS_SECRET = /:\/\/|community|passw|secret|token|key/i;
const MOST_WORDS = 8;

export function askerOfProcess(): Asker {
  const uid = process.geteuid?.() ?? 0;
  let name = String(uid);
  try {
    name = userInfo().username;
  } catch {} // a user without an entry in passwd, as in containers
  return {
    uid,
    name,
    groups: process.getgroups?.() ?? [],
    words: process.argv.slice(2),
    etc: '/etc',
    program: ownProgram(true),
  };
}

/** One or two sentences for a `path` that could not be opened with EACCES. */
export function whoMay(path: string, asker = askerOfProcess()): string {
  const sudo = `Use sudo: ${sudoLine(asker.words, asker.program)}`;
  const shut = whatIsShut(path);
  if (shut === null) return sudo;
  const owner = nameIn(asker.etc, 'passwd', shut.uid) ?? `uid ${shut.uid}`;
  const opensToGroup = (shut.mode & 0o050) !== 0 && shut.gid !== 0;
  if (!opensToGroup || asker.groups.includes(shut.gid)) return `Only ${owner} may. ${sudo}`;
  const group = nameIn(asker.etc, 'group', shut.gid);
  if (group === null) return `Only ${owner} and the group of id ${shut.gid} may. ${sudo}`;
  if (membersOf(asker.etc, group).includes(asker.name)) {
    return `Only ${owner} and the group ${group} may, which this session does not have yet: log in again, or run newgrp ${group}`;
  }
  const join = `sudo usermod -aG ${group} ${asker.name}`;
  return `Only ${owner} and the group ${group} may. ${sudo}; or join the group, then log in again: ${join}`;
}

/** The deepest part of the path that can be looked at: it, or a folder that lets this user no further. */
function whatIsShut(path: string): Stats | null {
  for (let at = path; ; at = dirname(at)) {
    try {
      return statSync(at);
    } catch {
      if (at === dirname(at)) return null;
    }
  }
}

/** The same command by sudo, as this process was started. */
export function bySudo(): string {
  return sudoLine(process.argv.slice(2), ownProgram(true));
}

/** The daemon is the service's to start: by sudo it would run as root. */
function sudoLine(words: readonly string[], program = 'faultline'): string {
  if (words[0] === 'run') return 'sudo systemctl start faultline';
  const isLeft = words.length <= MOST_WORDS && !words.some((word) => PERHAPS_SECRET.test(word) && !isPath(word));
  const shown = isLeft ? words : words.slice(0, 1);
  return ['sudo', program, ...shown.map(quoted)].join(' ');
}

/** What is there, or behind a folder that is shut, is named for what lies in it: its path keeps nothing back. */
function isPath(word: string): boolean {
  if (word.startsWith('-')) return false;
  try {
    return statSync(word, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function entries(etc: string, file: 'passwd' | 'group'): string[][] {
  try {
    return readFileSync(`${etc}/${file}`, 'utf8')
      .split('\n')
      .map((line) => line.split(':'));
  } catch {
    return [];
  }
}

function nameIn(etc: string, file: 'passwd' | 'group', id: number): string | null {
  return entries(etc, file).find((fields) => fields[2] === String(id))?.[0] ?? null;
}

function membersOf(etc: string, group: string): string[] {
  return (
    entries(etc, 'group')
      .find((fields) => fields[0] === group)?.[3]
      ?.split(',') ?? []
  );
}
