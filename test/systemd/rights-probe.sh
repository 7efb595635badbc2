# What rights.slow.ts runs as root inside the booted sandbox: the service with each right taken away in turn; one line of JSON each.
# What is taken away is in the files of /srv/probe/cases: drop-ins by the name of their unit, in a folder for each case.

export PATH=/srv/node:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
until_for() {
  local end=$((SECONDS + $1))
  until "${@:2}" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 0.2
  done
}

# A host as others have it: a power meter, a table of memory modules and a log that only root or their user may read.
mkdir -p /srv/sys/class/powercap/intel-rapl:0 /srv/sys/class/dmi/id /srv/sys/firmware/dmi/tables
cd /srv/sys/class/powercap/intel-rapl:0
echo package-0 >name
echo 1000000 >energy_uj
echo 262143328850 >max_energy_range_uj
chmod 400 energy_uj
# One memory device (type 17) with its texts, and the end (DMTF DSP0134).
printf '\x11\x28\x01\x00\xff\xff\xff\xff\x40\x00\x40\x00\x00\x40\x09\x00\x01\x02\x1a\x80\x00\x80\x0c\x03\x04\x05\x06\x02\x00\x00\x00\x00\x80\x0c\xb0\x04\xb0\x04\xb0\x04DIMM_A1\0NODE 1\0Samsung\0S1234567\0tag\0M321R4GA3BB6\0\0\x7f\x04\x02\x00\0\0' \
  >/srv/sys/firmware/dmi/tables/DMI
chmod 400 /srv/sys/firmware/dmi/tables/DMI
user=54321
install -d -o $user -m 755 /srv/dumps /srv/logs
install -o $user -m 600 /dev/null /srv/logs/private.log
line='iteration 10/ 100 | elapsed time per iteration (ms): 400.0 | loss: 1.0'
echo "$line" >>/srv/logs/private.log
# Work of another user. By its control group alone:
as() { setpriv --reuid $user --regid $user --clear-groups "$@"; }
group=/sys/fs/cgroup/system.slice/slurmstepd.scope/job_77/step_0/user/task_1
mkdir -p $group
env -i setpriv --reuid $user --regid $user --clear-groups sleep 3600 &
echo $! >$group/cgroup.procs
# A rank with a framework's library, an output and a dump:
cp -L /lib/x86_64-linux-gnu/libm.so.6 /srv/libtorch_cpu.so 2>/dev/null || cp -L "$(ldconfig -p | sed -n 's/.*libm\.so\.6.* => //p' | head -1)" /srv/libtorch_cpu.so
echo x >/srv/dumps/fr_3
as env -i LD_PRELOAD=/srv/libtorch_cpu.so RANK=3 WORLD_SIZE=8 SLURM_JOB_ID=991 API_TOKEN=hush TORCH_FR_DUMP_TEMP_FILE=/srv/dumps/fr_ sleep 3600 >>/srv/logs/rank3.out 2>&1 &
# The same in mounts of its own, as in a container:
mkdir -p /srv/inside
unshare --mount sh -c "mount -t tmpfs -o mode=755,uid=$user tmpfs /srv/inside && echo x >/srv/inside/fr_4 &&
  echo '$line' >/srv/inside/rank4.out && chown $user /srv/inside/rank4.out &&
  exec setpriv --reuid $user --regid $user --clear-groups env -i RANK=4 WORLD_SIZE=8 SLURM_JOB_ID=991 TORCH_FR_DUMP_TEMP_FILE=/srv/inside/fr_ sleep 3600 >>/srv/inside/rank4.out 2>&1" &
# And one that prints into its user's home, which the unit hides:
install -d -o $user -m 700 /home/runs
echo "$line" >/home/runs/rank5.out
chown $user /home/runs/rank5.out
as env -i RANK=5 WORLD_SIZE=8 SLURM_JOB_ID=991 sleep 3600 >>/home/runs/rank5.out 2>&1 &

/srv/faultline/scripts/install --node /srv/node/node --no-start
{
  printf 'roots: {sys: /srv/sys}\n'
  sed '/^  job_log: \[\]/d; s#^sources:#&\n  processes: {interval: 1s}\n  job_log: [{job: private, path: /srv/logs/private.log}]#' /etc/faultline/faultline.yaml
} >/tmp/configuration
cat /tmp/configuration >/etc/faultline/faultline.yaml
systemctl daemon-reload

asked() { faultline jobs --json | tr -d ' \n' | grep -q '"id":"77"'; }
for case in /srv/probe/cases/*; do
  systemctl stop faultline faultline-environ.socket 'faultline-environ@*.service' 2>/dev/null
  for unit in faultline.service faultline-environ.socket faultline-environ@.service; do
    rm -rf "/etc/systemd/system/$unit.d"
    [ ! -f "$case/$unit" ] || install -D -m 644 "$case/$unit" "/etc/systemd/system/$unit.d/rights.conf"
  done
  systemctl daemon-reload
  systemctl start faultline
  until_for 30 asked
  # Looks are a second apart; a process that is work is asked for its files in six of them.
  sleep 8
  echo "case $(basename "$case") $(curl -s --unix-socket /run/faultline/faultline.sock http://localhost/v1/status) $(faultline jobs --json | tr -d '\n')"
done
echo finished
