import { trimEnd } from '../interface/trim.js'
import { integer, text, url } from './parsers.js'
import { type ConfigOf, group, Mistake, type Parser, setting } from './setting.js'

const version: Parser<string> = (given) => {
  if (/^v\d+\.\d+$/.test(given)) return given
  throw new Mistake(`must look like v26.0, not "${given}".`)
}

export const graph = group({
  baseUrl: setting('GRAPH_BASE_URL', (given) => trimEnd(url('https:', 'http:')(given), '/'), {
    default: 'https://graph.facebook.com',
  }).about('Where the ad platform answers.'),
  version: setting('GRAPH_VERSION', version, { default: 'v26.0' }).about("Version of the ad platform's API."),
  appSecret: setting('GRAPH_APP_SECRET', text, { secret: true }).about(
    'App secret of the ad platform; with it every call carries an `appsecret_proof`.',
  ),
  timeoutMs: setting('GRAPH_TIMEOUT_MS', integer(1, 600_000), { default: '25000' }).about(
    'Time for one call of the ad platform, in milliseconds.',
  ),
})

export type GraphConfig = ConfigOf<typeof graph>
