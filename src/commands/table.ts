// Every command, one line each: help is made from it, and only the command that is asked for is loaded.

import type { Command } from 'commander';

export interface CommandRow {
  readonly name: string;
  /** Arguments as help shows them before the command is loaded. */
  readonly usage: string;
  readonly summary: string;
  /** Loads the file that defines the command; null for what is not built yet. */
  readonly load: (() => Promise<(program: Command) => void>) | null;
}

export const COMMANDS: readonly CommandRow[] = [
  row(
    'run',
    '[--config F]',
    'watch this host: what systemd starts',
    async () => (await import('./run.ts')).registerRun,
  ),
  row(
    'demo',
    '[--scenario NAME]',
    'a simulated rack, the real daemon on it, one incident told live',
    async () => (await import('./demo.ts')).registerDemo,
  ),
  row(
    'doctor',
    '[--json]',
    'what can be read here, what not, and the line that mends it',
    async () => (await import('./doctor.ts')).registerDoctor,
  ),
  row(
    'incidents',
    '[--follow] [--json]',
    'list the incidents of this host',
    async () => (await import('./incidents.ts')).registerIncidents,
  ),
  row(
    'explain',
    'ID',
    'one incident with its cause, its evidence and what to do',
    async () => (await import('./explain.ts')).registerExplain,
  ),
  row('ack', 'ID', 'tell that an incident is being looked after', async () => (await import('./ack.ts')).registerAck),
  row(
    'verdict',
    'ID right|wrong',
    'tell whether an incident was right',
    async () => (await import('./verdict.ts')).registerVerdict,
  ),
  row(
    'maintenance',
    'start|end|list',
    'declare planned work, which raises nothing',
    async () => (await import('./maintenance.ts')).registerMaintenance,
  ),
  row(
    'probe',
    'gpu|cpu|kernel|pdu|bmc',
    'read one thing once and print what it says',
    async () => (await import('./probe.ts')).registerProbe,
  ),
  row(
    'record',
    '--out F',
    'watch this host and keep what the sources saw',
    async () => (await import('./record.ts')).registerRecord,
  ),
  row(
    'replay',
    'F',
    'run a recording again to the same incidents',
    async () => (await import('./replay.ts')).registerReplay,
  ),
  row(
    'release-devices',
    '[--for 10m]',
    'let go of every GPU before a reset or a driver unload',
    async () => (await import('./release-devices.ts')).registerReleaseDevices,
  ),
  row(
    'inject',
    'xid N|KIND|list|end',
    'try what a fault looks like: put in a made-up one, as root',
    async () => (await import('./inject.ts')).registerInject,
  ),
  row(
    'config',
    'check|print|schema',
    'check the configuration, print what is in force or its schema',
    async () => (await import('./config.ts')).registerConfig,
  ),
  row('scan', 'FILE...', 'find incidents in logs', null),
  row(
    'fr',
    'PATH... [--json]',
    'analyse flight-recorder dumps: which rank the others wait for',
    async () => (await import('./fr.ts')).registerFlightRecorder,
  ),
  row('correlate', '--events E', 'find the causes in event, trace and topology files', null),
  row('top', '', 'live view', null),
  row('hub', '', 'the fleet role', null),
];

function row(name: string, usage: string, summary: string, load: CommandRow['load']): CommandRow {
  return { name, usage, summary, load };
}
