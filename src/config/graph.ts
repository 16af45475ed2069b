import { integer, text, url } from './parsers.js'
import { type ConfigOf, group, Mistake, type Parser, setting } from './setting.js'

const version: Parser<string> = (given) => {
  if (/^v\d+\.\d+$/.test(given)) return given
  throw new Mistake(`must look like v26.0, not "${given}".`)
}

export const graph = group({
  baseUrl: setting(
    {
      name: 'GRAPH_BASE_URL',
      parse: (given) => url('https:', 'http:')(given).replace(/\/+$/, ''),
      default: 'https://graph.facebook.com',
    },
    'Where the ad platform answers.',
  ),
  version: setting({ name: 'GRAPH_VERSION', parse: version, default: 'v26.0' }, "Version of the ad platform's API."),
  appSecret: setting(
    { name: 'GRAPH_APP_SECRET', parse: text, secret: true },
    'App secret of the ad platform; with it every call carries an `appsecret_proof`.',
  ),
  timeoutMs: setting(
    { name: 'GRAPH_TIMEOUT_MS', parse: integer(1, 600_000), default: '25000' },
    'Time for one call of the ad platform, in milliseconds.',
  ),
})

export type GraphConfig = ConfigOf<typeof graph>
