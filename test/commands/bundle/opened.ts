// What is in a bundle, unpacked by the system's own tar, and a host for it to be made on.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { HostPaths } from '../../../src/commands/bundle/part.ts';
import { T0 } from '../../incidents/sample.ts';

export interface Opened {
  readonly folder: string;
  readonly files: ReadonlyMap<string, string>;
  /** All of it as one text. */
  readonly all: string;
}

export function temporary(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'fl-bundle-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export function opened(t: TestContext, archive: string): Opened {
  const into = temporary(t);
  execFileSync('tar', ['-xzf', archive, '-C', into]);
  const [folder = ''] = readdirSync(into);
  const names = readdirSync(join(into, folder));
  const files = new Map(names.map((name) => [name, readFileSync(join(into, folder, name), 'utf8')]));
  return { folder, files, all: [folder, ...files.values()].join('\n') };
}

/** A host "node-3" whose kernel log, journal and bug report say what others wrote there. */
export function hostOf(t: TestContext, lines: readonly string[]): { config: string; paths: HostPaths; root: string } {
  const root = temporary(t);
  const at = (name: string, text: string, mode = 0o600) => {
    writeFileSync(join(root, name), text);
    chmodSync(join(root, name), mode);
    return join(root, name);
  };
  const kmsg = at('kmsg', '');
  mkdirSync(join(root, 'proc/driver/nvidia/gpus/0000:1b:00.0'), { recursive: true });
  at('proc/driver/nvidia/version', 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15');
  at('proc/driver/nvidia/gpus/0000:1b:00.0/information', 'Model: H100\nGPU UUID: GPU-0aaa\n');
  const hook = at('hook-url', 'https://chat.example/hooks/very-secret-path\n');
  const signing = at('hook-secret', 'quiteunusualsigningkey\n');
  const channel = `{name: ops, type: webhook, url_file: ${hook}, secret_file: ${signing}}`;
  const config = at(
    'faultline.yaml',
    `host: node-3
directories: {state: ${root}/state, log: ${root}/log, runtime: ${root}/run}
roots: {proc: ${root}/proc}
sources: {kernel_log: {path: ${kmsg}}}
notify: {channels: [${channel}]}
`,
  );
  const stamp = new Date(T0).toISOString().replace('Z', '+00:00');
  const journal = lines.map((line) => `${stamp} node-3 kernel: ${line}`).join('\n');
  const paths: HostPaths = {
    journalctl: at('journalctl', `#!/bin/sh\necho "# $*"\ncat <<'END'\n${journal}\nEND\n`, 0o700),
    bugReport: at(
      'bug-report',
      `#!/bin/sh\nprintf '%s\\n' 'bug report of node-3' 'WANDB_API_KEY=hush-hush-hush' 'user alice' | gzip > "$2.gz"\n`,
      0o700,
    ),
    osRelease: at('os-release', 'PRETTY_NAME="Debian"'),
  };
  return { config, paths, root };
}
