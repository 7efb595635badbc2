// Files that truly hang: the kernel makes whoever opens one wait for an answer that never comes, whatever its flags are.
// By fanotify's permission events, which need root; a program of a few lines holds them until it is ended.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';

// fanotify_init(FAN_CLOEXEC | FAN_CLASS_CONTENT, O_RDONLY); fanotify_mark(fd, FAN_MARK_ADD, FAN_OPEN_PERM, AT_FDCWD, path).
const HOLD = `
  my ($init, $mark) = @ARGV[0, 1];
  my $group = syscall($init + 0, 0x5, 0);
  die "fanotify_init: $!" if $group < 0;
  for (@ARGV[2 .. $#ARGV]) { syscall($mark + 0, $group, 1, 0x10000, -100, $_) == 0 or die "fanotify_mark: $!"; }
  $| = 1;
  print "held\\n";
  sleep;`;
/** Numbers of the two calls. */
const CALLS: Partial<Record<NodeJS.Architecture, readonly [string, string]>> = {
  x64: ['300', '301'],
  arm64: ['262', '263'],
};

export interface Held {
  /** All who wait get the files. */
  release(): Promise<void>;
}

/** Null where this process has not the rights; the reason is in the output of the test. */
export async function hold(t: TestContext, paths: readonly string[]): Promise<Held | null> {
  const calls = CALLS[process.arch];
  if (calls === undefined) throw new Error(`no numbers of system calls for ${process.arch}`);
  const child = spawn('perl', ['-e', HOLD, ...calls, ...paths], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit').catch(() => undefined); // without perl there is an error instead
  const release = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  t.after(release);
  let why = '';
  child.stderr.on('data', (text) => {
    why += text;
  });
  const lines = createInterface(child.stdout);
  const held = await Promise.race([once(lines, 'line').then(() => true), ended.then(() => false)]);
  if (held) return { release };
  if (process.getuid?.() === 0 && !why.includes('Operation not permitted')) throw new Error(`no file is held: ${why}`);
  t.diagnostic(`no file could be held, only the reading of all was tried: ${why.trim()}`);
  return null;
}
