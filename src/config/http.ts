import { isSubnet } from '../lib/addresses.js'
import { integer, list, onOff, serverUrl, text } from './parsers.js'
import { type ConfigOf, group, setting } from './setting.js'

/** Compared literally with the Origin header that a browser sends. */
const isOrigin = (given: string): boolean =>
  /^https?:/.test(given) && URL.canParse(given) && new URL(given).origin === given

export const http = group({
  host: setting('HOST', text, { default: '127.0.0.1' }).about('Address to listen on; `0.0.0.0` for every interface.'),
  port: setting('PORT', integer(0, 65_535), { default: '8080' }).about('Port to listen on; `0` takes a free one.'),
  publicUrl: setting(
    'PUBLIC_URL',
    serverUrl('must have no query, no fragment and no password, such as https://example.com/greenroom.'),
  ).about(
    'Address at which browsers and platforms reach the service, with the path that a proxy adds: `https://example.com/greenroom`. Uploaded media have their URLs under it.',
  ),
  trustProxy: setting(
    'TRUST_PROXY',
    list(isSubnet, 'must be addresses or subnets of proxies, separated by commas, such as 10.0.0.0/8 or ::1.'),
    { default: '' },
  ).about(
    'Proxies whose X-Forwarded-For names the client, for the log, the addresses of keys and the limits, and whose X-Forwarded-Proto says whether it uses TLS: addresses or subnets, separated by commas.',
  ),
  corsOrigins: setting(
    'CORS_ORIGINS',
    list(
      isOrigin,
      'must be origins as a browser sends them, separated by commas: scheme, host and port alone, such as https://app.example.',
    ),
    { default: '' },
  ).about('Origins whose pages may call the service from a browser, separated by commas: `https://app.example`.'),
  console: setting('CONSOLE', onOff, { default: 'on' }).about(
    '`off` serves the API alone, without the web console at `/`.',
  ),
  earlierVariant: setting('EARLIER_VARIANT', onOff, { default: 'off' }).about(
    '`on` serves the earlier variant of the interface at `/v0`.',
  ),
  maxConnections: setting('MAX_CONNECTIONS', integer(10, 1_000_000)).about(
    "Connections of callers at once, 10 to 1000000; 10000 by default, or half of the process's descriptors (`ulimit -n`).",
  ),
  drainMs: setting('DRAIN_MS', integer(0, 600_000), { default: '3000' }).about(
    'How long a stopping server, whose `/readyz` is 503 already, answers requests, in milliseconds; `0` on a terminal.',
  ),
  stopTimeoutMs: setting('STOP_TIMEOUT_MS', integer(0, 600_000), { default: '10000' }).about(
    'How long running requests may take to finish at a stop, in milliseconds.',
  ),
})

export type HttpConfig = ConfigOf<typeof http>
