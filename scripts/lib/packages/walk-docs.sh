# What the guide says to type, typed: blocks of README.md and docs are taken out of the pages as they are and run one after the other in
# a booted Debian, by root, with the published files in the folder. Run by boot.sh. Of a block only VERSION is put in; `sudo`
# is a function here.
. /srv/shared/checks.sh
read -r _ _ version <versions
cd published && chmod 777 .
echo 'APT::Get::Assume-Yes "true";' >/etc/apt/apt.conf.d/yes
useradd --create-home visitor

# block PAGE HEADING NUMBER [LANGUAGE]: the block of that number below the heading.
block() {
  awk -v heading="$2" -v number="$3" -v language="${4:-sh}" '
    /^```/ { if (inside) inside = 0; else { inside = 1; if (below && $0 == "```" language) seen++; mine = $0 == "```" language; next } }
    /^#+ / && !inside { text = $0; sub(/^#+ /, "", text); below = text == heading }
    inside && mine && below && seen == number' "/srv/shared/$1"
}
# typed PAGE HEADING NUMBER [AS]: runs the block, by root or by the user AS, in this folder.
typed() {
  local page=$1 heading=$2 number=$3 text
  text=$(block "$page" "$heading" "$number" | sed "s/VERSION/$version/g")
  [ -n "$text" ] || { ok "$page, $heading, $number" 1 'there is no such block' && return; }
  said=$(runuser -u "${4:-root}" -- bash -euc "sudo() { \"\$@\"; }; $text" 2>&1 </dev/null)
  ok "$page, $heading, $number" $? "$said"
}

typed docs/guide/install.md 'Verify' 1
typed docs/guide/install.md 'Verify' 2
cp SHA256SUMS right && sed -i '1s/^./x/' SHA256SUMS
said=$(bash -euc "$(block docs/guide/install.md 'Verify' 1)" 2>&1)
ok 'refused where a sum was changed' "$([ $? -ne 0 ]; echo $?)" "$said"
mv right SHA256SUMS

typed docs/guide/install.md 'Debian and Ubuntu' 1
typed README.md 'On a real host' 2
typed docs/guide/configuration.md 'Configuration by task' 1
typed docs/guide/kubernetes.md "kubelet's sockets, as a service of systemd" 1
typed docs/guide/install.md 'Debian and Ubuntu' 2
typed docs/guide/install.md 'Tarball' 1 visitor
typed docs/guide/install.md 'Tarball' 2
rm -rf faultline-*-linux-x64 /etc/faultline /var/lib/faultline /var/log/faultline

# Many hosts: the playbook of the page, on one host of the group gpu, twice: the second time nothing is left to do.
mkdir /root/play && cd /root/play
block docs/guide/install.md 'Many hosts' 1 yaml | sed "s/VERSION/$version/g" >play.yaml
cp -R /srv/shared/published/*.deb /srv/shared/deploy/ansible/roles .
echo 'log_level: debug' >faultline.yaml.j2
echo '# {{ inventory_hostname }}
sources: {gpu: {interval: 1s}}' >rack.yaml.j2
printf '[gpu]\nhere ansible_connection=local ansible_python_interpreter=/usr/bin/python3\n' >hosts
said=$(ansible-playbook -i hosts --syntax-check play.yaml 2>&1)
ok 'the playbook is one' $? "$said"
said=$(ansible-playbook -i hosts play.yaml 2>&1)
ok 'the playbook installs' $? "$said"
same 'and it runs' active "$(active)"
like 'with its drop-in' '# here' "$(cat /etc/faultline/conf.d/rack.yaml)"
ok 'which it takes' "$(faultline config check >/dev/null 2>&1; echo $?)" "$(faultline config check 2>&1)"
same 'as it configures it' 'log_level: debug' "$(cat /etc/faultline/faultline.yaml)"
said=$(ansible-playbook -i hosts play.yaml 2>&1)
like 'again it changes nothing' 'changed=0 .*failed=0' "$said"
echo 'sources: {gpu: {interval: 5}}' >faultline.yaml.j2
said=$(ansible-playbook -i hosts play.yaml 2>&1)
like 'a mistake in it is refused on the host, by line' 'faultline.yaml|interval' "$(grep -i 'fatal\|interval' <<<"$said")"
same 'and the one in force stays' 'log_level: debug' "$(cat /etc/faultline/faultline.yaml)"
said=$(ansible gpu -i hosts -b -m command -a 'faultline doctor --fleet' 2>&1)
like 'what every host says of itself' '"schema":"faultline/doctor-fleet/1"' "$said"

# On a node of Slurm.
cd /usr/lib/faultline && mkdir -p /etc/slurm
typed docs/guide/slurm.md 'A prologue, optional' 1
same 'the prologue is there' 755 "$(stat -c %a /etc/slurm/faultline-job)"
echo "finished $wrong"
