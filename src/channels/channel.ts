import Joi, { type ObjectSchema } from 'joi'
import { named, namedObject } from '../http/named.js'
import { oneOf } from '../http/params.js'
import { AUTOMATION_MODES } from '../interface/automation.js'
import type {
  Channel,
  ChannelType,
  OrganizationChannel,
  PlatformLogin,
  Workspace,
} from '../interface/generated/types.js'
import { BEYOND_PUBLISHING, permissionsFor } from '../networks/calls.js'
import type { OrganizationChannelRow, PlatformChannelRow, WorkspaceRow } from './channels.store.js'
import type { GivenToken } from './check-token.js'

/** A workspace in answers: `{id, name, type}`. */
export const workspaceTypeSchema = named('WorkspaceType', Joi.string().valid('VIP', 'STANDARD'))

export const workspaceBody = namedObject('Workspace', {
  id: Joi.string().required(),
  name: Joi.string().required(),
  type: workspaceTypeSchema.required(),
})

export const toWorkspaceBody = (row: WorkspaceRow): Workspace => ({
  id: row.workspace_id,
  name: row.name,
  type: row.type,
})

export const channelTypeSchema = named('ChannelType', Joi.string().valid('FB_PAGE', 'INSTAGRAM_ACCOUNT'))

/**
 * A channel in answers: `{id, type, name, status}`, and the platform's reason as `problem` if it must be connected again.
 * Posts are published only on connected channels.
 */
export const channelBody = namedObject('Channel', {
  id: Joi.string().required(),
  type: channelTypeSchema.required(),
  name: Joi.string().required(),
  status: Joi.string().valid('connected', 'not-connected', 'needs-reconnect').required(),
  problem: Joi.string().description("The platform's reason; only if the status is `needs-reconnect`."),
  tokenExpiresAt: Joi.string().description(
    'When the access token expires. Only the response to connecting the channel has it.',
  ),
  login: named('PlatformLogin', Joi.string().valid('facebook', 'instagram')).description(
    'The Meta login that granted the access token. Responses to connecting the channel and the lists of operators and members have it.',
  ),
  missingPermissions: Joi.array()
    .items(
      namedObject('MissingPermission', {
        permission: Joi.string().required(),
        neededFor: Joi.array()
          .items(Joi.string().valid('comments', 'likes', 'messages', 'webhooks'))
          .required(),
      }),
    )
    .description(
      'The permissions that the access token lacks, except those for publishing. Absent if the platform does not list them.',
    ),
})

export const toChannelBody = (row: PlatformChannelRow): Channel => ({
  id: row.channel_id,
  type: row.type,
  name: row.name,
  ...toConnectionStatus(row),
})

/** The same for a caller who has just connected it. */
export const toJustConnectedBody = (row: PlatformChannelRow, token: GivenToken | undefined): Channel => ({
  ...toChannelBody(row),
  ...(token && toLogin(row.type, token.record.login, token.record.missing)),
  ...(token?.checked?.expiresAt && { tokenExpiresAt: token.checked.expiresAt.toISOString() }),
})

/** Returns the login of a token and the permissions that it lacks, if they are known. */
function toLogin(
  type: ChannelType,
  login: PlatformLogin | null,
  missing: readonly string[] | null,
): Pick<Channel, 'login' | 'missingPermissions'> {
  if (login === null) return {}
  if (missing === null) return { login }
  const needed = permissionsFor(type, login, BEYOND_PUBLISHING)
  return {
    login,
    missingPermissions: missing.map((permission) => ({ permission, neededFor: needed.get(permission) ?? [] })),
  }
}

const automationProblem = named(
  'AutomationProblem',
  Joi.object({ reason: Joi.string().required(), at: Joi.string().isoDate().required() }),
)

/** A channel as operators and members see it. */
export const organizationChannelBody: ObjectSchema<OrganizationChannel> = named(
  'OrganizationChannel',
  (channelBody as ObjectSchema).keys({
    subscription: namedObject('ChannelSubscription', {
      state: Joi.string().valid('PENDING', 'SUBSCRIBED', 'REFUSED').required(),
      problem: Joi.string()
        .required()
        .allow(null)
        .description("The platform's reason; only if the state is `REFUSED`."),
      checkedAt: Joi.string().isoDate().required().allow(null).description('When the platform was last asked.'),
    })
      .required()
      .allow(null)
      .description(
        'Whether messages and comments of the channel arrive. Null if it has no access token, or if the organization has no source of type META.',
      ),
    automation: oneOf(AUTOMATION_MODES)
      .required()
      .description("What superpowers do on the channel, within the limits of the organization's own switch."),
    automatedNotice: Joi.string().allow(null).required().description('Text at the start of every automated message.'),
    privateRepliesPerHour: Joi.number().integer().required(),
    automationProblem: automationProblem
      .allow(null)
      .required()
      .description('Why the platform stopped superpowers on the channel; null unless it did.'),
    newestCommentAt: Joi.string()
      .isoDate()
      .allow(null)
      .required()
      .description('When the newest comment seen on a post with a superpower was written; null if there is none.'),
    commentsReadAt: Joi.string()
      .isoDate()
      .allow(null)
      .required()
      .description('When the platform was last asked for comments on such a post; null if it never was.'),
  }),
)

export const toOrganizationChannelBody = (row: OrganizationChannelRow): OrganizationChannel => ({
  ...toChannelBody(row),
  ...toLogin(row.type, row.token_login, row.missing_permissions),
  subscription:
    row.access_token_sealed === null || !row.is_heard
      ? null
      : {
          state: row.subscription_state ?? 'PENDING',
          problem: row.subscription_problem,
          checkedAt: row.subscription_checked_at?.toISOString() ?? null,
        },
  automation: row.automation,
  automatedNotice: row.automated_notice,
  privateRepliesPerHour: row.private_replies_per_hour,
  automationProblem:
    row.automation_problem === null
      ? null
      : { reason: row.automation_problem, at: row.automation_problem_at!.toISOString() },
  newestCommentAt: row.newest_comment_at?.toISOString() ?? null,
  commentsReadAt: row.comments_read_at?.toISOString() ?? null,
})

function toConnectionStatus({
  access_token_sealed: token,
  token_problem: problem,
}: PlatformChannelRow): Pick<Channel, 'status' | 'problem'> {
  if (token === null) return { status: 'not-connected' }
  return problem === null ? { status: 'connected' } : { status: 'needs-reconnect', problem }
}
