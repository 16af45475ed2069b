import { isSubnet } from '../lib/addresses.js'
import { integer, list, onOff, serverUrl, text } from './parsers.js'
import { type ConfigOf, group, setting } from './setting.js'

/** A browser sends it as the Origin of a page to the letter, and it is compared with that. */
const isOrigin = (given: string): boolean =>
  /^https?:/.test(given) && URL.canParse(given) && new URL(given).origin === given

export const http = group({
  host: setting(
    { name: 'HOST', parse: text, default: '127.0.0.1' },
    'Address to listen on; `0.0.0.0` for every interface.',
  ),
  port: setting(
    { name: 'PORT', parse: integer(0, 65_535), default: '8080' },
    'Port to listen on; `0` takes a free one.',
  ),
  publicUrl: setting(
    {
      name: 'PUBLIC_URL',
      parse: serverUrl('must have no query, no fragment and no password, such as https://example.com/greenroom.'),
    },
    'Address at which browsers and platforms reach the service, with the path that a proxy adds: `https://example.com/greenroom`. Uploaded media have their URLs under it.',
  ),
  trustProxy: setting(
    {
      name: 'TRUST_PROXY',
      parse: list(isSubnet, 'must be addresses or subnets of proxies, separated by commas, such as 10.0.0.0/8 or ::1.'),
      default: '',
    },
    'Proxies whose X-Forwarded-For names the client, for the log, the addresses of keys and the limits: addresses or subnets, separated by commas.',
  ),
  corsOrigins: setting(
    {
      name: 'CORS_ORIGINS',
      parse: list(
        isOrigin,
        'must be origins as a browser sends them, separated by commas: scheme, host and port alone, such as https://app.example.',
      ),
      default: '',
    },
    'Origins whose pages may call the service from a browser, separated by commas: `https://app.example`.',
  ),
  console: setting(
    { name: 'CONSOLE', parse: onOff, default: 'on' },
    '`off` serves the API alone, without the web console at `/`.',
  ),
  earlierVariant: setting(
    { name: 'EARLIER_VARIANT', parse: onOff, default: 'off' },
    '`on` serves the earlier variant of the interface at `/v0`.',
  ),
  maxConnections: setting(
    { name: 'MAX_CONNECTIONS', parse: integer(10, 1_000_000) },
    "Connections of callers at once, 10 to 1000000; 10000 unless said, or half of the process's descriptors (`ulimit -n`).",
  ),
  drainMs: setting(
    { name: 'DRAIN_MS', parse: integer(0, 600_000), default: '3000' },
    'How long a stopping server, whose `/readyz` is 503 already, answers requests, in milliseconds; `0` on a terminal.',
  ),
  stopTimeoutMs: setting(
    { name: 'STOP_TIMEOUT_MS', parse: integer(0, 600_000), default: '10000' },
    'How long running requests may take to finish at a stop, in milliseconds.',
  ),
})

export type HttpConfig = ConfigOf<typeof http>
