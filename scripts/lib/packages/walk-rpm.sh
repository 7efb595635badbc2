# Life of the .rpm in a booted tree that has rpm: install, upgrade, downgrade, remove. Run by boot.sh, with old.rpm and new.rpm.
# Debian's rpm knows none of its libraries as packages: dependencies are looked at by name, not resolved.
. /srv/shared/checks.sh
read -r _ old new <versions

listing >/tmp/before
said=$(rpm --install --nodeps old.rpm 2>&1)
ok 'rpm --install' $? "$said"
systemctl enable --now faultline.service 2>/dev/null
same 'runs once it is enabled' active "$(active)"
same 'version' "$old" "$(version)"
ok 'the reader of environments is there' "$([ -S /run/faultline-environ/reader.sock ]; echo $?)"
same 'modes' 'faultline:faultline:750 faultline:faultline:750 root:faultline:750 root:faultline:640' \
  "$(stat -c '%U:%G:%a' /var/lib/faultline /var/log/faultline /etc/faultline /etc/faultline/faultline.yaml | tr '\n' ' ' | sed 's/ $//')"
echo '# mine' >>/etc/faultline/faultline.yaml
process=$(show MainPID)
said=$(rpm --upgrade --nodeps new.rpm 2>&1)
ok 'upgrade' $? "$said"
wait_for 30 restarted "$process"
ok 'the running service is restarted' $?
same 'version after the upgrade' "$new" "$(version)"
same 'the changed configuration stays' '# mine' "$(tail -n 1 /etc/faultline/faultline.yaml)"
said=$(rpm --upgrade --oldpackage --nodeps old.rpm 2>&1)
ok 'downgrade' $? "$said"
same 'version after the downgrade' "$old" "$(version)"
same 'runs' active "$(active)"
# What the older one does at its removal follows from its own scripts.
said=$(rpm --upgrade --nodeps new.rpm 2>&1)
ok 'the upgrade again' $? "$said"
wait_for 30 grep -q /run/faultline-environ/reader.sock /proc/net/unix
ok 'the reader of environments listens' $?
same 'verified by rpm, but for the configuration and its group' '' \
  "$(rpm --verify --nodeps faultline | grep -v ' /etc/faultline')"
said=$(rpm --erase faultline 2>&1)
ok 'erase' $? "$said"
same 'it does not run' inactive "$(active)"
same 'no program' '' "$(find /usr/lib/faultline /usr/bin/faultline 2>/dev/null)"
same 'nothing of its sockets' '' "$(sockets)"
ok 'data and changed configuration stay' "$([ -d /var/log/faultline ] && [ -s /etc/faultline/faultline.yaml.rpmsave ]; echo $?)"
rm -rf /etc/faultline /var/lib/faultline /var/log/faultline && userdel faultline && userdel faultline-environ
listing >/tmp/after
same 'nothing else is left' '' "$(diff /tmp/before /tmp/after | grep '^[<>]')"
# Last, as it unpacks the package over the tree that it runs in.
said=$(rpmlint --config deploy/packages/rpmlint.toml published/*.rpm 2>&1)
ok 'rpmlint finds nothing that has no reason' $? "$said"
tail -n 1 <<<"$said"
echo "finished $wrong"
