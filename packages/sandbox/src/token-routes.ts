import { createHash } from 'node:crypto'
import { BadRequest, ok, type SandboxAnswer } from './answers.js'
import { type Field, parseFields, readLimit } from './fields.js'
import { DAY_MS } from './lib/dates.js'
import type { SandboxPage } from './model.js'
import { pick, requireParam } from './publications.js'
import type { SandboxCall, SandboxNode, SandboxPart, SandboxToken } from './route.js'
import { SANDBOX_APP_ID } from './tokens.js'

/** A token of the Instagram login lasts this long, and can be refreshed from the second age on. */
const INSTAGRAM_TOKEN_MS = 60 * DAY_MS
const REFRESHED_FROM_MS = DAY_MS

/** The token itself: its owner, its permissions, and its refresh. */
export const tokens: SandboxPart = {
  handlers: {
    'GET Application/': () => ok({ id: SANDBOX_APP_ID, name: 'Sandbox' }),
    'GET User/': ({ query }, { id }) => ok(pick('User', parseFields(query.fields ?? 'id,name'), { id, name: PERSON })),
    'GET User/permissions': ({ token }) =>
      ok({ data: token.scopes.map((permission) => ({ permission, status: 'granted' })) }),
    'GET User/accounts': listAccounts,
    'GET Root/refresh_access_token': refresh,
    'GET Root/debug_token': (call) => {
      if (call.token.kind !== 'app' && call.token.isOfDeveloper !== true) {
        throw new BadRequest(
          'You must provide an app access token, or a user access token that is an owner or developer of the app',
        )
      }
      return ok({ data: inspect(call.findToken(call.query.input_token ?? '')) })
    },
    'POST Root/': (call) => {
      if (!Array.isArray(call.params.batch)) throw new BadRequest('The parameter batch is required')
      const answers = call.params.batch.map((item: { relative_url?: unknown }) => {
        const { status, body } = call.answer(String(item.relative_url))
        return { code: status, body: typeof body === 'string' ? body : JSON.stringify(body) }
      })
      return { status: 200, body: JSON.stringify(answers) }
    },
  },
}

const PERSON = () => 'A person'

/** The object that `me` refers to; undefined for the app's token. */
export function ownerOf({ kind, pages, value }: SandboxToken): SandboxNode | undefined {
  if (kind === 'app') return undefined
  if (kind === 'user') return { type: 'User', id: userIdOf(value) }
  const page = pages.find(({ platform }) => platform === 'facebook') ?? pages[0]!
  return nodeOfPage(page)
}

export const nodeOfPage = (page: SandboxPage): SandboxNode => ({
  type: page.platform === 'facebook' ? 'Page' : 'IGUser',
  ...{ id: page.id, page },
})

/** The id depends only on the token. */
function userIdOf(token: string): string {
  const sum = Buffer.from(token).reduce((all, byte) => (all * 31 + byte) % 1_000_000_007, 7)
  return `10${String(sum).padStart(13, '0')}`
}

/** A page with these fields. */
export function pageBody(page: SandboxPage, { model }: SandboxCall, fields: Field[]): Record<string, unknown> {
  const account = model.pages?.find(({ pageId, platform }) => platform === 'instagram' && pageId === page.id)
  return pick('Page', fields, {
    id: page.id,
    name: () => page.name,
    access_token: () => page.accessToken,
    category: () => 'Shopping & retail',
    tasks: () => ['ADVERTISE', 'ANALYZE', 'CREATE_CONTENT', 'MESSAGING', 'MODERATE', 'MANAGE'],
    instagram_business_account({ fields: inner }) {
      if (account === undefined) return undefined
      const { id, name } = account
      return pick('IGUser', inner ?? [], { id, name: () => name, username: () => name })
    },
  })
}

function listAccounts(call: SandboxCall): SandboxAnswer {
  const { query, token } = call
  const pages = token.pages.filter(({ platform }) => platform === 'facebook')
  const fields = parseFields(query.fields ?? 'access_token,category,name,id,tasks')
  const limit = readLimit(query.limit)
  const start = query.after === undefined ? 0 : pages.findIndex(({ id }) => cursorOf(id) === query.after) + 1
  if (start === 0 && query.after !== undefined) throw new BadRequest('Invalid cursors values')
  const listed = pages.slice(start, start + limit)
  const [first, last] = [listed[0], listed.at(-1)]
  if (first === undefined || last === undefined) return ok({ data: [] })
  const after = cursorOf(last.id)
  const next = start + limit < pages.length ? call.pageUrl('/me/accounts', { ...query, after }) : undefined
  return ok({
    data: listed.map((page) => pageBody(page, call, fields)),
    paging: { cursors: { before: cursorOf(first.id), after }, next },
  })
}

const cursorOf = (id: string): string => Buffer.from(`account:${id}`).toString('base64')

/** The older token stays valid until it expires. */
function refresh({ params, token, model, now }: SandboxCall): SandboxAnswer {
  const type = requireParam(params, 'grant_type')
  if (type !== 'ig_refresh_token') throw new BadRequest('Param grant_type must be one of {IG_REFRESH_TOKEN}')
  if (token.issuedAt !== undefined && token.issuedAt > now - REFRESHED_FROM_MS) {
    throw new BadRequest('The access token must be at least 24 hours old to be refreshed')
  }
  const fresh = `IGAA${createHash('sha256').update(`${token.value} ${now}`).digest('base64url')}`
  const { scopes, pages } = token
  model.tokenDetails = {
    ...model.tokenDetails,
    [fresh]: {
      ...{ scopes: [...scopes], accounts: pages.map(({ id }) => id) },
      ...{ issuedAt: now, expiresAt: now + INSTAGRAM_TOKEN_MS },
    },
  }
  const permissions = scopes.join(',')
  return ok({ access_token: fresh, token_type: 'bearer', expires_in: INSTAGRAM_TOKEN_MS / 1000, permissions })
}

function inspect(token: SandboxToken | undefined): Record<string, unknown> {
  if (token === undefined) {
    const error = { code: 190, message: 'Invalid OAuth access token - Cannot parse access token' }
    return { error, is_valid: false, scopes: [] }
  }
  const owner = ownerOf(token)
  const isOfPage = token.kind === 'page'
  if (owner === undefined)
    return { app_id: SANDBOX_APP_ID, type: 'APP', application: 'Sandbox', is_valid: true, scopes: [] }
  return {
    app_id: SANDBOX_APP_ID,
    type: isOfPage ? 'PAGE' : 'USER',
    application: 'Sandbox',
    // In seconds; 0 if it does not expire.
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
