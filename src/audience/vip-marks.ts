import Joi from 'joi'
import { holdChannelRoles } from '../access/hold-rights.js'
import { changeAudited } from '../audit/audited-change.js'
import { holdChannel, holdConnection } from '../channels/channels.store.js'
import { requireVipChannel } from '../channels/require-vip.js'
import { ApiError } from '../errors.js'
import type { Context } from '../http/context.js'
import { named, namedObject } from '../http/named.js'
import { type Call, ok, okList, operation } from '../http/operation.js'
import type { ChangedVipMarks, PersonVipMark, VipMark, VipMarksChange } from '../interface/generated/types.js'
import { holdConversation, setVipMarks } from './conversations.store.js'
import { findPersonDetails } from './people/people.store.js'
import { holdConversations, listPersonVipMarkRows, type PersonVipMarkRow } from './vip-marks.store.js'

const ofOneMark = {
  permission: 'audience:mark',
  inChannels: 'checked',
  answers: [200, 400, 404],
  success: namedObject('VipMark', {
    workspaceId: Joi.string().required(),
    channelId: Joi.string().required(),
    conversationId: Joi.string().required(),
    vip: Joi.boolean().required(),
  }),
} as const

/** Mark a conversation as a VIP of a workspace (interface 4.1: scope `vip`). Idempotent. */
export const markVip = operation({
  ...ofOneMark,
  operationId: 'markVip',
  summary: 'Mark a conversation as a VIP of a workspace.',
  description:
    'Use it for one person; an import marks many at once. The next GET /vip-users shows the mark, on every node. Idempotent. Costs one small transaction.',
  route: 'PUT /workspaces/{workspaceId}/channels/{channelId}/vips/{conversationId}',
  handle: async (call, context) => ok(await setVipMark(call, context, true)),
})

/** Remove a conversation's VIP mark in a workspace. Idempotent. */
export const unmarkVip = operation({
  ...ofOneMark,
  operationId: 'unmarkVip',
  summary: 'Remove the VIP mark of a conversation in a workspace.',
  description:
    'The next GET /vip-users with scope `vip` reflects it, on every node; the conversation stays. Idempotent. Costs one small transaction.',
  route: 'DELETE /workspaces/{workspaceId}/channels/{channelId}/vips/{conversationId}',
  handle: async (call, context) => ok(await setVipMark(call, context, false)),
})

async function setVipMark(
  { params, principal }: Call<Omit<VipMark, 'vip'>>,
  context: Context,
  vip: boolean,
): Promise<VipMark> {
  const { organizationId } = principal
  const { workspaceId, channelId, conversationId } = params
  await requireVipChannel(context.database, organizationId, workspaceId, channelId)
  await changeAudited(context, principal, vip ? 'markVip' : 'unmarkVip', async (tx, record) => {
    const checkChannels = await holdChannelRoles(tx, principal, 'audience:mark')
    checkChannels([{ channel_id: channelId }])
    await holdChannel(tx, organizationId, channelId)
    await holdConnection(tx, organizationId, workspaceId, channelId)
    await holdConversation(tx, organizationId, channelId, conversationId)
    const target = { organizationId, channelId, workspaceId, at: new Date(context.clock.now()), actor: principal.actor }
    const changed = await setVipMarks(tx, target, [conversationId], vip)
    if (changed.length > 0) await record('vipMark', `${workspaceId}/${channelId}/${conversationId}`)
  })
  return { workspaceId, channelId, conversationId, vip }
}

const TOGETHER_MAX = 500
/** Enough to know that the person exists. */
const ANY = { conversations: 1, purchases: 1 }

const ids = Joi.array().items(Joi.string().max(256)).max(TOGETHER_MAX).unique()

/** Mark and unmark several conversations as VIPs of a workspace, in one transaction. Idempotent. */
export const changeVipMarks = operation({
  operationId: 'changeVipMarks',
  summary: 'Mark and unmark several conversations as VIPs of a workspace at once.',
  description:
    'Use it for people who are selected in a list: up to 500, in one transaction. The response lists the ids whose mark changed, so the opposite call undoes it, and in `missing` the ids that match no conversation. Idempotent. Costs one transaction.',
  route: 'POST /workspaces/{workspaceId}/channels/{channelId}/vips',
  permission: 'audience:mark',
  inChannels: 'checked',
  answers: [200, 400, 404],
  body: named(
    'VipMarksChange',
    Joi.object({
      mark: ids.description('The ids of conversations to mark as VIPs.'),
      unmark: ids.description('The ids of conversations to unmark.'),
    })
      .or('mark', 'unmark')
      .custom((body: VipMarksChange, helpers) => {
        const { mark = [], unmark = [] } = body
        const both = new Set([...mark, ...unmark]).size
        return both === mark.length + unmark.length && both <= TOGETHER_MAX ? body : helpers.error('marks.together')
      })
      .messages({
        'marks.together': `{{#label}} must name each conversation once, and at most ${TOGETHER_MAX} in all`,
      }),
  ),
  success: namedObject('ChangedVipMarks', {
    marked: Joi.array().items(Joi.string()).required().description('The ids that were not VIPs before.'),
    unmarked: Joi.array().items(Joi.string()).required().description('The ids that were VIPs before.'),
    missing: Joi.array()
      .items(Joi.string())
      .required()
      .description('The ids that match no conversation on the channel.'),
  }),
  async handle({ params: { workspaceId, channelId }, body: { mark = [], unmark = [] }, principal, meter }, context) {
    const { organizationId, actor } = principal
    await requireVipChannel(context.database, organizationId, workspaceId, channelId)
    const changed = await changeAudited(context, principal, 'changeVipMarks', async (tx, record) => {
      const checkChannels = await holdChannelRoles(tx, principal, 'audience:mark')
      checkChannels([{ channel_id: channelId }])
      await holdChannel(tx, organizationId, channelId)
      await holdConnection(tx, organizationId, workspaceId, channelId)
      const there = new Set(await holdConversations(tx, { organizationId, channelId }, [...mark, ...unmark]))
      const isThere = (id: string): boolean => there.has(id)
      const target = { organizationId, channelId, workspaceId, at: new Date(context.clock.now()), actor }
      const marked = await setVipMarks(tx, target, mark.filter(isThere), true)
      const unmarked = await setVipMarks(tx, target, unmark.filter(isThere), false)
      if (marked.length + unmarked.length > 0) {
        await record('connection', `${workspaceId}/${channelId}`, {
          marked: marked.length,
          unmarked: unmarked.length,
        })
      }
      return { marked, unmarked, missing: [...mark, ...unmark].filter((id) => !isThere(id)) }
    })
    meter.rows = changed.marked.length + changed.unmarked.length
    return ok(changed satisfies ChangedVipMarks)
  },
})

/** List in which workspaces a person is a VIP, since when, and who marked them. Idempotent. */
export const listPersonVipMarks = operation({
  operationId: 'listPersonVipMarks',
  summary: 'List the workspaces where a person is a VIP, and when and by whom each mark was made.',
  description:
    'Use it to see who marked a conversation. Marks from before these details were recorded have neither. Lists the first 1,000. Costs a few lookups.',
  route: 'GET /people/{cuid}/vips',
  permission: 'audience:read',
  answers: [200, 404],
  success: Joi.array().items(
    namedObject('PersonVipMark', {
      workspaceId: Joi.string().required(),
      channelId: Joi.string().required(),
      conversationId: Joi.string().required(),
      at: Joi.string().isoDate().required().allow(null),
      by: Joi.string()
        .required()
        .allow(null)
        .description('For example `user:usr_…`, `key:key_…` or `operator`, as in the audit trail.'),
    }),
  ),
  async handle({ params: { cuid }, principal: { organizationId }, meter }, { database }) {
    const marks = await listPersonVipMarkRows(database, organizationId, cuid)
    if (marks.length === 0 && (await findPersonDetails(database, organizationId, cuid, ANY)) === undefined) {
      throw new ApiError('person_not_found')
    }
    return okList(meter, marks, toBody)
  },
})

const toBody = ({ at, actor_type, actor_id, ...connection }: PersonVipMarkRow): PersonVipMark => ({
  ...connection,
  at: at === null ? null : at.toISOString(),
  by: actor_type === null ? null : actor_id === null ? actor_type : `${actor_type}:${actor_id}`,
})
