import { NEWEST_VERSION } from './graph-versions.js'
import { baseUrl, integer, text } from './parsers.js'
import { type ConfigOf, group, Mistake, type Parser, setting } from './setting.js'

const INSTAGRAM_URL = 'https://graph.instagram.com'

const version: Parser<string> = (given) => {
  if (/^v[1-9]\d{0,2}\.\d{1,2}$/.test(given)) return given
  throw new Mistake(`must look like ${NEWEST_VERSION}, not "${given}".`)
}

export const graph = group({
  baseUrl: setting('GRAPH_BASE_URL', baseUrl, { default: 'https://graph.facebook.com' }).about(
    "Address of Meta's Graph API.",
  ),
  version: setting('GRAPH_VERSION', version, { default: NEWEST_VERSION }).about("Version of Meta's Graph API."),
  appSecret: setting('GRAPH_APP_SECRET', text, { secret: true }).about(
    'App secret at Meta. If it is set, every call includes an `appsecret_proof`.',
  ),
  timeoutMs: setting('GRAPH_TIMEOUT_MS', integer(1, 600_000), { default: '25000' }).about(
    'Milliseconds that a call to Meta may take.',
  ),
  instagramUrl: setting('INSTAGRAM_GRAPH_BASE_URL', baseUrl).about(
    `Address of the API for accounts that are connected by Instagram login. The default is \`${INSTAGRAM_URL}\`, or GRAPH_BASE_URL if that is not Meta's.`,
  ),
  instagramAppSecret: setting('INSTAGRAM_APP_SECRET', text, { secret: true }).about(
    'App secret of Instagram login, which differs from GRAPH_APP_SECRET. With it calls for such accounts carry an `appsecret_proof`.',
  ),
})

export type GraphConfig = ConfigOf<typeof graph>

/** Returns whether the URL is Meta's own, as opposed to a stand-in or an operator's gateway. */
export const isMeta = (baseUrl: string): boolean =>
  /(?:^|\.)(?:facebook|instagram)\.com$/.test(new URL(baseUrl).hostname)

/** Returns the base URL for tokens from Instagram login. */
export const instagramUrlOf = ({ baseUrl, instagramUrl }: Pick<GraphConfig, 'baseUrl' | 'instagramUrl'>): string =>
  instagramUrl ?? (isMeta(baseUrl) ? INSTAGRAM_URL : baseUrl)
