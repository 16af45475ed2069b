import Joi from 'joi'
import { changeAudited } from '../access/audited-change.js'
import { automationSchema, requireAutomationManager } from '../access/automation-switch.js'
import { ApiError } from '../errors.js'
import { named } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { accessTokenSchema, checkTokenSchema, nameSchema } from '../http/params.js'
import { updateAutomation } from './automation.store.js'
import { channelBody, toJustConnectedBody } from './channel.js'
import { findChannelToken, makeSubscriptionDue, renameChannel, setChannelToken } from './channels.store.js'
import { readToken } from './read-token.js'

const AUTOMATION_FIELDS = ['automation', 'automatedNotice', 'privateRepliesPerHour'] as const

/**
 * Rename a channel, connect it to its platform, replace its token, or with null disconnect it. The platform is asked
 * about a new token, which clears the problem of the one before. Idempotent.
 */
export const updateChannel = operation({
  operationId: 'updateChannel',
  summary: "Rename a channel, connect it to its platform with its page's access token, or disconnect it with null.",
  description:
    'For another name, and for a channel whose status is not-connected or needs-reconnect: posts are published only on a connected channel. The platform is asked about a new token before it is stored. Costs a few calls of the platform for a token, and one small transaction.',
  route: 'PATCH /channels/{channelId}',
  permission: 'settings:write',
  answers: [200, 400, 403, 404],
  body: named(
    'ChannelPatch',
    Joi.object({
      name: nameSchema,
      accessToken: accessTokenSchema
        .allow(null)
        .description('The access token of the page, in place of the present one; null removes it.'),
      check: checkTokenSchema,
      automation: automationSchema.description(
        'What superpowers do on the channel: `off`, `shadow` (a dry run) or `on`. Starts one that the platform stopped. Takes automation:manage.',
      ),
      automatedNotice: Joi.string()
        .trim()
        .max(500)
        .allow(null)
        .description('The beginning of every automated private reply; null for none. Takes automation:manage.'),
      privateRepliesPerHour: Joi.number()
        .integer()
        .min(1)
        .max(750)
        .description(
          'How many automated private replies go out an hour at most; 200 by default. Takes automation:manage.',
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
    if (isActing) requireAutomationManager(principal)
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
