#!/bin/sh
# rootfs.sh PROGRAM FOLDER: what PROGRAM needs to run and nothing else, as the files of an image.
set -eu
program=$1
root=$2
mkdir -p "$root/usr/bin" "$root/etc" "$root/tmp"
chmod 1777 "$root/tmp"
cp "$program" "$root/usr/bin/chancery"
# The loader and the libraries, where the program looks for them on this architecture.
ldd "$program" | grep -o '/[^ ]*' | while read -r library; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done
echo 'chancery:x:65532:65532::/tmp:/sbin/nologin' > "$root/etc/passwd"
echo 'chancery:x:65532:' > "$root/etc/group"
