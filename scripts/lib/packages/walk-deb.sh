# Life of the .deb in a booted Debian: install, first incident, upgrade, downgrade, half an upgrade, remove, purge. Run by boot.sh,
# with older.deb, old.deb and new.deb, release.tar.gz and the file versions in the shared folder.
. /srv/shared/checks.sh
read -r older old new <versions
apt() { apt-get -qq -o Dpkg::Use-Pty=0 -y "$@"; }

useradd --create-home visitor
listing >/tmp/before

# No space: said by dpkg, and nothing is left.
mkdir /usr/lib/faultline && mount -t tmpfs -o size=40m tmpfs /usr/lib/faultline
said=$(apt install ./old.deb 2>&1)
like 'a full disk is named' 'No space left on device' "$said"
umount /usr/lib/faultline && rmdir /usr/lib/faultline
dpkg --purge faultline >/dev/null 2>&1
same 'nothing is left of what did not fit' '' "$(listing | diff /tmp/before - | grep '^[<>]')"

# changed WHAT: the package with another line of its description, without its files: both are looked at before any file.
changed() {
  rm -rf /tmp/changed && mkdir -p /tmp/changed/DEBIAN && dpkg-deb --control new.deb /tmp/changed/DEBIAN
  rm -f /tmp/changed/DEBIAN/conffiles
  sed -i "$1" /tmp/changed/DEBIAN/control
  dpkg-deb --build -Znone /tmp/changed /tmp/changed.deb >/dev/null
}
changed 's/^Architecture: .*/Architecture: arm64/'
like 'another architecture is named' 'package architecture \(arm64\) does not match system' "$(dpkg --install /tmp/changed.deb 2>&1)"
changed 's/libc6 (>= [0-9.]*)/libc6 (>= 2.99)/'
like 'a C library that is too old is named' 'libc6 \(>= 2.99\)' "$(apt-get install -y /tmp/changed.deb 2>&1)"
dpkg --purge faultline >/dev/null 2>&1
rm -rf /tmp/changed /tmp/changed.deb
same 'nothing is left of what was refused' '' "$(listing | diff /tmp/before - | grep '^[<>]')"

began=$(date +%s%N)
said=$(apt install ./old.deb 2>&1)
ok 'apt install of a file' $? "$said"
same 'it says nothing that is not wrong' '' "$(grep -i 'faultline:' <<<"$said")"
same 'enabled by the distribution' enabled "$(systemctl is-enabled faultline.service)"
same 'runs' active "$(active)"
same 'version' "$old" "$(version)"
ok 'the reader of environments is there' "$([ -S /run/faultline-environ/reader.sock ]; echo $?)"
# As the driver writes it: there is no GPU here whose XID could be made up.
said=$(faultline inject kernel-line 'NVRM: Xid (PCI:0000:9b:00): 79, pid=1122, name=python, GPU has fallen off the bus.' 2>&1)
ok 'a line of the driver is injected' $? "$said"
wait_for 30 sh -c '[ -s /var/log/faultline/incidents.jsonl ]'
ok 'a first incident' $?
echo "took    $((($(date +%s%N) - began) / 1000000)) ms from apt install to the first incident"
like 'it is the XID' '"gpu\.lost"' "$(head -c 20000 /var/log/faultline/incidents.jsonl)"
began=$(date +%s%N)
runuser -u visitor -- sh -c 'cd && faultline demo >demo.txt 2>&1'
ok 'the demo as an ordinary user' $? "$(tail -n 3 /home/visitor/demo.txt)"
echo "took    $((($(date +%s%N) - began) / 1000000)) ms for the demo"
like 'the demo names its root' 'power' "$(cat /home/visitor/demo.txt)"
rm -f /home/visitor/demo.txt
like 'an ordinary user learns what to do for incidents' 'sudo|group' "$(runuser -u visitor -- faultline incidents 2>&1)"
same 'modes' 'faultline:faultline:750 faultline:faultline:750 root:faultline:750 root:faultline:640' \
  "$(stat -c '%U:%G:%a' /var/lib/faultline /var/log/faultline /etc/faultline /etc/faultline/faultline.yaml | tr '\n' ' ' | sed 's/ $//')"
ok 'its man page' "$([ -f /usr/share/man/man1/faultline-explain.1.gz ]; echo $?)"
# A second daemon, as its user would start it by hand.
said=$(runuser -u faultline -- timeout 20 faultline run 2>&1)
like 'a second instance is refused with a line' 'FL[0-9]{4}' "$said"
# The installer of the tarball leaves a package alone.
tar -xzf release.tar.gz -C /tmp
said=$(/tmp/faultline-*/install 2>&1)
like 'the tarball is refused on top of the package' 'is installed here as a package' "$said"

echo '# mine' >>/etc/faultline/faultline.yaml
count=$(incident_count)
process=$(show MainPID)
said=$(apt install ./new.deb 2>&1)
ok 'upgrade' $? "$said"
wait_for 30 restarted "$process"
ok 'the running service is restarted' $?
same 'version after the upgrade' "$new" "$(version)"
said=$(apparmor_parser --skip-kernel-load --skip-cache --warn=all /usr/lib/faultline/deploy/apparmor/faultline 2>&1)
ok 'its AppArmor profile is taken by the parser' $? "$said"
same 'the changed configuration stays' '# mine' "$(tail -n 1 /etc/faultline/faultline.yaml)"
same 'its incidents stay' "$count" "$(incident_count)"

systemctl stop faultline.service
said=$(apt install --allow-downgrades ./old.deb 2>&1)
ok 'downgrade' $? "$said"
same 'a service that was stopped stays so' inactive "$(active)"
same 'version after the downgrade' "$old" "$(version)"
systemctl start faultline.service
ok 'the older version starts on what the younger one left' $?
same 'its incidents stay' "$count" "$(incident_count)"

process=$(show MainPID)
said=$(apt install --allow-downgrades ./older.deb 2>&1)
ok 'downgrade to the version before that' $? "$said"
same 'version after it' "$older" "$(version)"
wait_for 30 restarted "$process"
ok 'it runs on what the younger ones left' $?
same 'its incidents stay' "$count" "$(incident_count)"
apt install ./old.deb >/dev/null 2>&1

# Half an upgrade: dpkg dies while it unpacks.
process=$(show MainPID)
dpkg --install new.deb >/dev/null 2>&1 &
wait_for 10 sh -c 'ls /usr/lib/faultline/dist/*.dpkg-new'
kill -KILL "$(pgrep -n -f 'dpkg --install new.deb')"
wait
same 'the old daemon still runs after half an upgrade' "$process" "$(show MainPID)"
rm -f /var/lib/dpkg/lock /var/lib/dpkg/lock-frontend
said=$(dpkg --install new.deb 2>&1)
ok 'the upgrade again' $? "$said"
same 'whole again' 0 "$(faultline version >/dev/null 2>&1; echo $?)"
same 'version after it' "$new" "$(version)"
wait_for 30 grep -q /run/faultline-environ/reader.sock /proc/net/unix
ok 'the reader of environments listens, whatever versions came between' $?
same 'no pieces are left' '' "$(find /usr/lib/faultline -name '*.dpkg-*')"

said=$(apt remove faultline 2>&1)
ok 'remove' $? "$said"
same 'it does not run' inactive "$(active)"
same 'no program' '' "$(find /usr/lib/faultline /usr/bin/faultline 2>/dev/null)"
same 'nothing of its sockets' '' "$(sockets)"
ok 'the data stay' "$([ -s /var/log/faultline/incidents.jsonl ] && [ -s /etc/faultline/faultline.yaml ]; echo $?)"
apt install ./new.deb >/dev/null 2>&1
same 'after its removal it comes back running' active "$(active)"
same 'with its incidents' "$count" "$(incident_count)"

mkdir -p /etc/systemd/system/faultline.service.d && touch /etc/systemd/system/faultline.service.d/mine.conf
said=$(apt purge faultline 2>&1)
ok 'purge' $? "$said"
same 'nothing of its sockets after the purge' '' "$(sockets)"
listing >/tmp/after
same 'nothing is left' '' "$(diff /tmp/before /tmp/after | grep '^[<>]')"

# The tarball on the same host, and the package on top of it.
mount -t tmpfs -o size=40m tmpfs /opt
like 'a full disk is named before anything is changed' 'not enough space at /opt: .*Nothing was changed' "$(/tmp/faultline-*/install 2>&1)"
umount /opt
said=$(/tmp/faultline-*/install 2>&1)
ok 'install of the tarball, without a compiler' $? "$said"
same 'runs' active "$(active)"
same 'version of the tarball' "$new" "$(version)"
said=$(apt install ./new.deb 2>&1)
like 'the package is refused on top of the tarball' 'scripts/install has installed Faultline here already' "$said"
dpkg --purge faultline >/dev/null 2>&1
same 'which still runs' active "$(active)"
sed -i 's/linux-x64/linux-riscv64/' /tmp/faultline-*/build.json
like 'another architecture is named' 'this release is for riscv64, this host is' "$(/tmp/faultline-*/install 2>&1)"
/tmp/faultline-*/uninstall --purge >/dev/null
same 'nothing of the sockets of the tarball' '' "$(sockets)"
listing | grep -v '^/usr/local/share\|^/etc/sysusers.d d' >/tmp/after
same 'nothing is left of the tarball' '' "$(grep -v '^/usr/local/share\|^/etc/sysusers.d d' /tmp/before | diff - /tmp/after | grep '^[<>]')"
echo "finished $wrong"
