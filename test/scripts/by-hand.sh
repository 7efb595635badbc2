# What by-hand.test.ts runs in namespaces without systemd; every line "key value" is looked at there.
# usage: by-hand.sh WORK REPOSITORY NODE
work=$1 repository=$2 node=$3
say() { echo "$1 ${*:2}"; }
listing() { find /etc /opt /var /run /usr/local -xdev \( -path /var/cache -o -path /var/tmp -o -name '*-' -o -name '.pwd.lock' \) -prune -o -printf '%p %y %m %U\n' | sort; }
accounts() { getent passwd | sort && getent group | sort; }
useradd --no-create-home visitor
listing >$work/before && accounts >>$work/before

said=$("$repository/scripts/install" --node "$node")
say install $?
hint=$(sed -n 's/^faultline:   \(install .*\)/\1/p' <<<"$said")
say hint "$hint"
# As an operator would paste it.
(cd / && eval "$hint" >$work/daemon 2>&1) &
for _ in $(seq 300); do [ -S /run/faultline/faultline.sock ] && break; sleep 0.1; done
say socket "$(stat -c '%U:%G:%a' /run/faultline/faultline.sock)"
cd /
as_visitor() {
  local said status=0
  said=$(runuser -u visitor -- /usr/local/bin/faultline "$@" 2>&1 </dev/null) || status=$?
  echo "visitor $status $* => $(tr '\n' ' ' <<<"$said")"
}
as_visitor incidents
as_visitor incidents --json --follow
as_visitor doctor
as_visitor config check
as_visitor release-devices
as_visitor run
# What the site opens, the daemon's socket and log still are not.
chmod 755 /etc/faultline && chmod 644 /etc/faultline/faultline.yaml
as_visitor incidents
as_visitor explain 7f3c41
as_visitor ack 7f3c41
as_visitor maintenance list
as_visitor release-devices
usermod --append --groups faultline visitor
say member "$(runuser -u visitor -- /usr/local/bin/faultline incidents 2>&1 | head -1)"

"$repository/scripts/uninstall" --purge >$work/refused 2>&1
say running $? "$(cat $work/refused)"
# The line that it gave.
$(sed -n 's/.*(\(kill [0-9 ]*\)).*/\1/p' "$work/refused")
wait
mkdir -p /etc/systemd/system/faultline.service.d /etc/systemd/system/multi-user.target.wants
touch /etc/systemd/system/faultline.service.d/mine.conf /etc/faultline/environment /etc/logrotate.d/faultline
ln -s ../faultline.service /etc/systemd/system/multi-user.target.wants/faultline.service
"$repository/scripts/uninstall" --purge >$work/purged 2>&1
say purge $?
gpasswd --delete visitor faultline >/dev/null 2>&1
listing >$work/after && accounts >>$work/after
say left "$(diff $work/before $work/after | grep '^[<>]' | tr '\n' ';')"
say finished
