import { isSubnet } from '../lib/addresses.js'
import { integer, list, onOff, serverUrl, text } from './parsers.js'
import { type ConfigOf, group, setting } from './setting.js'

/** Compared literally with the Origin header that a browser sends. */
const isOrigin = (given: string): boolean =>
  /^https?:/.test(given) && URL.canParse(given) && new URL(given).origin === given

export const http = group({
  host: setting('HOST', text, { default: '127.0.0.1' }).about(
    'Address to listen on; `0.0.0.0` listens on every interface.',
  ),
  port: setting('PORT', integer(0, 65_535), { default: '8080' }).about('Port to listen on; `0` picks a free one.'),
  publicUrl: setting(
    'PUBLIC_URL',
    serverUrl('must have no query, no fragment and no password, such as https://example.com/greenroom.'),
  ).about(
    'Address at which browsers and platforms reach the service, including any path that a proxy adds, such as `https://example.com/greenroom`. URLs of uploaded media begin with it.',
  ),
  trustProxy: setting(
    'TRUST_PROXY',
    list(isSubnet, 'must be addresses or subnets of proxies, separated by commas, such as 10.0.0.0/8 or ::1.'),
    { default: '' },
  ).about(
    'Addresses or subnets of the proxies in front of the service, separated by commas. Their `X-Forwarded-For` names the client in the log, the address checks of keys and the limits; their `X-Forwarded-Proto` says whether the client uses TLS.',
  ),
  corsOrigins: setting(
    'CORS_ORIGINS',
    list(
      isOrigin,
      'must be origins as a browser sends them, separated by commas: only scheme, host and port, such as https://app.example.',
    ),
    { default: '' },
  ).about(
    'Origins of the pages that may call the service from a browser, separated by commas, such as `https://app.example`.',
  ),
  console: setting('CONSOLE', onOff, { default: 'on' }).about('`off` serves only the API, without the console at `/`.'),
  earlierVariant: setting('EARLIER_VARIANT', onOff, { default: 'off' }).about(
    '`on` also serves the earlier variant of the interface, at `/v0`.',
  ),
  maxConnections: setting('MAX_CONNECTIONS', integer(10, 1_000_000)).about(
    "Maximum number of open client connections, 10 to 1000000. The default is 10000, or half of the process's file descriptors (`ulimit -n`) if that is less.",
  ),
  drainMs: setting('DRAIN_MS', integer(0, 600_000), { default: '3000' }).about(
    'Milliseconds for which a stopping server still answers requests while `/readyz` is already 503. The default on a terminal is `0`.',
  ),
  stopTimeoutMs: setting('STOP_TIMEOUT_MS', integer(0, 600_000), { default: '10000' }).about(
    'Milliseconds that running requests get to finish when the server stops.',
  ),
})

export type HttpConfig = ConfigOf<typeof http>
