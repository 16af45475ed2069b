import Joi from 'joi'
import { holdChannelRoles } from '../../access/hold-rights.js'
import { changeAudited } from '../../audit/audited-change.js'
import { ApiError } from '../../errors.js'
import { namedObject } from '../../http/named.js'
import { ok, okList, operation } from '../../http/operation.js'
import { timeOfDaySchema } from '../../http/params.js'
import type { PostingSlot, PostingSlots } from '../../interface/generated/types.js'
import { limit } from '../../lib/limits.js'
import { listSlotRows, replaceSlots, type SlotRow } from './calendar.store.js'

const SLOTS_MAX = limit('postingSlots')

const slotFields = {
  weekday: Joi.number().integer().min(1).max(7).required().description('1 for Monday to 7.'),
  time: timeOfDaySchema.required().description("In the organization's time zone."),
}
const slotsSchema = Joi.array().items(namedObject('PostingSlot', slotFields)).required()

/** List the weekly times at which channels post. Idempotent. */
export const listPostingSlots = operation({
  operationId: 'listPostingSlots',
  summary: 'List the posting slots of every channel: the weekly times planned for its posts.',
  description:
    'Use it for planning: the calendar marks the slots and starts a new post at the next free one. A slot is a local time, so a clock change does not move it. Slots publish nothing. Costs one small read.',
  route: 'GET /posting-slots',
  permission: 'posts:read',
  answers: [200],
  success: Joi.array().items(namedObject('ChannelPostingSlot', { channelId: Joi.string().required(), ...slotFields })),
  async handle({ principal: { organizationId }, meter }, { database }) {
    return okList(meter, await listSlotRows(database, organizationId), ({ channel_id: channelId, ...row }) => ({
      channelId,
      ...toSlot(row),
    }))
  },
})

/** Replace the posting slots of a channel. Idempotent. */
export const setPostingSlots = operation({
  operationId: 'setPostingSlots',
  summary: 'Replace the posting slots of a channel.',
  description:
    'Use it to set the rhythm of a channel; an empty array removes all slots. Planned posts keep their times. Duplicate slots count once. Costs one small transaction.',
  route: 'PUT /channels/{channelId}/posting-slots',
  permission: 'posts:write',
  inChannels: 'checked',
  answers: [200, 404],
  body: namedObject('PostingSlotsPut', { slots: slotsSchema.max(SLOTS_MAX) }),
  success: namedObject('PostingSlots', { slots: slotsSchema }),
  async handle({ params: { channelId }, body, principal }, context) {
    const slots = inOrder(body.slots)
    await changeAudited(context, principal, 'setPostingSlots', async (tx, record) => {
      const checkChannels = await holdChannelRoles(tx, principal, 'posts:write')
      checkChannels([{ channel_id: channelId }])
      const isThere = await replaceSlots(tx, principal.organizationId, channelId, slots.map(toRow))
      if (!isThere) throw new ApiError('channel_not_found')
      await record('channel', channelId, { slots: slots.map(({ weekday, time }) => `${weekday} ${time}`) })
    })
    return ok({ slots } satisfies PostingSlots)
  },
})

/** Removes duplicates and sorts from Monday on. */
function inOrder(slots: readonly PostingSlot[]): PostingSlot[] {
  const byText = new Map(slots.map(({ weekday, time }) => [`${weekday} ${time}`, { weekday, time }]))
  return [...byText].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, slot]) => slot)
}

const toRow = ({ weekday, time }: PostingSlot): SlotRow => ({
  weekday,
  minute_of_day: Number(time.slice(0, 2)) * 60 + Number(time.slice(3)),
})

const two = (number: number): string => String(number).padStart(2, '0')
const toSlot = ({ weekday, minute_of_day: minute }: SlotRow): PostingSlot => ({
  weekday,
  time: `${two(Math.floor(minute / 60))}:${two(minute % 60)}`,
})
