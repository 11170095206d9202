#!/usr/bin/env bash
# `otp record serve`: every record sequence of the vectors; the process, its socket and its keyring; the page's rule in
# JavaScript and Java, word for word, under 200 requests at once, and with a fault. What docs/running.md says of any
# service: its units, alert rules and rotation.
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

block() {  # LANGUAGE [PAGE]
  awk -v start="\`\`\`$1" '$0 == "```" { inside = 0 } inside { print } $0 == start { inside = 1 }' "${2:-Tool/record-service/README.md}"
}
block js > "$work/rule.mjs"
# shellcheck disable=SC2016 # no variables
sed 's/await replace(old, record))/(await replace(old, record), true))/' "$work/rule.mjs" > "$work/faulty.mjs"
block java > "$work/RecordService.java"
cp Tests/Checks/record-service/Trial.java "$work"
javac -d "$work" "$work/RecordService.java" "$work/Trial.java"
node Tests/Checks/record-service/trial.mjs "$work/rule.mjs" "$otp" "$work/keyring"
LC_ALL=C java -cp "$work" Trial "$otp" "$work/keyring"
if cmp -s "$work/rule.mjs" "$work/faulty.mjs" ||
  node Tests/Checks/record-service/trial.mjs "$work/faulty.mjs" "$otp" "$work/keyring"; then
  echo "record-service: a rule that answers always is not noticed" >&2
  exit 1
fi
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
  [ "$(otp keyring list keyring.json | grep -c key=)" -eq 1 ] && [ "$(otp keyring list keyring.json)" != "$old" ]
)
echo "record-service: $process; the vectors, JavaScript and Java pass"
