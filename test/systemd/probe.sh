# What the test runs as root inside the booted sandbox; every line of the form "key value" is looked at by service.test.ts.

export PATH=/srv/node:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
say() { echo "$1 ${*:2}"; }
show() { systemctl show faultline --property "$1" --value; }
status() { faultline-status | tr -d '\n'; }
faultline-status() {
  node -e '
    require("http").get({ socketPath: "/run/faultline/faultline.sock", path: "/v1/status" }, (r) => r.pipe(process.stdout))
      .on("error", (e) => console.log(e.message))'
}
# wait_for SECONDS COMMAND...
wait_for() {
  local end=$((SECONDS + $1))
  until "${@:2}" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 0.1
  done
}
restarted() { [ "$(show NRestarts)" -gt "$1" ] && [ "$(show ActiveState)" = active ]; }
cpu_works() { status | grep -q '"source":"cpu","status":"works"'; }

# A power meter that only root may read, as kernels since 5.10 have it.
zone=/srv/sys/class/powercap/intel-rapl:0
mkdir -p "$zone"
echo package-0 >"$zone/name"
echo 1000000 >"$zone/energy_uj"
echo 262143328850 >"$zone/max_energy_range_uj"
chmod 400 "$zone/energy_uj"

# Devices and keys as hosts have them; the unit shuts paths that need not be there.
mknod /dev/nvidia0 c 195 0 && mknod /dev/nvidiactl c 195 255 && mknod /dev/nvidia-secret c 1 3
shut=$(sed -n 's/^InaccessiblePaths=//p' /srv/faultline/systemd/faultline.service | tr ' ' '\n' | sed 's/^-//')
for path in /etc/munge /etc/sssd /etc/wireguard /etc/ceph /etc/pki/tls/private /etc/rancher /etc/docker /etc/containerd \
  /var/lib/etcd /etc/salt /var/lib/cloud /etc/NetworkManager/system-connections; do
  mkdir -p "$path" && echo secret >"$path/key" && chmod 600 "$path/key"
done
/srv/faultline/scripts/install --node /srv/node/node
say install $?
say active "$(show ActiveState)" "$(show Type)" "$(show StatusText)"
say user "$(stat -c %U "/proc/$(show MainPID)")"
say capabilities "$(grep -E '^Cap(Prm|Eff|Bnd|Amb)' "/proc/$(show MainPID)/status" | cut -f2 | sort -u | tr '\n' ' ')"
say confined "$(grep -E '^(NoNewPrivs|Seccomp):' "/proc/$(show MainPID)/status" | cut -f2 | tr '\n' ' ')"
inside=(nsenter --target "$(show MainPID)" --mount)
say devices "$("${inside[@]}" ls /dev | tr '\n' ' ')"
say input "$(readlink "/proc/$(show MainPID)/fd/0")"
# As root with every right, in the view that the service has: nothing may be found, whoever asks.
say keys "$("${inside[@]}" find $shut -type f -size +0 2>/dev/null | tr '\n' ' ')"
say shut "$(ls -d $shut 2>/dev/null | wc -l)"
say modes "$(stat -c '%U:%G:%a' /var/lib/faultline /var/log/faultline /run/faultline /etc/faultline/faultline.yaml | tr '\n' ' ')"
wait_for 20 sh -c '[ -f /var/lib/faultline/boot.json ]'
say status "$(status)"
faultline doctor >/tmp/doctor 2>&1
say doctor $?

# A rank of another user: known through the reader, with nothing of what is not of the list.
install -d -o 54321 -m 755 /srv/dumps
echo x >/srv/dumps/fr_3
env -i TORCH_FR_DUMP_TEMP_FILE=/srv/dumps/fr_ RANK=3 WORLD_SIZE=8 LOCAL_RANK=3 SLURM_JOB_ID=991 API_TOKEN=hush setpriv --reuid 54321 --regid 54321 --clear-groups sleep 600 &
job=$!
rank_known() { faultline jobs --json | tr -d ' \n' | grep -q '"rank":3'; }
wait_for 20 rank_known
say jobs "$(faultline jobs --json | tr -d '\n')"
dumps_known() { status | grep -q '1 ranks here, 1 dumps in '; }
wait_for 20 dumps_known
say dumps "$(status)"
reader=$(pgrep -x -o faultline-envir)
# What of the host it finds, and of that what may be written: mounts that are not read-only, apart from the kernel's own files.
say found "$(ls "/proc/$reader/root/" "/proc/$reader/root/opt/faultline" "/proc/$reader/root/run" "/proc/$reader/root/usr" | grep -v : | sort -u | tr '\n' ' ')"
say mounts "$(awk '$6 ~ /^rw/ && $5 !~ /^\/(proc|dev|sys)/ {print $5}' "/proc/$reader/mountinfo" | tr '\n' ' ')"
kill $job

# The same with the power meter, a GPU of the stand-in library, and with pauses that a test can wait for.
printf '\nroots: {sys: /srv/sys}\n' >>/etc/faultline/faultline.yaml
library=/srv/faultline/build/Release/libnvidia-ml.so.1
[ ! -f "$library" ] || sed -i "s#^sources:#&\n  gpu: {library: $library}#" /etc/faultline/faultline.yaml
mkdir -p /etc/systemd/system/faultline.service.d
printf '[Service]\nWatchdogSec=2\nRestartSec=200ms\n' >/etc/systemd/system/faultline.service.d/test.conf
systemctl daemon-reload
systemctl restart faultline
wait_for 20 cpu_works
gpu_works() { status | grep -q '"source":"gpu","status":"works"'; }
wait_for 20 gpu_works
main=$(show MainPID)
for pid in $main $(pgrep -x -P "$main" faultline-vendo) $(pgrep -x faultline-envir); do
  status_of() { sed -n "s/^$1:\t\(\S*\).*/\1/p" "/proc/$pid/status"; }
  as=(nsenter --target "$pid" --mount setpriv --reuid "$(status_of Uid)" --regid "$(status_of Gid)" --clear-groups)
  # What this user may write there, apart from the kernel's own files; the reader has no programs to try it with.
  [ -e "/proc/$pid/root/usr/bin" ] && writable=$(awk '$6 ~ /^rw/ && $5 !~ /^\/proc/ {print $5}' "/proc/$pid/mountinfo" | sort -u |
    while read -r mount; do "${as[@]}" find "$mount" -xdev \( -type d -o -type f \) -writable -print -prune 2>/dev/null; done | sort -u) || writable=
  say "process $(readlink "/proc/$pid/exe" | sed 's|.*/||; s/^node$/faultline/')" "$(getent passwd "$(status_of Uid)" | cut -d: -f1)" \
    "$(status_of CapBnd) $(status_of CapPrm) $(status_of NoNewPrivs) $(status_of Seccomp_filters)" "$(tr '\n' ' ' <<<"$writable")"
done
say energy "$(status)"

# Longer than the watchdog's period: it is fed.
sleep 4
say fed "$(show ActiveState)" "$(show NRestarts)"
systemctl reload faultline
say reload $? "$(show ActiveState)"
kill -STOP "$(show MainPID)"
wait_for 30 restarted 0
say watchdog "$(show ActiveState)" "$(show NRestarts)"
kill -KILL "$(show MainPID)"
wait_for 20 restarted 1
say killed "$(show ActiveState)" "$(show NRestarts)"

cp /etc/faultline/faultline.yaml /tmp/good.yaml
echo 'nonsense: 1' >>/etc/faultline/faultline.yaml
systemctl restart faultline 2>/dev/null
wait_for 20 sh -c '[ "$(systemctl show faultline --property ActiveState --value)" = failed ]'
say refused "$(show ActiveState)" "$(show ExecMainStatus)" "$(show NRestarts)"
cat /tmp/good.yaml >/etc/faultline/faultline.yaml
systemctl reset-failed faultline

echo kept >/var/lib/faultline/marker
/srv/faultline/scripts/install --node /srv/node/node
say upgrade $? "$(show ActiveState)" "$(cat /var/lib/faultline/marker)" "$(cmp /tmp/good.yaml /etc/faultline/faultline.yaml && echo same)"
systemctl stop faultline
say stop "$(show Result)"
say remembered "$(cat /var/lib/faultline/boot.json)"

rm -r /etc/systemd/system/faultline.service.d
/srv/faultline/scripts/uninstall
say uninstall $? "$(ls -d /opt/faultline /usr/local/bin/faultline /etc/systemd/system/faultline.service 2>/dev/null | wc -l)" "$(cat /var/lib/faultline/marker)"
/srv/faultline/scripts/uninstall --purge
say purge $? "$(find /etc /opt /var /run /usr/local -name '*faultline*' ! -name '*faultline-test*' | tr '\n' ' ')" "$(getent passwd faultline; getent group faultline)"
say finished
