#!/usr/bin/env bash
# Runs a script of this folder under a separate root: the machine's /usr and this project, both read-only, and
# everything else new and in memory. run.sh starts it in new namespaces, and everything disappears with them.
set -euo pipefail
cd "$(dirname "$0")/../../.."
readonly project=$PWD root=$PWD/.build-server/root name=otp-check

mount -t tmpfs -o mode=755 tmpfs "$root"
cd "$root"
mkdir -p dev etc/pam.d home/$name proc root run/sshd
mkdir -m 1777 tmp

# The machine's parts.
show() {
  mkdir -p ".$1"
  mount --rbind "$1" ".$1"
  mount -o remount,bind,ro ".$1"
}
show /usr
for folder in /bin /sbin /lib /lib32 /lib64 /libx32; do
  if [ -L $folder ]; then cp -P $folder .; elif [ -d $folder ]; then show $folder; fi
done
show "$project"
for device in null urandom; do
  touch dev/$device
  mount --bind /dev/$device dev/$device
done
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
mount -t proc proc proc
ip link set lo up

# The users: root, the one that sshd runs as before authentication, and one that logs in.
cat > etc/passwd <<PASSWD
root:x:0:0::/root:/bin/sh
sshd:x:101:101::/run/sshd:/usr/sbin/nologin
$name:x:1000:1000::/:/bin/sh
PASSWD
printf '%s:x:%d:\n' root 0 sshd 101 $name 1000 > etc/group
echo 'passwd: files' > etc/nsswitch.conf
[ ! -e /etc/ld.so.cache ] || cp /etc/ld.so.cache etc
install -d -m 700 etc/otp
install -m 600 "$project/.build-server/keyring" etc/otp/.keyring

exec chroot . /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C HOME=/root \
  name=$name build="$project/.build-server" here="$project/Tests/Checks/openssh" \
  /bin/bash "$project/Tests/Checks/openssh/$1" "${@:2}"
