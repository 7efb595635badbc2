// Missed services: names that are not resolved, leases that are lost and users that cannot log in, with the one service that is down.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const NAMED = [
  'Nov 20 14:29:55 ns1 kernel: Out of memory: Killed process 1801 (named) total-vm:9121212kB, anon-rss:7121234kB, file-rss:0kB, shmem-rss:0kB, UID:53 pgtables:14412kB oom_score_adj:0',
  'Nov 20 14:29:56 ns1 systemd[1]: named.service: Main process exited, code=killed, status=9/KILL',
  "Nov 20 14:29:56 ns1 systemd[1]: named.service: Failed with result 'oom-kill'.",
];
const UNRESOLVED = [
  "Nov 20 14:32:10 c3-login git[9911]: fatal: unable to access 'https://git.example.org/ml/repo.git/': Could not resolve host: git.example.org",
  "Nov 20 14:33:10 c3-login apt-get[9950]: Temporary failure resolving 'archive.example.org'",
];

test('hosts that resolve no names are an effect of the name server that is down', async (t) => {
  const text = await scannedLogs(t, { 'ns1.log': NAMED, 'c3-login.log': UNRESOLVED });
  assert.match(text, /^INCIDENT /m);
  assert.equal(text.match(/^INCIDENT /gm)?.length, 1);
  assert.match(text, /Effect +(?:.*; )?c3-login: names are not resolved, 2 times/);
  assert.match(text, /Do +start named of ns1 again.*names are not resolved meanwhile/);
});

test('a name that is not resolved makes no incident by itself, and none of an hour before belongs to it', async (t) => {
  const quiet = Array.from({ length: 60 }, (_, i) => `Nov 20 14:${String(i).padStart(2, '0')}:01 c3-login CRON[${i}]: (root) CMD (run-parts /etc/cron.hourly)`); // biome-ignore format: one line
  assert.match(await scannedLogs(t, { 'c3-login.log': [...quiet, ...UNRESOLVED.slice(1)] }), /No incident/);
  const before = UNRESOLVED.map((line) => line.replace(' 14:', ' 13:'));
  assert.doesNotMatch(await scannedLogs(t, { 'ns1.log': NAMED, 'c3-login.log': before }), /names are not resolved, /);
});

test('what waits for leases is an effect of the disk of etcd', async (t) => {
  const slow = (time: string) => `{"level":"warn","ts":"2026-11-20T02:51:${time}Z","caller":"wal/wal.go:805","msg":"slow fdatasync","took":"2.31s","expected-duration":"1s"}`; // biome-ignore format: one line
  const text = await scannedLogs(t, {
    'etcd-cp1.log': [slow('00.1'), slow('16.1'), slow('21.2')],
    'kube-scheduler.log': [
      'I1120 02:51:31.221000       1 leaderelection.go:285] failed to renew lease kube-system/kube-scheduler: timed out waiting for the condition',
      'E1120 02:51:31.222000       1 server.go:242] "Leaderelection lost"',
    ],
  });
  assert.match(text, /Effect +kube-scheduler lost its lease/);
});

const OUT =
  'pam_sss(sshd:auth): received for user jfeng: 9 (Authentication service cannot retrieve authentication info)';

test('logins that fail for their directory are an incident, which calls who runs that', async (t) => {
  const text = await scannedLogs(t, {
    'auth.log': [
      'Nov 20 06:22:01 login-1 sssd[1760]: Backend is offline',
      `Nov 20 06:23:01 login-1 sshd[9000]: ${OUT}`,
      `Nov 20 06:23:21 login-1 sshd[9001]: ${OUT}`,
    ],
  });
  assert.match(text, /users cannot log in on login-1: the directory \(LDAP, Kerberos, NIS\) does not answer/);
  assert.match(text, /Call +who runs the directory/);
});

test('a wrong password, a backend that is offline for moments and a lookup that is tried again are none', async (t) => {
  const text = await scannedLogs(t, {
    'auth.log': [
      'Nov 20 06:20:01 login-1 sssd_be[1760]: Backend is offline',
      'Nov 20 06:20:31 login-1 sssd_be[1760]: Backend is online',
      'Nov 20 06:23:01 login-1 sshd[9000]: pam_sss(sshd:auth): received for user jfeng: 7 (Authentication failure)',
      'Nov 20 06:23:01 login-1 sshd[9000]: pam_sss(sshd:auth): received for user x: 10 (User not known to the underlying authentication module)',
      'Nov 20 06:24:17 login-1 nslcd[256]: [fe8aa7] <passwd=2032> no available LDAP server found, sleeping 1 seconds',
      'Nov 20 06:24:18 login-1 nslcd[256]: [fe8aa7] <passwd=2032> connected to LDAP server ldap://192.0.2.7:389',
    ],
  });
  assert.match(text, /No incident/);
});

test('users of several hosts belong to the server of users that failed', async (t) => {
  const text = await scannedLogs(t, {
    'ldap1.log': [
      'Nov 20 06:21:00 ldap1 systemd[1]: slapd.service: Main process exited, code=dumped, status=11/SEGV',
      "Nov 20 06:21:00 ldap1 systemd[1]: slapd.service: Failed with result 'core-dump'.",
    ],
    'login-1.log': [`Nov 20 06:23:01 login-1 sshd[9000]: ${OUT}`],
    'login-2.log': [`Nov 20 06:23:41 login-2 sshd[9000]: ${OUT}`],
  });
  assert.equal(text.match(/^INCIDENT /gm)?.length, 1);
  assert.match(text, /Do +see why slapd of ldap1 failed, and start it again: users cannot log in meanwhile/);
});
