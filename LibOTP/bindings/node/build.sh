#!/usr/bin/env bash
# Packs the package for Node, as `npm install` takes it: build.sh FOLDER. The same files give the same bytes.
set -euo pipefail
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")"
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
tar --create --sort=name --format=ustar --mode=u=rw,go=r --owner=0 --group=0 --numeric-owner \
  --mtime=1985-10-26T08:15:00Z --transform='s,^,package/,' README.md {express,index}.{d.ts,js} package.json |
  gzip --no-name -9 > "$out/swift-otp-$version.tgz"
