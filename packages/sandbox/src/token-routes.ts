import { BadRequest, notFound, ok } from './answers.js'
import type { SandboxModel } from './model.js'
import { get, post, type SandboxRoute, type SandboxToken } from './route.js'
import { requireScope } from './scopes.js'

/** The app that every token of the sandbox is of. */
const SANDBOX_APP_ID = '700000000000001'

/** The token of the app itself; undefined when the sandbox knows no app secret. */
export const appTokenOf = ({ appSecret }: SandboxModel): string | undefined =>
  appSecret === undefined ? undefined : `${SANDBOX_APP_ID}|${appSecret}`

export const tokenRoutes: readonly SandboxRoute[] = [
  get(/^\/app$/, () => ok({ id: SANDBOX_APP_ID, name: 'Sandbox' })),
  get(/^\/me$/, ({ token }) => ok(ownerOf(token))),
  get(/^\/me\/permissions$/, (call) => {
    // The page itself, for the token of one: it has no such edge.
    if (call.token.pages.length > 0) throw new BadRequest('Tried accessing nonexisting field (permissions)')
    return ok({ data: call.token.scopes.map((permission) => ({ permission, status: 'granted' })) })
  }),
  get(/^\/act_(\d+)$/, (call, model, [id = '']) => {
    const account = model.adAccounts.find((candidate) => candidate.id === id)
    if (account === undefined || !call.token.adAccountIds.includes(id)) return notFound(`act_${id}`)
    requireScope(call.token, 'ads_read')
    const { name, currency, timezone } = account
    const values = { account_id: id, name, currency, timezone_name: timezone }
    const asked = (call.query.fields ?? '').split(',')
    return ok({
      ...Object.fromEntries(Object.entries(values).filter(([key]) => asked.includes(key))),
      id: `act_${id}`,
    })
  }),
  get(/^\/debug_token$/, (call, model) => {
    if (call.token.value !== appTokenOf(model) && call.token.isOfDeveloper !== true) {
      throw new BadRequest(
        'You must provide an app access token, or a user access token that is an owner or developer of the app',
      )
    }
    return ok({ data: inspect(call.findToken(call.query.input_token ?? '')) })
  }),
  post(/^\/$/, (call) => {
    if (!Array.isArray(call.params.batch)) throw new BadRequest('The parameter batch is required')
    const answers = call.params.batch.map((item: { relative_url?: unknown }) => {
      const { status, body } = call.answer(String(item.relative_url))
      return { code: status, body: typeof body === 'string' ? body : JSON.stringify(body) }
    })
    return { status: 200, body: JSON.stringify(answers) }
  }),
]

function ownerOf({ pages, value }: SandboxToken): { id: string; name: string } {
  const page = pages.find(({ platform }) => platform === 'facebook') ?? pages[0]
  return page === undefined ? { id: userIdOf(value), name: 'A person' } : { id: page.id, name: page.name }
}

/** The same for the same token. */
function userIdOf(token: string): string {
  const sum = Buffer.from(token).reduce((all, byte) => (all * 31 + byte) % 1_000_000_007, 7)
  return `10${String(sum).padStart(13, '0')}`
}

function inspect(token: SandboxToken | undefined): Record<string, unknown> {
  if (token === undefined) {
    const error = { code: 190, message: 'Invalid OAuth access token - Cannot parse access token' }
    return { error, is_valid: false, scopes: [] }
  }
  const owner = ownerOf(token)
  const isOfPage = token.pages.length > 0
  return {
    app_id: SANDBOX_APP_ID,
    type: isOfPage ? 'PAGE' : 'USER',
    application: 'Sandbox',
    // Seconds; 0 for one that does not end.
    expires_at: Math.floor((token.expiresAt ?? 0) / 1000),
    is_valid: true,
    scopes: token.scopes,
    granular_scopes: token.scopes.map((scope) => ({
      scope,
      ...(isOfPage && scope.startsWith('pages_') ? { target_ids: token.grantedFor[scope] ?? [owner.id] } : {}),
    })),
    ...(isOfPage ? { profile_id: owner.id } : { user_id: owner.id }),
  }
}
