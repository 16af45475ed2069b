import { choice, token } from './parsers.js'
import { type ConfigOf, group, Mistake, type Parser, setting } from './setting.js'

export const log = group({
  level: setting('LOG_LEVEL', choice('debug', 'info', 'warn', 'error', 'silent'), { default: 'info' }).about(
    '`debug`, `info`, `warn`, `error` or `silent`. Probes are logged at `debug`.',
  ),
  /** Either pino's numeric levels with times in milliseconds, or levels as words with times in ISO 8601. */
  format: setting('LOG_FORMAT', choice('numbers', 'words'), { default: 'numbers' }).about(
    '`words` writes levels as words and times in ISO 8601; `numbers` writes 30 for info, and milliseconds.',
  ),
})

export type LogFormat = ConfigOf<typeof log>['format']

const listeningAddress: Parser<{ host: string; port: number }> = (given) => {
  const [, host = '', port] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(given) ?? []
  if (Number(port) <= 65_535) return { host, port: Number(port) }
  throw new Mistake('must be an address and a port, such as 127.0.0.1:9464 or [::1]:9464.')
}

export const metrics = group({
  token: setting('METRICS_TOKEN', token, { secret: true }).about(
    'Bearer token of `/metrics` and `/status`, 16 characters or more. Without it both response only callers on the same machine.',
  ),
  address: setting('METRICS_ADDRESS', listeningAddress).about(
    'Separate address and port for `/metrics`, such as `127.0.0.1:9464`.',
  ),
})

/** Reads OpenTelemetry's variables as its specification says: an empty one counts as not set. */
export function asksForTraces(env: Record<string, string | undefined>): boolean {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return false
  const { OTEL_TRACES_EXPORTER: exporter, OTEL_EXPORTER_OTLP_ENDPOINT: all } = env
  return exporter ? exporter !== 'none' : Boolean(all || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)
}
