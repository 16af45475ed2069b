// Makes ten calls of /api and ten of /v1 with the SDK that @hey-api/openapi-ts generates.
import { answered, baseUrl, printCalls, refused, sign, token } from './calls.js'
import { client as apiClient } from './generated/hey-api/all/client.gen.js'
import * as api from './generated/hey-api/all/sdk.gen.js'
import type { Member, PostFailedEvent } from './generated/hey-api/all/types.gen.js'
import { client as v1Client } from './generated/hey-api/v1/client.gen.js'
import * as v1 from './generated/hey-api/v1/sdk.gen.js'

apiClient.setConfig({ baseUrl, auth: ({ type }) => (type === 'http' ? token : undefined) })

const { type: caller } = answered('getApiCaller', await api.getApiCaller())
if (caller !== 'operator') throw new Error(`the caller is ${caller}`)
const { id: organizationId } = answered(
  'createOrganization',
  await api.createOrganization({ body: { name: 'Made by hey-api' } }),
)
const path = { organizationId }
const workspace = answered('createWorkspace', await api.createWorkspace({ path, body: { name: 'VIPs', type: 'VIP' } }))
const channel = answered(
  'createChannel',
  await api.createChannel({ path, body: { type: 'FB_PAGE', platformId: '2029384756', name: 'The page' } }),
)
answered(
  'connectChannel',
  await api.connectChannel({ path: { ...path, workspaceId: workspace.id, channelId: channel.id } }),
)
const members: Member[] = answered('listMembers', await api.listMembers({ path }))
if (members.length > 0) throw new Error('a new organization has members')
answered('updateOrganization', await api.updateOrganization({ path, body: { timeZone: 'Europe/Berlin' } }))
const draft = answered(
  'createOrganizationScheduledPost',
  await api.createOrganizationScheduledPost({ path, body: { notes: 'By a generated client' } }),
)
const trail = answered('listAuditTrail', await api.listAuditTrail({ path, query: { limit: 20 } }))
if (!trail.items.some(({ target }) => target.id === draft.id)) throw new Error('the trail has no entry for the post')
const { message } = refused(
  'getOrganizationScheduledPost',
  await api.getOrganizationScheduledPost({ path: { ...path, scheduledPostId: 'none' } }),
) as { message: string }
if (message === '') throw new Error('the error has no message')

v1Client.setConfig({ baseUrl })
v1Client.interceptors.request.use((request) => sign(request))

const me = answered('getCaller', await v1.getCaller())
if (me.type !== 'key') throw new Error(`the caller is ${me.type}`)
const [own] = answered('listWorkspaces', await v1.listWorkspaces())
if (own === undefined) throw new Error('the key sees no workspace')
const [page] = answered('listChannels', await v1.listChannels({ query: { workspaceId: own.id } }))
if (page === undefined) throw new Error('the key sees no channel')
answered(
  'listVipUsers',
  await v1.listVipUsers({ query: { workspaceId: own.id, mediumId: page.id, scope: 'all', limit: 10 } }),
)
const made = answered(
  'createScheduledPost',
  await v1.createScheduledPost({ body: { channels: { [page.id]: { caption: 'Lanterns' } } } }),
)
const post = { path: { scheduledPostId: made.id } }
const read = await v1.getScheduledPost(post)
answered('getScheduledPost', read)
const headers = { 'If-Match': read.response?.headers.get('etag') ?? '' }
const patched = answered(
  'updateScheduledPost',
  await v1.updateScheduledPost({ ...post, headers, body: { notes: 'Later' } }),
)
if (patched.notes !== 'Later') throw new Error('the notes differ from those sent')
refused('updateScheduledPost', await v1.updateScheduledPost({ ...post, headers, body: { notes: 'Too late' } }))
answered('listScheduledPosts', await v1.listScheduledPosts({ query: { status: 'DRAFT' } }))
answered('deleteScheduledPost', await v1.deleteScheduledPost(post))

/** The name of an event determines the type of its body. */
export const readFailure = (event: PostFailedEvent): string => event.data.scheduledPostId
// @ts-expect-error a workspace has no such field
void own.nickname

printCalls()
