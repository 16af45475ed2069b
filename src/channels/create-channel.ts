import { changeAudited } from '../access/audited-change.js'
import { lockForDeletion } from '../database/deletion.js'
import { ApiError } from '../errors.js'
import { namedObject } from '../http/named.js'
import { created, operation } from '../http/operation.js'
import { accessTokenSchema, checkTokenSchema, nameSchema, textOfForm } from '../http/params.js'
import { channelBody, channelTypeSchema, toJustConnectedBody } from './channel.js'
import { insertChannel } from './channels.store.js'
import { readToken } from './read-token.js'

/**
 * Create a channel, connected to its platform when its page's access token is given, which the platform is asked about.
 * Its id is made of its type and its id on the platform, such as `FB_PAGE_123456789012345`. The token rests sealed.
 */
export const createChannel = operation({
  operationId: 'createChannel',
  summary: 'Create a channel, connected to its platform when its access token is given.',
  description:
    'A channel is a page or an account. Connect it to a workspace to list its audience there; give its access token to publish on it; the platform is asked about the token first. A repeat answers 409. Costs a few calls of the platform for a token, and one small transaction.',
  route: 'POST /channels',
  permission: 'settings:write',
  answers: [201, 400, 409],
  body: namedObject('NewChannel', {
    type: channelTypeSchema.required(),
    platformId: textOfForm(/^\d{1,32}$/, 'digits, at most 32')
      .required()
      .description('The id that the platform gives the page or account.'),
    name: nameSchema.required(),
    accessToken: accessTokenSchema.description(
      'The access token of the page; for an Instagram account that of its page (Facebook login) or its own (Instagram login).',
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
