// Makes ten calls of /api and ten of /v1 with openapi-fetch, typed by openapi-typescript.
import createClient from 'openapi-fetch'
import { answered, baseUrl, printCalls, refused, sign, token } from './calls.js'
import type { paths as AllPaths, components, webhooks } from './generated/openapi-typescript/all.js'
import type { paths as V1Paths } from './generated/openapi-typescript/v1.js'

const api = createClient<AllPaths>({ baseUrl, headers: { authorization: `Bearer ${token}` } })

const { type: caller } = answered('getApiCaller', await api.GET('/api/whoami'))
if (caller !== 'operator') throw new Error(`the caller is ${caller}`)
const { id: organizationId } = answered(
  'createOrganization',
  await api.POST('/api/organizations', { body: { name: 'Made by openapi-fetch' } }),
)
const path = { organizationId }
const workspace = answered(
  'createWorkspace',
  await api.POST('/api/organizations/{organizationId}/workspaces', {
    params: { path },
    body: { name: 'Regulars', type: 'VIP' },
  }),
)
const channel = answered(
  'createChannel',
  await api.POST('/api/organizations/{organizationId}/channels', {
    params: { path },
    body: { type: 'FB_PAGE', platformId: '1029384756', name: 'The page' },
  }),
)
answered(
  'connectChannel',
  await api.PUT('/api/organizations/{organizationId}/workspaces/{workspaceId}/channels/{channelId}', {
    params: { path: { ...path, workspaceId: workspace.id, channelId: channel.id } },
  }),
)
const members: components['schemas']['Member'][] = answered(
  'listMembers',
  await api.GET('/api/organizations/{organizationId}/members', { params: { path } }),
)
if (members.length > 0) throw new Error('a new organization has members')
answered(
  'updateOrganization',
  await api.PATCH('/api/organizations/{organizationId}', { params: { path }, body: { timeZone: 'Europe/Berlin' } }),
)
const draft = answered(
  'createOrganizationScheduledPost',
  await api.POST('/api/organizations/{organizationId}/scheduled-posts', {
    params: { path },
    body: { notes: 'By a generated client' },
  }),
)
const trail = answered(
  'listAuditTrail',
  await api.GET('/api/organizations/{organizationId}/audit', { params: { path, query: { limit: 20 } } }),
)
if (!trail.items.some(({ target }) => target.id === draft.id)) throw new Error('the trail has no entry for the post')
const { message } = refused(
  'getOrganizationScheduledPost',
  await api.GET('/api/organizations/{organizationId}/scheduled-posts/{scheduledPostId}', {
    params: { path: { ...path, scheduledPostId: 'none' } },
  }),
) as { message: string }
if (message === '') throw new Error('the error has no message')

const v1 = createClient<V1Paths>({ baseUrl })
v1.use({ onRequest: ({ request }) => sign(request) })

const me = answered('getCaller', await v1.GET('/v1/whoami'))
if (me.type !== 'key') throw new Error(`the caller is ${me.type}`)
const [own] = answered('listWorkspaces', await v1.GET('/v1/workspaces'))
if (own === undefined) throw new Error('the key sees no workspace')
const [page] = answered('listChannels', await v1.GET('/v1/channels', { params: { query: { workspaceId: own.id } } }))
if (page === undefined) throw new Error('the key sees no channel')
answered(
  'listVipUsers',
  await v1.GET('/v1/vip-users', {
    params: { query: { workspaceId: own.id, mediumId: page.id, scope: 'all', limit: 10 } },
  }),
)
const made = answered(
  'createScheduledPost',
  await v1.POST('/v1/scheduled-posts', { body: { channels: { [page.id]: { caption: 'Lanterns' } } } }),
)
const params = { path: { scheduledPostId: made.id } }
const read = await v1.GET('/v1/scheduled-posts/{scheduledPostId}', { params })
answered('getScheduledPost', read)
const etag = read.response.headers.get('etag') ?? ''
const patched = answered(
  'updateScheduledPost',
  await v1.PATCH('/v1/scheduled-posts/{scheduledPostId}', {
    params: { ...params, header: { 'If-Match': etag } },
    body: { notes: 'Later' },
  }),
)
if (patched.notes !== 'Later') throw new Error('the notes differ from those sent')
refused(
  'updateScheduledPost',
  await v1.PATCH('/v1/scheduled-posts/{scheduledPostId}', {
    params: { ...params, header: { 'If-Match': etag } },
    body: { notes: 'Too late' },
  }),
)
answered('listScheduledPosts', await v1.GET('/v1/scheduled-posts', { params: { query: { status: 'DRAFT' } } }))
answered('deleteScheduledPost', await v1.DELETE('/v1/scheduled-posts/{scheduledPostId}', { params }))

/** The name of an event determines the type of its body. */
export function readFailure(
  event: webhooks['post.failed']['post']['requestBody']['content']['application/json'],
): string {
  return event.data.scheduledPostId
}
// @ts-expect-error a workspace has no such field
void own.nickname

printCalls()
