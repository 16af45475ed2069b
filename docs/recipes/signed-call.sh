#!/usr/bin/env bash
# A signed call with curl and openssl: signed-call.sh METHOD PATH [JSON]
set -euo pipefail
: "${GREENROOM_KEY:?is the id of your API key}" "${GREENROOM_SECRET:?is the secret of that key}"

date=$(LC_ALL=C date -u '+%a, %d %b %Y %H:%M:%S GMT')
signature=$(printf %s "$date" | openssl dgst -sha256 -hmac "$GREENROOM_SECRET" -r | cut -d' ' -f1)

curl --silent --show-error --fail-with-body --globoff \
  --request "$1" "${GREENROOM_URL:-http://127.0.0.1:8080}/v1$2" \
  --header "x-api-key: $GREENROOM_KEY" \
  --header "x-date: $date" \
  --header "x-signature: $signature" \
  --header 'x-api-version: 1' \
  ${3:+--header 'content-type: application/json' --data-raw "$3"}
