#!/usr/bin/env bash
# `otp record serve`: every record sequence of the vectors; the process, its socket and its keyring; the page's rule in
# JavaScript and Java, word for word, under 200 requests at once, and with a fault.
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

block() {  # LANGUAGE
  awk -v start="\`\`\`$1" '$0 == "```" { inside = 0 } inside { print } $0 == start { inside = 1 }' Tool/record-service/README.md
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
echo "record-service: $process; the vectors, JavaScript and Java pass"
