#!/usr/bin/env bash
# `otp record serve`: every record sequence of the vectors; the process, its socket and its keyring; the package for Node
# with the pages' programs, Express, types and faults, and the classes for Java and PHP, under 200 requests at once.
# What docs/running.md says of any service: its units, alert rules, rotation and keys in memory.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
cd "$root"
tool=("${flavour_client[@]}" --package-path Tool)
swift_build "${tool[@]}" --product otp
otp=$(swift_build "${tool[@]}" --show-bin-path)/otp
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1

"$otp" keyring new "$work/keyring"
python3 vectors/conformance/run.py --records --exact \
  "python3 vectors/conformance/adapters/record_service.py $otp $work/keyring" | tee "$work/exact" | tail -n 3
mkdir "$work/process"
process=$(/usr/bin/python3 Tests/Checks/record-service/service.py "$otp" "$work/process")

block() {  # LANGUAGE PAGE
  awk -v start="\`\`\`$1" '$0 == "```" { inside = 0 } inside { print } $0 == start { inside = 1 }' "$2"
}
# The package for Node, as it is packed, beside the page's program.
LibOTP/bindings/node/build.sh "$work"
mkdir -p "$work/node_modules/swift-otp"
tar --extract --gzip --file "$work"/swift-otp-*.tgz --directory "$work/node_modules/swift-otp" --strip-components=1
block js Tool/record-service/README.md |
  sed "s,/etc/example/keyring,$work/keyring," > "$work/page.mjs"
block javascript LibOTP/bindings/node/README.md > "$work/readme.mjs"
cp Tests/Checks/record-service/*.m[jt]s "$work"
# Debian's Express, and what it needs of Debian's packages.
NODE_PATH=$(Scripts/foreign.sh "$(dpkg --print-architecture)" node-{typescript,express,accepts,array-flatten} \
  node-{body-parser,bytes,content-disposition,content-type,cookie,cookie-signature,debbundle-es-to-primitive,debug} \
  node-{deep-equal,depd,encodeurl,escape-html,etag,finalhandler,fresh,function-bind,http-errors,iconv-lite,inherits} \
  node-{ipaddr.js,media-typer,merge-descriptors,methods,mime,mime-types,ms,negotiator,object-inspect,on-finished} \
  node-{parseurl,path-to-regexp,proxy-addr,qs,range-parser,raw-body,safe-buffer,send,serve-static,setprototypeof} \
  node-{statuses,toidentifier,type-is,unpipe,utils-merge,vary})/usr/share/nodejs
export NODE_PATH
(cd "$work" && node "$NODE_PATH/typescript/bin/tsc" --strict --noEmit --target es2022 --module node16 types.mts)
# Notes its process, and is otp; says nonsense.
mkdir "$work/bin"
printf '#!/bin/sh\necho $$ > "%s/pid"\nexec "%s" "$@"\n' "$work" "$otp" > "$work/bin/otp"
printf '#!/bin/sh\necho %s\nexec cat\n' "'\"id\":0'" > "$work/nonsense"
chmod +x "$work/bin/otp" "$work/nonsense"
trial() { PATH=$work/bin:$PATH timeout "${2:-90}" node "$work/$1.mjs" "$work"; }
trial trial
trial router
fault() {  # FILE TRIAL SED: must be noticed.
  local file=$work/node_modules/swift-otp/$1
  cp "$file" "$work/right.js"
  sed -i "$3" "$file"
  if cmp -s "$file" "$work/right.js" || trial "$2" 20 2> "$work/log"; then
    echo "record-service: not noticed: $3" >&2
    exit 1
  fi
  cp "$work/right.js" "$file"
}
fault index.js trial 's/await \(replace(.*"base64"))\)) return/(await \1, true)) return/'
fault index.js trial 's/ || connection.isEnded//'
fault index.js trial 's/reject(new OTPError(code));$/reject;/'
fault index.js trial 's/\\0.{factor}//'
fault index.js trial 's/\\p{Cs}//'
fault express.js router 's/ && await factors.state(subject, "recovery") === "none"//'
fault express.js router 's/action === "codes" || .*unusedCodes(subject);/true;/'
fault express.js router 's/typeof code === "string" ? code : ""/String(code)/'
fault express.js router 's/site !== "same-origin"/site === "cross-site"/'
fault express.js router 's/escaped(account)/account/'
fault express.js router 's/response.set("Retry-After".*//'

javac -Xlint:all,-serial -Werror -d "$work" LibOTP/bindings/java/RecordService.java Tests/Checks/record-service/Trial.java
LC_ALL=C java -cp "$work" Trial "$otp" "$work/keyring" "$work/nonsense"
"$otp" record serve "$work/keyring" --socket "$work/php" &
until [ -S "$work/php" ]; do sleep 0.05; done
php -d zend.assertions=1 Tests/Checks/record-service/trial.php "$work/php" "$work/column" LibOTP/bindings/php/RecordService.php
kill $!
# The program of a unit is the one that was built, or any.
mkdir "$work/units" "$work/store"
for unit in LibOTP/packaging/debian/otp-record@.*; do
  sed "s|/usr/bin/otp |$otp |; s|=%i$|=root|; s|^User=.*|User=root|" "$unit" > "$work/units/${unit##*/}"
done
block ini docs/running.md | sed 's|/usr/local/bin/login-example|/bin/true|' > "$work/units/login-example.service"
systemd-analyze verify --man=no "$work"/units/otp-record@x.{service,socket} "$work/units/login-example.service"
systemd-analyze security --offline=yes --threshold=20 "$work/units/otp-record@.service" > /dev/null
block yaml docs/running.md | grep -oE '(event|reason)=~?"[^"]*"' | tr -d '~"' | sort -u | while IFS='=' read -r name values; do
  kind=Reason; [ "$name" != event ] || kind=Kind
  for value in ${values//|/ }; do
    sed -n "/enum $kind/,/^  }/p" Sources/Accounts/MultiFactor/*/AuditEvent*.swift |
      sed 's/.*case \([a-zA-Z]*\) = "\(.*\)"/case \2/' | grep -xE " *case $value" > /dev/null
  done
done
(
  cd "$work/store"
  export PATH=${otp%/*}:$PATH OTP_STORE=$work/store/factors.sqlite
  otp store create > created
  block sh "$root/docs/running.md" | sed '1,/^old=/{/^old=/!d}' > rotation
  old=$(otp keyring list keyring.json)
  bash -eu rotation > rotated
  grep -q "unreadable=0" rotated && grep -q "removed key=" rotated
  [ "$(otp keyring list keyring.json | grep -c key=)" -eq 1 ]
  [ "$(otp keyring list keyring.json)" != "$old" ]
  # The host's key is one of its own, the token a new one, and a tmpfs that of any user.
  export PIN=1234 SOFTHSM2_CONF=$work/softhsm SYSTEMD_CREDENTIAL_SECRET=$work/host folder=
  mkdir "$work/disk" "$work/tokens"
  echo "directories.tokendir = $work/tokens" > "$SOFTHSM2_CONF"
  softhsm2-util --init-token --free --label otp --so-pin "$PIN" --pin "$PIN" > created
  trap 'rm -r "${folder:?}"' EXIT
  block bash "$root/docs/running.md" | sed "s,/run/,/dev/shm/,; s,/etc/otp-record,$work/disk,g" > memory
  echo '{"op":"enroll","subject":"u","issuer":"i","account":"a"}' > request
  # shellcheck source=/dev/null
  source ./memory < request > "$work/made"
  grep -q '"uri":' "$work/made"
  [ "$(otp keyring list <(cat keyring) | grep -c key=)" -eq 2 ]
  [ "$(find "$work/disk" -type f | wc -l)" -eq 3 ]
  if grep -r otp-keyring "$work/disk"; then exit 1; fi
)
echo "record-service: $process; the vectors, Node, Java and PHP pass"
