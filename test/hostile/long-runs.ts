import { createHmac } from 'node:crypto'
import type { Attack, Target } from './run.js'
import { expectStatuses, makeTenant, repeat } from './tools.js'

/** Runs of one kind of character, which take long for patterns that can match them in two ways. */
const RUNS = [' ', '\t', '/1?', '=', '"', '.', '-', '0', 'a', ',', '<', '@x', 'é', 'a\u0301\u0323'].map((part) =>
  part.repeat(Math.floor(120_000 / part.length)),
)
const SECRET = 'shared-secret-of-the-shop'

async function post({ url, operatorToken }: Target, path: string, body: string, type = 'application/json') {
  const headers = { authorization: `Bearer ${operatorToken}`, 'content-type': type }
  return (await fetch(url + path, { method: 'POST', headers, body })).status
}

/** Sends long runs to every entrance: headers without a credential, paths and queries, files, and signed orders. */
export default {
  name: 'long runs',
  async run(target) {
    const { channelIds, organizationId } = await makeTenant(target)
    const at = `/api/organizations/${organizationId}`
    await repeat(40, 4, async (n) => {
      const run = Buffer.from(RUNS[n % RUNS.length]!)
        .toString('latin1')
        .replaceAll(/[\r\n]/g, ' ')
        .slice(0, 15_000)
      const value = `x${run}x`
      const names = [
        'cookie',
        'authorization',
        'if-match',
        'x-date',
        'forwarded',
        'accept-language',
        'user-agent',
        'range',
      ]
      const headers = { [names[n % names.length]!]: n % 8 === 0 ? `__Host-greenroom=${value}` : value }
      for (const path of ['/api/me', '/v1/workspaces', '/console/']) {
        expectStatuses([(await fetch(target.url + path, { headers })).status], [200, 400, 401, 404, 412, 416, 431])
      }
    })
    for (const run of RUNS) {
      const query = encodeURIComponent(run.slice(0, 1_200))
      expectStatuses([(await fetch(`${target.url}/v1/workspaces?name=${query}`)).status], [400, 401, 414, 422, 431])
      const file = `conversationId,cuid,firstName\nx,y,"${run.replaceAll('"', '""')}x"\n`
      const imported = await post(target, `${at}/channels/${channelIds[0]}/conversations`, file, 'text/csv')
      expectStatuses([imported], [200, 400, 422])
      const csv = `time,channel,text\n"2026-12-24${run.replaceAll('"', '""')}x",Page 1,Hello\n`
      expectStatuses(
        [await post(target, `${at}/scheduled-posts/import`, JSON.stringify({ csv, dryRun: true }))],
        [200, 400, 404, 422],
      )
    }
    const source = await target.operator('POST', `/organizations/${organizationId}/sources`, {
      type: 'SHOPIFY',
      name: 'Shop',
      secret: SECRET,
    })
    for (const run of RUNS) {
      const body = JSON.stringify({
        id: 1,
        admin_graphql_api_id: `${run}\n`,
        total_price: run,
        currency: run,
        created_at: run,
      })
      const signature = createHmac('sha256', SECRET).update(body).digest('base64')
      const headers = {
        ...{
          'content-type': 'application/json',
          'x-shopify-topic': 'orders/create',
          'x-shopify-hmac-sha256': signature,
        },
        'x-shopify-webhook-id': `${RUNS.indexOf(run)}`,
      }
      const answer = await fetch(`${target.url}/hooks/${source.id}`, { method: 'POST', headers, body })
      expectStatuses([answer.status], [200, 202])
    }
  },
} satisfies Attack
