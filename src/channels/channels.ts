import Joi from 'joi'
import { changeAudited } from '../audit/audited-change.js'
import { lockForDeletion } from '../database/deletion.js'
import { ApiError } from '../errors.js'
import { named, namedObject } from '../http/named.js'
import { created, ok, okList, operation } from '../http/operation.js'
import { accessTokenSchema, checkTokenSchema, nameSchema, oneOf, textOfForm } from '../http/params.js'
import { requirePermission } from '../http/principal.js'
import { AUTOMATION_MODES } from '../interface/automation.js'
import { updateAutomation } from './automation.store.js'
import {
  channelBody,
  channelTypeSchema,
  organizationChannelBody,
  toChannelBody,
  toJustConnectedBody,
  toOrganizationChannelBody,
} from './channel.js'
import {
  disconnectChannel as deleteConnection,
  findChannelToken,
  holdChannel,
  holdWorkspace,
  insertChannel,
  connectChannel as insertConnection,
  listChannelRows,
  listOrganizationChannelRows,
  makeSubscriptionDue,
  renameChannel,
  requireChannel,
  requireWorkspace,
  setChannelToken,
} from './channels.store.js'
import { readToken } from './check-token.js'

const shared = {
  route: 'GET /channels',
  permission: 'channels:read',
  answers: [200, 404],
  query: Joi.object({
    workspaceId: Joi.string().description('Only channels that are connected to this workspace.'),
  }),
} as const

/** List the organization's channels, or those connected to one workspace, by name (named by interface 4.1). Idempotent. */
export const listChannels = operation({
  ...shared,
  operationId: 'listChannels',
  summary: "List the organization's channels, or those connected to one workspace.",
  description:
    'Use it to find the channel id (mediumId) of other calls, and the status of each connection: a post is published only on a connected channel. Sorted by name. Costs one read.',
  surfaces: ['v1'],
  success: Joi.array().items(channelBody),
  async handle({ query: { workspaceId }, principal: { organizationId }, meter }, { database }) {
    if (workspaceId !== undefined) await requireWorkspace(database, organizationId, workspaceId)
    return okList(meter, await listChannelRows(database, organizationId, workspaceId), toChannelBody)
  },
})

/** List the channels with each one's subscription to its platform's updates. Idempotent. */
export const listOrganizationChannels = operation({
  ...shared,
  operationId: 'listOrganizationChannels',
  summary: "List the organization's channels, or those connected to one workspace, and what each of them still needs.",
  description:
    'Use it to find the channel id (mediumId) of other calls, the status of each connection (a post is published only on a connected channel), and whether messages and comments of a channel arrive. Sorted by name. Costs one read.',
  success: Joi.array().items(organizationChannelBody),
  async handle({ query: { workspaceId }, principal: { organizationId }, meter }, { database }) {
    if (workspaceId !== undefined) await requireWorkspace(database, organizationId, workspaceId)
    const rows = await listOrganizationChannelRows(database, organizationId, workspaceId)
    return okList(meter, rows, toOrganizationChannelBody)
  },
})

/**
 * Create a channel. If its page's access token is given, the token is checked with the platform and the channel is
 * connected. The id consists of the type and the id on the platform, such as `FB_PAGE_123456789012345`. The token is stored
 * encrypted.
 */
export const createChannel = operation({
  operationId: 'createChannel',
  summary: 'Create a channel, and connect it to its platform if an access token is given.',
  description:
    'A channel is a page or an account. Connect it to a workspace to list its audience there, and provide its access token to publish on it. The token is checked with the platform first. Repeating the call returns 409. Costs a few calls to the platform for a token, and one small transaction.',
  route: 'POST /channels',
  permission: 'settings:write',
  answers: [201, 400, 409],
  body: namedObject('NewChannel', {
    type: channelTypeSchema.required(),
    platformId: textOfForm(/^\d{1,32}$/, 'digits, at most 32')
      .required()
      .description("The platform's id of the page or account."),
    name: nameSchema.required(),
    accessToken: accessTokenSchema.description(
      'The access token of the page. For an Instagram account, the token of its page (Facebook login) or its own (Instagram login).',
    ),
    check: checkTokenSchema,
  }),
  success: channelBody,
  async handle({ body, principal }, context) {
    const { organizationId } = principal
    const { type, platformId, name, accessToken, check = true } = body
    const channel_id = `${type}_${platformId}`
    const channel = { organizationId, type, channelId: channel_id }
    const token = accessToken === undefined ? undefined : await readToken(context, channel, { accessToken, check })
    const sealed = token?.sealed ?? null
    const row = { channel_id, type, name, access_token_sealed: sealed, token_problem: null }
    await changeAudited(context, principal, 'createChannel', async (tx, record) => {
      if (!(await insertChannel(tx, organizationId, row, sealed, token?.record))) {
        const there = await lockForDeletion(tx, 'channel', [organizationId, channel_id])
        throw new ApiError(there?.deleted_at == null ? 'already_exists' : 'being_deleted')
      }
      await record('channel', channel_id, { type, name, connected: sealed !== null })
    })
    return created(toJustConnectedBody(row, token))
  },
})

const AUTOMATION_FIELDS = ['automation', 'automatedNotice', 'privateRepliesPerHour'] as const

/**
 * Rename a channel, connect it to its platform, replace its token, or disconnect it with null. A new token is checked with
 * the platform, and clears the previous one's problem. Idempotent.
 */
export const updateChannel = operation({
  operationId: 'updateChannel',
  summary: 'Rename a channel, connect it to its platform with an access token, or disconnect it with null.',
  description:
    'Use it to rename a channel, or to connect one whose status is not-connected or needs-reconnect: posts are published only on a connected channel. A new token is checked with the platform before it is stored. Costs a few calls to the platform for a token, and one small transaction.',
  route: 'PATCH /channels/{channelId}',
  permission: 'settings:write',
  answers: [200, 400, 403, 404],
  body: named(
    'ChannelPatch',
    Joi.object({
      name: nameSchema,
      accessToken: accessTokenSchema
        .allow(null)
        .description('The new access token of the page; null removes the current one.'),
      check: checkTokenSchema,
      automation: oneOf(AUTOMATION_MODES).description(
        'What superpowers do on the channel: `off`, `shadow` (a dry run) or `on`. Setting it resumes a channel that the platform stopped. Needs automation:manage.',
      ),
      automatedNotice: Joi.string()
        .trim()
        .max(500)
        .allow(null)
        .description('Text at the start of every automated private reply; null for none. Needs automation:manage.'),
      privateRepliesPerHour: Joi.number()
        .integer()
        .min(1)
        .max(750)
        .description(
          'The maximum number of automated private replies per hour; 200 by default. Needs automation:manage.',
        ),
    })
      .or('name', 'accessToken', ...AUTOMATION_FIELDS)
      .with('check', 'accessToken'),
  ),
  success: channelBody,
  async handle({ params: { channelId }, body, principal }, context) {
    const { organizationId } = principal
    const channel = await findChannelToken(context.database, organizationId, channelId)
    if (channel === undefined || channel.deleted) throw new ApiError('channel_not_found')
    const { name, accessToken, check = true, automation, automatedNotice, privateRepliesPerHour } = body
    const acts = { automation, automatedNotice, privateRepliesPerHour }
    const isActing = AUTOMATION_FIELDS.some((field) => body[field] !== undefined)
    if (isActing) requirePermission(principal, 'automation:manage', 'Changing what superpowers do')
    const named = { organizationId, type: channel.type, channelId }
    const token = accessToken == null ? accessToken : await readToken(context, named, { accessToken, check })
    const sealed = token?.sealed ?? (accessToken === null ? null : undefined)
    const row = await changeAudited(context, principal, 'updateChannel', async (tx, record) => {
      const renamed = name === undefined ? undefined : await renameChannel(tx, organizationId, channelId, name)
      const connected =
        sealed === undefined ? renamed : await setChannelToken(tx, organizationId, channelId, sealed, token?.record)
      const now = new Date(context.clock.now())
      const updated = isActing ? await updateAutomation(tx, [organizationId, channelId], acts, now) : connected
      if (updated === undefined) throw new ApiError('channel_not_found')
      if (sealed) await makeSubscriptionDue(tx, [organizationId, channelId], now)
      await record('channel', channelId, {
        name,
        ...(sealed === undefined ? {} : { connected: sealed !== null }),
        ...acts,
      })
      return updated
    })
    return ok(toJustConnectedBody(row, token ?? undefined))
  },
})

const ofConnection = {
  permission: 'settings:write',
  answers: [200, 404],
  success: namedObject('Connection', {
    workspaceId: Joi.string().required(),
    channelId: Joi.string().required(),
  }),
} as const

/** Connect a channel to a workspace. Idempotent. */
export const connectChannel = operation({
  ...ofConnection,
  operationId: 'connectChannel',
  summary: 'Connect a channel to a workspace.',
  description:
    'GET /vip-users then lists the audience of the channel for this workspace. Idempotent. Costs one small transaction.',
  route: 'PUT /workspaces/{workspaceId}/channels/{channelId}',
  async handle({ params: { workspaceId, channelId }, principal }, context) {
    const { organizationId } = principal
    await changeAudited(context, principal, 'connectChannel', async (tx, record) => {
      await holdWorkspace(tx, organizationId, workspaceId)
      await holdChannel(tx, organizationId, channelId)
      const isNew = await insertConnection(tx, organizationId, workspaceId, channelId)
      if (isNew) await record('connection', `${workspaceId}/${channelId}`)
    })
    return ok({ workspaceId, channelId })
  },
})

/** Disconnect a channel from a workspace, and delete the workspace's VIP marks on it. Idempotent. */
export const disconnectChannel = operation({
  ...ofConnection,
  operationId: 'disconnectChannel',
  summary: "Disconnect a channel from a workspace, and remove the workspace's VIP marks on it.",
  description:
    'Use it for a channel that the workspace no longer works with. The conversations stay. Connecting the channel again does not restore the VIP marks. Idempotent. Costs one transaction that deletes the marks.',
  route: 'DELETE /workspaces/{workspaceId}/channels/{channelId}',
  async handle({ params: { workspaceId, channelId }, principal }, context) {
    const { organizationId } = principal
    await requireWorkspace(context.database, organizationId, workspaceId)
    await requireChannel(context.database, organizationId, channelId)
    await changeAudited(context, principal, 'disconnectChannel', async (tx, record) => {
      const wasThere = await deleteConnection(tx, organizationId, workspaceId, channelId)
      if (wasThere) await record('connection', `${workspaceId}/${channelId}`)
    })
    return ok({ workspaceId, channelId })
  },
})
